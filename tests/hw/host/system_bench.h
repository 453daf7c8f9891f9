// A host with devices behind links and switches: what tests of the whole of PCIe are made of.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/host/host.h"
#include "hw/pcie/bridge.h"
#include "hw/pcie/endpoint.h"
#include "hw/pcie/switch.h"
#include "hw/pcie/transaction_checker.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/simulation.h"

namespace railyard::support {

constexpr std::uint64_t kMemory = 1ULL << 32;  // where that of a host begins
/// Whatever enumeration left under way is over.
constexpr Time kQuiet = 20 * kMicrosecond;

/// A device with 64 KiB of registers (BAR 0), an MSI-X table (BAR 2), and what a test hangs on it.
class TestDevice : public pcie::DeviceRegisters, public pcie::DmaListener {
 public:
  static constexpr std::uint16_t kVendor = 0x1AF0;
  static constexpr std::uint16_t kDevice = 0x0001;

  static pcie::EndpointConfig config(unsigned vectors = 8) {
    pcie::EndpointConfig config;
    config.identity.vendor = kVendor;
    config.identity.device = kDevice;
    config.identity.class_code = 0x020000;
    config.bars[0] = {1U << 16, true, true};
    config.bars[2] = {1U << 15, false, false};
    config.msix = {vectors, 2, 0, 2, 1U << 14};
    return config;
  }

  TestDevice(const std::string& name, pcie::Hierarchy& hierarchy,
             const pcie::EndpointConfig& config, const pcie::LinkConfig& link,
             const std::string& peer)
      : endpoint(name.c_str(), hierarchy, config, link, peer), hierarchy_(hierarchy) {
    endpoint.set_registers(*this);
  }

  struct Write {
    Time at;
    std::uint64_t offset;
    std::vector<std::uint8_t> bytes;
    std::uint8_t byte_enables;
  };
  struct Done {
    std::uint64_t ticket;
    Time at;
    pcie::Status status;
    std::vector<std::uint8_t> bytes;
  };

