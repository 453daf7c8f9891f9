// The PFC watchdog of a port: pfc_watchdog (rtl/pfc) between the port's queues and what is done
// about a storm. Its clock runs when a watched queue becomes blocked, is let go, sends or fills
// while it is watched, and at polls. Times are rounded to cycles: a detection or restoration time
// up, a poll down.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hw/congestion/block_clock.h"
#include "hw/congestion/blocks.h"
#include "hw/congestion/watchdog_config.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// What the watchdog sees of a port, and does to it. Bit n: priority n.
class WatchedPort {
 public:
  virtual ~WatchedPort() = default;
  /// A pause is in effect, whether it is obeyed or not.
  virtual std::uint8_t pauses_in_effect() const = 0;
  /// The egress queue holds a frame.
  virtual std::uint8_t occupied() const = 0;
  virtual void storm(unsigned priority, WatchdogAction action) = 0;
  virtual void storm_over(unsigned priority) = 0;
};

class PortWatchdog : private Clocked {
 public:
  /// Watches the priorities of the mask `watched`.
  PortWatchdog(Partition& partition, const std::string& name, const WatchdogConfig& config,
               Time clock, std::uint8_t watched, Blocks& blocks, WatchedPort& port);

  void start() {
    if (block_) clock_.start();
  }

  // Masks of priorities.
  /// Pauses have changed, or a queue that was empty has a frame.
  void look();
  /// Frames were taken out of their queues.
  void dequeued(std::uint8_t priorities) {
    if (out_.wake_valid) note(pulses_.dequeued, priorities);
  }
  /// A frame that pauses them has arrived.
  void xoff(std::uint8_t priorities) {
    if (out_.storm != 0) note(pulses_.xoff, priorities);
  }

  /// Bit n: priority n is in a storm.
  std::uint8_t storms() const { return out_.storm; }

 private:
  /// Since the latest edge. What comes while nothing is watched changes no register.
  struct Pulses {
    std::uint8_t dequeued = 0;
    std::uint8_t xoff = 0;
  };

  bool edge(std::uint64_t cycle) override;
  void show() override;
  void note(std::uint8_t& pulse, std::uint8_t priorities);

  Partition& partition_;
  WatchedPort& port_;
  Blocks& blocks_;
  std::string name_;
  WatchdogAction action_;
  std::uint64_t poll_;                       // cycles
  std::unique_ptr<rtl::PfcWatchdog> block_;  // none: nothing is watched
  rtl::PfcWatchdogIn in_;
  rtl::PfcWatchdogOut out_;
  Pulses pulses_;
  std::uint8_t shown_ = 0;
  BlockClock clock_;
};

}  // namespace railyard
