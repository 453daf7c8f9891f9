#include "hw/eth_switch/port_watchdog.h"

#include <algorithm>

namespace railyard {

PortWatchdog::PortWatchdog(Partition& partition, const std::string& name,
                           const WatchdogConfig& config, Time clock, std::uint8_t watched,
                           Blocks& blocks, WatchedPort& port)
    : partition_(partition),
      port_(port),
      blocks_(blocks),
      name_(name + ".pfc_watchdog"),
      action_(config.action),
      poll_(static_cast<std::uint64_t>(std::max<Time>(1, config.poll / clock))),
      clock_(partition, name_, clock, blocks.free_running(), *this) {
  if (!config.enabled || watched == 0) return;
  block_ = blocks.pfc_watchdog(name_);
  const auto cycles = [clock](Time time) {
    return static_cast<std::uint64_t>((time + clock - 1) / clock);
  };
  // An onset is seen by the next edge: without that cycle less, one just before a poll would be a
  // whole poll late.
  in_.detection = cycles(config.detection) - 1;
  in_.restoration = cycles(config.restoration);
  in_.forgiven = poll_ / 100;
  in_.enable = watched;
}

void PortWatchdog::look() {
  if (!block_) return;
  const unsigned blocked = port_.pauses_in_effect() & port_.occupied() & in_.enable;
  if (out_.wake_valid || blocked != 0) clock_.request();
}

void PortWatchdog::note(std::uint8_t& pulse, std::uint8_t priorities) {
  pulse |= priorities;
  clock_.request();
}

bool PortWatchdog::edge(std::uint64_t cycle) {
  const std::uint64_t poll_at = (cycle + poll_ - 1) / poll_ * poll_;
  in_.now = cycle & rtl::kTimeMask;
  in_.poll_at = poll_at & rtl::kTimeMask;
  in_.paused = port_.pauses_in_effect();
  in_.occupied = port_.occupied();
  in_.dequeued = pulses_.dequeued;
  in_.xoff = pulses_.xoff;
  pulses_ = {};
  out_ = blocks_.clock(*block_, BlockKind::kPfcWatchdog, name_, in_, partition_.now());
  if (out_.wake_valid) clock_.request_at(cycle < poll_at ? poll_at : poll_at + poll_);
  return out_.storm != shown_;
}

void PortWatchdog::show() {
  const unsigned changed = out_.storm ^ shown_;
  shown_ = out_.storm;
  for (unsigned left = changed; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    if ((out_.storm >> p & 1U) != 0) {
      port_.storm(p, action_);
    } else {
      port_.storm_over(p);
    }
  }
}

}  // namespace railyard
