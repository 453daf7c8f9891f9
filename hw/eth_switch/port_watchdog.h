// The watchdog of a port in time: polls on the grid while there is something to watch.
#pragma once

#include <cstdint>
#include <string>

#include "hw/congestion/pfc_watchdog.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// What the watchdog sees of a port, and does to it.
class WatchedPort {
 public:
  virtual ~WatchedPort() = default;
  virtual PfcWatchdog::QueueView watchdog_view(unsigned priority) = 0;
  /// A pause of the priority is in effect, whether it is obeyed or not.
  virtual bool pause_stands(unsigned priority) = 0;
  virtual void storm(unsigned priority, WatchdogAction action) = 0;
  virtual void storm_over(unsigned priority) = 0;
};

class PortWatchdog {
 public:
  /// Watches the priorities of the mask `watched`.
  PortWatchdog(Partition& partition, const std::string& name, const WatchdogConfig& config,
               std::uint8_t watched, WatchedPort& port);

  /// A pause of the priority takes effect, or meets a frame in a queue that was empty.
  void blocked(unsigned priority);
  /// Bit n: priority n is in a storm.
  std::uint8_t storms() const { return watchdog_.storms(); }

 private:
  void poll();

  Partition& partition_;
  WatchdogConfig config_;
  std::uint8_t watched_;
  WatchedPort& port_;
  PfcWatchdog watchdog_;
  Event poll_;
};

}  // namespace railyard