  void register_write(unsigned /*bar*/, std::uint64_t offset, const std::uint8_t* data,
                      std::uint32_t bytes, std::uint8_t byte_enables) override {
    writes.push_back({now(), offset, {data, data + bytes}, byte_enables});
    if (on_write) on_write(writes.back());
  }
  pcie::Status register_read(unsigned /*bar*/, std::uint64_t offset, std::uint8_t* data,
                             std::uint32_t bytes) override {
    for (std::uint32_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(offset + i);
    return read_status;
  }
  void dma_done(const pcie::DmaDone& finished) override {
    partition().close_work();
    if (!keeps) {
      latest_ = {finished.ticket, now(), finished.status, {}};
      if (on_done) on_done(latest_);
      return;
    }
    Done entry{finished.ticket, now(), finished.status, {}};
    if (finished.payload) {
      const std::uint8_t* data = finished.payload->data();
      entry.bytes.assign(data, data + finished.payload->size());
    }
    done.push_back(std::move(entry));
    if (on_done) on_done(done.back());
  }

  std::uint64_t write(std::uint64_t address, const std::vector<std::uint8_t>& bytes,
                      bool relaxed = false) {
    pcie::DmaRequest request;
    request.write = true;
    request.relaxed = relaxed;
    request.address = address;
    request.bytes = static_cast<std::uint32_t>(bytes.size());
    request.payload = hierarchy_.payloads().acquire();
    request.payload->resize(bytes.size());
    std::memcpy(request.payload->data(), bytes.data(), bytes.size());
    return give(std::move(request));
  }
  std::uint64_t write_elided(std::uint64_t address, std::uint32_t bytes) {
    pcie::DmaRequest request;
    request.write = true;
    request.address = address;
    request.bytes = bytes;
    return give(std::move(request));
  }
  std::uint64_t read(std::uint64_t address, std::uint32_t bytes, bool elided = false,
                     bool fenced = false) {
    pcie::DmaRequest request;
    request.address = address;
    request.bytes = bytes;
    request.elided = elided;
    request.fenced = fenced;
    return give(std::move(request));
  }
  std::uint64_t give(pcie::DmaRequest request) {
    const std::uint64_t ticket = request.ticket = tickets_++;
    partition().open_work();
    endpoint.dma(std::move(request), *this);
    return ticket;
  }

  /// The transfer, which is done.
  const Done& done_of(std::uint64_t ticket) const {
    for (const Done& one : done) {
      if (one.ticket == ticket) return one;
    }
    throw std::out_of_range("transfer " + std::to_string(ticket) + " is not done");
  }

  /// What the next transfer's ticket will be.
  std::uint64_t next_ticket() const { return tickets_; }

  Time now() { return hierarchy_.now(); }
  Partition& partition() { return hierarchy_.partition(); }

  pcie::Endpoint endpoint;
  std::vector<Write> writes;
  std::vector<Done> done;
  std::function<void(const Write&)> on_write;
  std::function<void(const Done&)> on_done;
  pcie::Status read_status = pcie::Status::kSuccess;
  bool keeps = true;  // what is done, in `done`

 private:
  pcie::Hierarchy& hierarchy_;
  std::uint64_t tickets_ = 0;
  Done latest_{};
};

/// Memory of a device behind BAR 4 (64-bit, prefetchable), of a fixed latency.
class DeviceMemory : public pcie::MemoryPort {
 public:
  DeviceMemory(pcie::Hierarchy& hierarchy, const std::string& name, std::size_t bytes,
               Time latency = 150 * kNanosecond)
      : hierarchy_(hierarchy),
        bytes_(bytes),
        line_(hierarchy, name, latency, [this](Ref<pcie::MemoryAccess> access) {
          load(*access);
          access->client->memory_done(*access);
        }) {}
  bool covers(std::uint64_t address, std::uint64_t bytes) const override {
    return address + bytes <= bytes_.size();
  }
  void access(Ref<pcie::MemoryAccess> access) override {
    access->failed = !covers(access->address, access->bytes);
    line_.push(std::move(access));
  }
  void commit(pcie::MemoryAccess& access) override {
    if (!access.write) {
      load(access);
      return;
    }
    if (written == 0) first_write = hierarchy_.now();
    last_write = hierarchy_.now();
    written += access.bytes;
    last_bytes = access.bytes;
    if (access.payload) {
      std::memcpy(&bytes_[access.address], access.payload->data() + access.payload_offset,
                  access.bytes);
    }
  }
  bool watched(std::uint64_t, std::uint64_t) const override { return false; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

  /// Of the writes that were made visible.
  Time first_write = 0;
  Time last_write = 0;
  std::uint64_t written = 0;
  std::uint64_t last_bytes = 0;

 private:
  void load(pcie::MemoryAccess& access) {
    if (access.write || access.failed || !access.payload) return;
    std::memcpy(access.payload->data() + access.payload_offset, &bytes_[access.address],
                access.bytes);
  }
  pcie::Hierarchy& hierarchy_;
  std::vector<std::uint8_t> bytes_;
  pcie::DelayLine<Ref<pcie::MemoryAccess>> line_;
};

/// Devices straight at root ports, below a switch at a further root port, and below a second switch
/// that hangs on the first one's last port; numbered in this order.
struct SystemConfig {
  host::HostConfig host;
  pcie::LinkConfig link;
  pcie::EndpointConfig endpoint = TestDevice::config();
  pcie::SwitchConfig pcie_switch;
  unsigned direct = 1;  // devices at root ports of their own
  unsigned below_switch = 0;
  unsigned below_second = 0;
  std::size_t device_memory = 0;  // behind each device's BAR 4, bytes: a power of two; 0: none
  std::vector<unsigned> cores = {0};
  DataMode data = DataMode::kCarried;
  bool eager = false;
  bool checks = true;
  SimulationConfig run;
};

class SystemBench {
 public:
  explicit SystemBench(const SystemConfig& config)
      : simulation(config.run),
        host("host", simulation.partition(), config.host, config.data, lines(config),
             config.cores) {
    for (unsigned i = 0; i < config.direct; ++i) add_device(config, host.root().port(i));
    if (has_switch(config)) {
      const bool both = config.below_second > 0;
      add_switch(config, host.root().port(config.direct), config.below_switch, both);
      if (both) {
        add_switch(config, switches[0]->downstream(config.below_switch), config.below_second,
                   false);
      }
    }
    if (config.eager) host.hierarchy().scheduler().set_eager();
  }

  /// Core 0 enumerates and then runs `program`; others run theirs from time zero.
  RunEnd run(std::function<void(Core&)> program, Time until = kForever / 2) {
    host.core(0).set_program([this, program = std::move(program)](Core& core) {
      found = host.enumerate(core);
      program(core);
    });
    simulation.seal();
    return simulation.run(until);
  }

  TestDevice& device(std::size_t i) { return *devices.at(i); }
  /// The address of a device's BAR once it is enumerated.
  std::uint64_t bar(std::size_t device_index, unsigned bar_index) {
    return device(device_index).endpoint.config().bar(bar_index).base;
  }
  /// Lets a device's vector `vector` raise interrupt `number` of the host, by its table.
  void set_vector(Core& core, std::size_t device_index, unsigned vector, unsigned number) {
    const pcie::MsixMessage message = host::Host::message(number);
    const std::uint64_t entry = bar(device_index, 2) + 16 * vector;
    core.store(entry, message.address & 0xFFFFFFFF, 4);
    core.store(entry + 4, message.address >> 32, 4);
    core.store(entry + 8, message.data, 4);
    core.store(entry + 12, 0, 4);
  }
  void enable_msix(Core& core, std::size_t device_index) {
    const pcie::DeviceId id = device(device_index).endpoint.id();
    const host::FoundFunction* function = found.find(id);
    const unsigned capability = function->capability(0x11);
    const std::uint64_t at = host.map().config_address(id, capability);
    core.store(at, core.load(at, 4) | 0x80000000U, 4);
  }

