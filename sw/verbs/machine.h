// What the verbs programs of one host find: its devices and its memory. A platform's program makes
// one on the core that verbs programs run on, and runs them while it lives: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sw/driver/driver.h"
#include "sw/verbs/verbs_config.h"
#include "tlm/core/current.h"

namespace railyard::verbs {

struct DeviceObject;

using Gid = std::array<std::uint8_t, 16>;
using Mac = std::array<std::uint8_t, 6>;
/// The MAC address of who has a GID, as the address resolution of a kernel would find it; false:
/// nobody has it.
using Neighbours = std::function<bool(const Gid& gid, Mac& mac)>;

class Machine : public ProgramExtension {
 public:
  /// Brings the devices up, which takes time, in a program. Throws driver::DeviceError.
  Machine(Core& core, AddressSpace& memory, const std::vector<driver::DevicePlace>& places,
          const VerbsConfig& config);
  /// What programs have left open is forgotten; their memory is mapped no longer.
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Beside link-local addresses made of a MAC address (EUI-64), which need no resolution.
  void set_neighbours(Neighbours neighbours) { neighbours_ = std::move(neighbours); }
  bool find_neighbour(const Gid& gid, Mac& mac) const;

  Core& core() { return core_; }
  AddressSpace& memory() { return memory_; }
  const VerbsConfig& config() const { return config_; }
  const std::vector<std::unique_ptr<DeviceObject>>& devices() const { return devices_; }
  /// The driver of a device.
  driver::Device& driver(unsigned device);

  /// Destroys what a program has left open, as a kernel does when a process ends. Takes time.
  void end_of_program();

  /// The calling program's. Null: it runs on none.
  static Machine* current();

 private:
  Core& core_;
  AddressSpace& memory_;
  VerbsConfig config_;
  Neighbours neighbours_;
  std::vector<std::unique_ptr<DeviceObject>> devices_;
  ExtensionScope scope_;
};

}  // namespace railyard::verbs
