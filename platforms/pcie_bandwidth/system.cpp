#include "platforms/pcie_bandwidth/system.h"

#include <algorithm>

#include "hw/pcie/bridge.h"
#include "hw/pcie/config_registers.h"
#include "hw/pcie/transaction_checker.h"
#include "tlm/base/error.h"

namespace railyard::pcie_bandwidth {

namespace {

std::unique_ptr<host::Host> make_host(Partition& partition, const PcieConfig& config,
                                      const std::vector<pcie::RootComplex::Line>& lines) {
  const std::vector<unsigned> cores = {config.host.root_node};
  if (config.ideal()) {
    return std::make_unique<host::Host>("host", partition, config.host, config.data, cores);
  }
  return std::make_unique<host::Host>("host", partition, config.host, config.data, lines, cores);
}

std::string device_name(unsigned index) { return "dev" + std::to_string(index); }

}  // namespace

std::vector<pcie::RootComplex::Line> System::lines(const PcieConfig& config) {
  if (config.below_switch()) return {{config.link, "switch.up"}};
  std::vector<pcie::RootComplex::Line> lines;
  for (unsigned i = 0; i < config.devices; ++i) {
    lines.push_back({config.link, device_name(i) + ".port"});
  }
  return lines;
}

System::System(Partition& partition, const PcieConfig& config, bool checks)
    : config_(config),
      made_(make_host(partition, config, lines(config))),
      host_(*made_),
      checks_(checks) {
  if (config.ideal()) {
    for (unsigned i = 0; i < config.devices; ++i) {
      devices_.push_back(std::make_unique<Device>(device_name(i), host_, config, kInterrupt));
    }
    // Pieces end at pages, and nothing else cuts a transfer.
    constexpr std::uint32_t kPage = 4096;
    rules_.max_payload = rules_.max_read_request = kPage;
  } else {
    build_ports(checks);
  }
  const host::HostMemoryConfig& memory = config.host.memory;
  host_.memory().elide(memory.base, memory.total());
}

void System::build_ports(bool checks) {
  pcie::RootComplex& root = host_.root();
  if (config_.below_switch()) {
    std::vector<pcie::Switch::Line> below;
    for (unsigned i = 0; i < config_.devices; ++i) {
      below.push_back({config_.link, device_name(i) + ".port"});
    }
    switch_ = std::make_unique<pcie::Switch>("switch", host_.hierarchy(), config_.pcie_switch,
                                             pcie::Switch::Line{config_.link, root.port(0).name()},
                                             below);
    join(root.port(0), switch_->upstream());
  }
  for (unsigned i = 0; i < config_.devices; ++i) {
    add_device(config_.below_switch() ? switch_->downstream(i) : root.port(i), checks);
  }
}

void System::join(pcie::Port& above, pcie::Port& below) {
  pcie::join(above, below);
  if (checks_) pcie::check_link(host_.hierarchy(), above, below);
  ports_.push_back(&below);
  ports_.push_back(&above);
}

void System::add_device(pcie::Port& above, bool checks) {
  const std::string name = device_name(static_cast<unsigned>(devices_.size()));
  devices_.push_back(std::make_unique<Device>(name, host_, config_, above.name()));
  pcie::Endpoint& endpoint = devices_.back()->endpoint();
  join(above, endpoint.port());
  if (!checks) return;
  pcie::RequesterLimits limits;
  constexpr std::uint32_t kMost = 4096;
  limits.max_payload = limits.max_read_request = kMost;
  limits.boundary = config_.host.root.completer.boundary;
  limits.tags = config_.device.dma.tags;
  limits.completion_timeout = config_.device.dma.completion_timeout;
  endpoint.requester().set_observer(
      &partition().add_checker<pcie::TransactionChecker>(name, limits));
}

std::vector<pcie::Port*> System::write_bottleneck() {
  if (config_.ideal()) return {};
  const bool peers = config_.traffic.peers();
  if (config_.below_switch() && (!peers || config_.host.enumeration.acs_redirect)) {
    return {&switch_->upstream()};
  }
  std::vector<pcie::Port*> ports;
  const std::size_t step = config_.traffic.pattern == Pattern::kPeer ? 2 : 1;
  for (std::size_t i = 0; i < devices_.size(); i += step) {
    ports.push_back(&devices_[i]->endpoint().port());
  }
  return ports;
}

std::vector<pcie::Port*> System::read_bottleneck() {
  if (config_.ideal()) return {};
  std::vector<pcie::Port*> ports;
  for (unsigned i = 0; i < host_.root().ports(); ++i) ports.push_back(&host_.root().port(i));
  return ports;
}

void System::enumerate(Core& core) {
  if (config_.ideal()) return;
  const host::DeviceTree found = host_.enumerate(core);
  pcie::Endpoint& endpoint = devices_.front()->endpoint();
  rules_.max_payload = found.max_payload;
  rules_.max_read_request = endpoint.config().max_read_request();
  const pcie::CompleterConfig& completer = config_.host.root.completer;
  rules_.completions = {completer.split, found.max_payload, completer.boundary};
  constexpr unsigned kShortTags = 32;
  constexpr unsigned kExtendedTags = 256;
  tags_ = std::min(config_.device.dma.tags, endpoint.config().ten_bit_tags()    ? ~0U
                                            : endpoint.config().extended_tags() ? kExtendedTags
                                                                                : kShortTags);
  if (config_.host.root.iommu.enabled) map_memory();
  enable_interrupt(core, found);
}

// Each device reaches all memory, at the addresses that it has.
void System::map_memory() {
  const host::HostMemoryConfig& memory = config_.host.memory;
  for (const auto& device : devices_) {
    const pcie::MapStatus status = host_.root().iommu().map(device->endpoint().id(), memory.base,
                                                            memory.base, memory.total(), true);
    if (status == pcie::MapStatus::kDone) continue;
    throw InvariantError(host_.name(), partition().now(), "the IOMMU maps no such memory");
  }
}

void System::enable_interrupt(Core& core, const host::DeviceTree& found) {
  Device& device = *devices_.front();
  const pcie::MsixMessage message = host::Host::message(kInterrupt);
  constexpr unsigned kHighAddress = 4;  // of an entry of the table, 7.7.2.5
  constexpr unsigned kData = 8;
  constexpr unsigned kControl = 12;
  constexpr unsigned kWord = 32;
  constexpr std::uint64_t kLow = 0xFFFF'FFFF;
  const std::uint64_t entry = device.msix_table();
  core.store(entry, message.address & kLow, 4);
  core.store(entry + kHighAddress, message.address >> kWord, 4);
  core.store(entry + kData, message.data, 4);
  core.store(entry + kControl, 0, 4);
  const pcie::DeviceId id = device.endpoint().id();
  const unsigned capability = found.find(id)->capability(pcie::config::kMsixCapability);
  const Address control = host_.map().config_address(id, capability);
  core.store(control, core.load(control, 4) | pcie::config::kMsixEnable, 4);
}

}  // namespace railyard::pcie_bandwidth