  /// The address of a register of a function's configuration space, from a capability on.
  Address config_address(pcie::DeviceId id, unsigned capability, unsigned offset) const {
    return host.map().config_address(id, found.find(id)->capability(capability) + offset);
  }
  Address extended_address(pcie::DeviceId id, unsigned capability, unsigned offset) const {
    return host.map().config_address(id, found.find(id)->extended_capability(capability) + offset);
  }
  Address config_address(pcie::DeviceId id, unsigned offset) const {
    return host.map().config_address(id, offset);
  }
  /// Lets `core` wait until `devices` transfers of a device are done.
  void wait_done(Core& core, std::size_t device_index, std::size_t transfers) {
    while (device(device_index).done.size() < transfers) core.spend(10 * kNanosecond);
  }
  /// Whether an error was reported whose place and text have all of `parts`.
  bool reported(const std::vector<std::string>& parts) {
    for (const pcie::Hierarchy::Error& error : host.hierarchy().errors()) {
      const std::string text = error.where + ": " + error.what;
      const auto has = [&text](const std::string& part) {
        return text.find(part) != std::string::npos;
      };
      if (std::all_of(parts.begin(), parts.end(), has)) return true;
    }
    return false;
  }
  std::string errors() {
    std::string text;
    for (const pcie::Hierarchy::Error& error : host.hierarchy().errors()) {
      text += error.where + ": " + error.what + "\n";
    }
    return text;
  }

  double metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value.real;
    }
    throw std::out_of_range("no metric " + name);
  }

  FreshKernel kernel;
  Simulation simulation;
  host::Host host;
  std::vector<std::unique_ptr<pcie::Switch>> switches;
  std::vector<std::unique_ptr<TestDevice>> devices;
  std::vector<std::unique_ptr<DeviceMemory>> memories;
  host::DeviceTree found;

 private:
  static std::vector<pcie::RootComplex::Line> lines(const SystemConfig& config) {
    std::vector<pcie::RootComplex::Line> all;
    for (unsigned i = 0; i < config.direct; ++i) {
      all.push_back({config.link, "dev" + std::to_string(i) + ".port"});
    }
    if (has_switch(config)) all.push_back({config.link, "switch0.up"});
    return all;
  }
  static bool has_switch(const SystemConfig& config) {
    return config.below_switch > 0 || config.below_second > 0;
  }
  void add_switch(const SystemConfig& config, pcie::Port& above, unsigned devices_below,
                  bool another) {
    const std::size_t number = switches.size();
    std::vector<pcie::Switch::Line> below;
    for (unsigned i = 0; i < devices_below; ++i) {
      below.push_back({config.link, "dev" + std::to_string(devices.size() + i) + ".port"});
    }
    if (another) below.push_back({config.link, "switch" + std::to_string(number + 1) + ".up"});
    switches.push_back(std::make_unique<pcie::Switch>(
        ("switch" + std::to_string(number)).c_str(), host.hierarchy(), config.pcie_switch,
        pcie::Switch::Line{config.link, above.name()}, below));
    join(above, switches[number]->upstream(), config);
    for (unsigned i = 0; i < devices_below; ++i) {
      add_device(config, switches[number]->downstream(i));
    }
  }
  void join(pcie::Port& a, pcie::Port& b, const SystemConfig& config) {
    pcie::join(a, b);
    if (config.checks) pcie::check_link(host.hierarchy(), a, b);
  }
  void add_device(const SystemConfig& config, pcie::Port& above) {
    const std::string name = "dev" + std::to_string(devices.size());
    pcie::EndpointConfig endpoint = config.endpoint;
    if (config.device_memory > 0) endpoint.bars[4] = {config.device_memory, true, true};
    devices.push_back(
        std::make_unique<TestDevice>(name, host.hierarchy(), endpoint, config.link, above.name()));
    TestDevice& device = *devices.back();
    if (config.device_memory > 0) {
      memories.push_back(
          std::make_unique<DeviceMemory>(host.hierarchy(), name + ".memory", config.device_memory));
      device.endpoint.put_memory(4, *memories.back());
    }
    join(above, device.endpoint.port(), config);
    if (!config.checks) return;
    pcie::RequesterLimits limits;
    limits.max_payload = 4096;
    limits.max_read_request = 4096;
    limits.boundary = config.host.root.completer.boundary;
    limits.tags = config.endpoint.dma.tags;
    limits.completion_timeout = config.endpoint.dma.completion_timeout;
    device.endpoint.requester().set_observer(
        &simulation.partition().add_checker<pcie::TransactionChecker>(name, limits));
  }
};

}  // namespace railyard::support
