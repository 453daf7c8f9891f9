// Sketch: the interface that clients of the controller may rely on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/hbm/access.h"
#include "hw/hbm/address_map.h"
#include "hw/hbm/command.h"
#include "hw/hbm/hbm_config.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm {

class Controller {
 public:
  /// `name` is hierarchical; metrics, probes and endpoints stand below it.
  Controller(const std::string& name, Partition& partition, const HbmConfig& config);
  ~Controller();

  const HbmConfig& config() const;
  const AddressMap& map() const;
  std::uint64_t capacity() const;

  /// Takes an access, whose range lies within the capacity; calls its client later. Any number may
  /// be under way.
  void access(Access& access);

  /// Told of each command from now on; before the run.
  void add_listener(CommandListener& listener);
  /// Brings all channels up to now: for who reads listeners' state or counters in a run.
  void catch_up();

  /// Of a tick, the time rounded up to the picosecond.
  Time time_of(Tick tick) const;
  /// Commands of a kind so far, of the whole device, as of the last catch_up().
  std::uint64_t commands(Command command) const;
  /// Ticks in which a channel (of the device) had anything to do, and ticks of data, all its
  /// pseudo-channels together.
  std::uint64_t accesses_done() const;
};

}  // namespace railyard::hbm
