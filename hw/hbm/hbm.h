// An HBM memory as a device: a controller, the bytes, and sockets of the TLM-2.0 base protocol.
//
// Modelled: what the controller models (controller.h), for whoever comes through a socket
// (tlm_target.h says what each of them does) or from its own model (controller()). Each socket sees
// all of the device, from `base` on. Not modelled: the way from an initiator to the memory, which
// is the initiator's; what several sockets share is the controller alone.
//
// Any number of devices may stand in a process or a partition.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>

#include "hw/hbm/controller.h"
#include "hw/hbm/device_memory.h"
#include "hw/hbm/hbm_config.h"
#include "hw/hbm/tlm_target.h"
#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm {

/// How a device is reached; what it is, HbmConfig says.
struct HbmDeviceConfig {
  Bytes base = 0;
  unsigned ports = 1;
  TlmTargetConfig target;

  void declare(Parameters& p);
};

class Hbm : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket<TlmTarget>;

  /// Throws a ConfigError, without a place, for a device beyond the end of the addresses.
  Hbm(sc_core::sc_module_name name, Partition& partition, const HbmConfig& config,
      const HbmDeviceConfig& device = {}, DataMode data = DataMode::kCarried);
  ~Hbm() override;

  Controller& controller() { return controller_; }
  std::uint64_t base() const { return memory_.base(); }
  std::uint64_t capacity() const { return memory_.capacity(); }
  unsigned ports() const { return static_cast<unsigned>(ports_.size()); }
  // std::out_of_range if there is no such port.
  TlmTarget& port(unsigned index) { return *ports_.at(index); }
  Socket& socket(unsigned index = 0) { return ports_.at(index)->socket; }

  // Bytes at initiators' addresses, at once and out of the controller's sight, before the run or in
  // it: as if accepted then. std::out_of_range, and nothing done, if not all are the device's.
  void load(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes);
  void read(std::uint64_t address, std::uint8_t* to, std::uint64_t bytes) const;

 private:
  void check(std::uint64_t address, std::uint64_t bytes) const;

  Controller controller_;
  DeviceMemory memory_;
  std::vector<std::unique_ptr<TlmTarget>> ports_;
};

}  // namespace railyard::hbm
