#include "platforms/common/rdma/rdma_host.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/nic/nic_abi.h"
#include "hw/pcie/bridge.h"
#include "hw/pcie/config_registers.h"
#include "hw/pcie/transaction_checker.h"
#include "tlm/base/error.h"

namespace railyard::rdma {

namespace {

constexpr const char* kFunction = "pcie";

nic::NicConfig nic_config(const RdmaHostConfig& config) {
  nic::NicConfig nic = config.nic;
  nic.payload_carried = config.data == DataMode::kCarried;
  return nic;
}

}  // namespace

nic::NicAddress nic_address(std::uint32_t endpoint, IpVersion version) {
  const TesterAddress address = address_of(endpoint, version);
  nic::NicAddress nic;
  nic.mac = address.mac;
  if (const auto* v6 = std::get_if<net::Ipv6Address>(&address.ip)) {
    nic.gid = v6->bytes;
    return nic;
  }
  constexpr std::size_t kMapped = 10;  // ::ffff:a.b.c.d
  nic.gid[kMapped] = nic.gid[kMapped + 1] = 0xFF;
  const std::uint32_t ip = std::get<net::Ipv4Address>(address.ip).value;
  for (unsigned i = 0; i < 4; ++i) nic.gid[15 - i] = static_cast<std::uint8_t>(ip >> (8 * i));
  return nic;
}

verbs::Neighbours neighbours_of(std::size_t endpoints, IpVersion version) {
  return [endpoints, version](const verbs::Gid& gid, verbs::Mac& mac) {
    for (std::uint32_t i = 0; i < endpoints; ++i) {
      const nic::NicAddress address = nic_address(i, version);
      if (address.gid != gid) continue;
      mac = address.mac.bytes;
      return true;
    }
    return false;
  };
}

RdmaHost::RdmaHost(sc_core::sc_module_name name, const RdmaHostConfig& config, const HostPort& port,
                   const nic::NicAddress& address, Blocks& blocks, bool checks)
    : sc_module(name), config_(config) {
  const std::string function_name = std::string(sc_module::name()) + "." + kFunction;
  const std::vector<unsigned> cores = {config_.host.root_node};
  const DataMode data = config_.data;
  if (config_.pcie == PcieWay::kIdeal) {
    host_ = std::make_unique<host::Host>("host", port.partition, config_.host, data, cores);
  } else {
    const std::vector<pcie::RootComplex::Line> lines = {
        {config_.pcie_link, function_name + ".port"}};
    host_ = std::make_unique<host::Host>("host", port.partition, config_.host, data, lines, cores);
  }
  add_function(port, checks);
  const std::string number = std::to_string(port.number);
  nic_ = std::make_unique<nic::Nic>(("nic" + number).c_str(), port.partition, nic_config(config_),
                                    address, *function_, port.link.rate, port.peer, blocks);
  if (endpoint_) endpoint_->set_registers(*nic_);
  if (ideal_) ideal_->set_registers(*nic_);
  link_ = std::make_unique<LinkEnd>(("link" + number).c_str(), port.partition, port.link,
                                    Announce::kLastBit);
  bind_both(nic_->mac(), *link_);
}

RdmaHost::~RdmaHost() = default;

void RdmaHost::add_function(const HostPort& /*port*/, bool checks) {
  const pcie::EndpointConfig function = nic::function_config(nic_config(config_));
  if (config_.pcie == PcieWay::kIdeal) {
    ideal_ = std::make_unique<pcie::IdealFunction>(kFunction, host_->ideal(), config_.host.ideal,
                                                   function.bars, host_->device_memory());
    ideal_->set_interrupts(kFirstVector);
    host_->place(*ideal_);
    function_ = ideal_.get();
    placed_ = ideal_.get();
    return;
  }
  pcie::Port& above = host_->root().port(0);
  endpoint_ = std::make_unique<pcie::Endpoint>(kFunction, host_->hierarchy(), function,
                                               config_.pcie_link, above.name());
  function_ = endpoint_.get();
  placed_ = endpoint_.get();
  pcie::join(above, endpoint_->port());
  if (!checks) return;
  pcie::check_link(host_->hierarchy(), above, endpoint_->port());
  pcie::RequesterLimits limits;
  constexpr std::uint32_t kMost = 4096;
  limits.max_payload = limits.max_read_request = kMost;
  limits.boundary = config_.host.root.completer.boundary;
  limits.tags = function.dma.tags;
  limits.completion_timeout = function.dma.completion_timeout;
  endpoint_->requester().set_observer(
      &host_->partition().add_checker<pcie::TransactionChecker>(endpoint_->name(), limits));
}

LinkEnd& RdmaHost::link(std::uint32_t /*port*/) { return *link_; }

const PauseLog& RdmaHost::pause_log(std::uint32_t /*port*/) { return nic_->mac().pause_log(); }

void RdmaHost::set_program(Program program, verbs::Neighbours neighbours) {
  program_ = std::move(program);
  neighbours_ = std::move(neighbours);
  host_->core(0).set_program([this](Core& core) { run(core); });
}

// What the program holds goes with its thread, while the host is still there.
void RdmaHost::run(Core& core) {
  const host::HostMemoryConfig& config = config_.host.memory;
  host::HostAddressSpace memory(host_->memory(), config.base, config.total());
  host_->core(0).context().memory = &memory;
  verbs::Machine machine(core, memory, {find_device(core)}, config_.verbs);
  machine.set_neighbours(neighbours_);
  program_(core, memory);
}

driver::DevicePlace RdmaHost::find_device(Core& core) {
  driver::DevicePlace place;
  place.name = "mlx5_0";
  place.message_address = host::Host::message(kFirstVector).address;
  place.first_vector = kFirstVector;
  if (config_.pcie == PcieWay::kModelled) {
    const host::DeviceTree found = host_->enumerate(core);
    const host::FoundFunction* nic = found.find(nic::abi::kVendor, nic::abi::kDevice);
    if (nic == nullptr) throw InvariantError(name(), core.now(), "enumeration finds no NIC");
    place.msix_control =
        host_->map().config_address(nic->id, nic->capability(pcie::config::kMsixCapability));
  }
  place.registers = bar(nic::abi::kRegisterBar);
  place.msix_table = bar(nic::abi::kMsixBar);
  return place;
}

}  // namespace railyard::rdma
