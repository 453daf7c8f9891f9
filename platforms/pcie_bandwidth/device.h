// A device of pcie_bandwidth: a PCIe function with a doorbell, a register to read, memory, and one
// interrupt. The function is an endpoint, or one of ideal PCIe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "hw/host/host.h"
#include "hw/host/memory.h"
#include "hw/pcie/endpoint.h"
#include "hw/pcie/ideal.h"
#include "platforms/pcie_bandwidth/pcie_config.h"
#include "platforms/pcie_bandwidth/stream.h"

namespace railyard::pcie_bandwidth {

class Device : public pcie::DeviceRegisters {
 public:
  static constexpr std::uint16_t kVendor = 0x1AF0;
  static constexpr std::uint16_t kDevice = 0x0001;

  /// An endpoint; `peer` is the name of the port at the other end of its link.
  Device(const std::string& name, host::Host& host, const PcieConfig& config,
         const std::string& peer);
  /// A function of ideal PCIe, placed, whose interrupt is number `interrupt` of the host.
  Device(const std::string& name, host::Host& host, const PcieConfig& config, unsigned interrupt);

  pcie::Function& function() { return function_; }
  /// Only of a device that is one.
  pcie::Endpoint& endpoint() { return *endpoint_; }
  host::HostMemory& memory() { return memory_; }
  Stream& writes() { return writes_; }
  Stream& reads() { return reads_; }

  /// Called when a core has rung: what it wrote.
  void on_doorbell(std::function<void(std::uint64_t value)> callback) {
    doorbell_ = std::move(callback);
  }
  /// Addresses, once the host has given them.
  std::uint64_t doorbell_address() const { return address_of(kRegisterBar); }
  std::uint64_t register_address() const { return doorbell_address() + kRegisterOffset; }
  std::uint64_t msix_table() const { return address_of(kMsixBar); }
  std::uint64_t memory_address() const { return address_of(kMemoryBar); }

  void register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                      std::uint32_t bytes, std::uint8_t byte_enables) override;
  pcie::Status register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                             std::uint32_t bytes) override;

 private:
  static constexpr unsigned kRegisterBar = 0;
  static constexpr unsigned kMsixBar = 2;
  static constexpr unsigned kMemoryBar = 4;
  static constexpr std::uint64_t kRegisterOffset = 8;

  static pcie::BarShapes bars_of(const PcieConfig& config);
  static pcie::EndpointConfig function_of(const PcieConfig& config);
  std::uint64_t address_of(unsigned bar) const { return placed_.config_space().bar(bar).base; }

  std::unique_ptr<pcie::Endpoint> endpoint_;  // or
  std::unique_ptr<pcie::IdealFunction> ideal_;
  pcie::Function& function_;
  const pcie::PlacedFunction& placed_;
  host::HostMemory memory_;
  Stream writes_;
  Stream reads_;
  std::function<void(std::uint64_t)> doorbell_;
};

}  // namespace railyard::pcie_bandwidth
