#include "platforms/pcie_bandwidth/device.h"

#include <algorithm>
#include <cstring>

namespace railyard::pcie_bandwidth {

namespace {

constexpr std::uint32_t kRegisterBytes = 4096;

host::HostMemoryConfig memory_of(const DeviceMemoryConfig& config) {
  host::HostMemoryConfig memory;
  memory.base = 0;
  memory.size = config.size;
  memory.latency = config.latency;
  memory.bandwidth = config.bandwidth;
  return memory;
}

}  // namespace

pcie::BarShapes Device::bars_of(const PcieConfig& config) {
  pcie::BarShapes bars{};
  bars[kRegisterBar] = {kRegisterBytes, false, false};
  bars[kMemoryBar] = {config.device_memory.size, true, true};
  return bars;
}

pcie::EndpointConfig Device::function_of(const PcieConfig& config) {
  pcie::EndpointConfig function = config.device;
  function.identity.vendor = kVendor;
  function.identity.device = kDevice;
  function.identity.class_code = 0x12'00'00;  // processing accelerator
  function.bars = bars_of(config);
  function.bars[kMsixBar] = {kRegisterBytes, false, false};
  function.msix = {1, kMsixBar, 0, kMsixBar, kRegisterBytes / 2};
  return function;
}

Device::Device(const std::string& name, host::Host& host, const PcieConfig& config,
               const std::string& peer)
    : endpoint_(std::make_unique<pcie::Endpoint>(name.c_str(), host.hierarchy(),
                                                 function_of(config), config.link, peer)),
      function_(*endpoint_),
      placed_(*endpoint_),
      memory_(name + ".memory", host.hierarchy().scheduler(), memory_of(config.device_memory),
              config.data),
      writes_(function_, host.partition(), true),
      reads_(function_, host.partition(), false) {
  endpoint_->set_registers(*this);
  endpoint_->put_memory(kMemoryBar, memory_);
  memory_.elide(0, config.device_memory.size);
}

Device::Device(const std::string& name, host::Host& host, const PcieConfig& config,
               unsigned interrupt)
    : ideal_(std::make_unique<pcie::IdealFunction>(name.c_str(), host.ideal(), config.host.ideal,
                                                   bars_of(config), host.device_memory())),
      function_(*ideal_),
      placed_(*ideal_),
      memory_(name + ".memory", host.hierarchy().scheduler(), memory_of(config.device_memory),
              config.data),
      writes_(function_, host.partition(), true),
      reads_(function_, host.partition(), false) {
  ideal_->set_registers(*this);
  ideal_->put_memory(kMemoryBar, memory_);
  ideal_->set_interrupts(interrupt);
  host.place(*ideal_);
  memory_.elide(0, config.device_memory.size);
}

void Device::register_write(unsigned /*bar*/, std::uint64_t offset, const std::uint8_t* data,
                            std::uint32_t bytes, std::uint8_t /*byte_enables*/) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, std::min<std::size_t>(bytes, sizeof value));
  if (offset == 0 && doorbell_) doorbell_(value);
}

pcie::Status Device::register_read(unsigned /*bar*/, std::uint64_t /*offset*/, std::uint8_t* data,
                                   std::uint32_t bytes) {
  std::memset(data, 0, bytes);
  return pcie::Status::kSuccess;
}

}  // namespace railyard::pcie_bandwidth
