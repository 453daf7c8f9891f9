#include "hw/congestion/block_clock.h"

#include <algorithm>

namespace railyard {

BlockClock::BlockClock(Partition& partition, const std::string& name, Time period,
                       bool free_running, Clocked& clocked)
    : partition_(partition),
      clocked_(clocked),
      period_(period),
      edge_(
          Event::of<&BlockClock::tick>(*this, partition.endpoint(name + ".clock"), Phase::kClock)),
      show_(Event::of<&BlockClock::show>(*this, partition.endpoint(name + ".outputs"),
                                         Phase::kOutputs)) {
  if (!free_running) return;
  edge_.set_background();
  // NOLINTNEXTLINE(modernize-make-unique): an Event cannot be moved
  hold_.reset(new Event(Event::of<&BlockClock::hold>(*this, partition.endpoint(name + ".requested"),
                                                     Phase::kOutputs)));
}

void BlockClock::start() {
  if (hold_) partition_.scheduler().schedule(edge_, time_of(next_cycle()));
}

void BlockClock::request_at(std::uint64_t cycle) {
  const Time at = time_of(std::max(cycle, next_cycle()));
  Event& event = hold_ ? *hold_ : edge_;
  if (at < event.time()) partition_.scheduler().schedule(event, at);
}

void BlockClock::request_wake(std::uint64_t wake, std::uint64_t cycle) {
  const std::uint64_t ahead = (wake - cycle) & rtl::kTimeMask;
  const bool past = ahead >> (rtl::kTimeBits - 1) != 0;
  request_at(past ? cycle + 1 : cycle + ahead);
}

void BlockClock::tick() {
  const Time now = partition_.now();
  if (hold_) partition_.scheduler().schedule(edge_, now + period_);
  if (clocked_.edge(cycle_at(now))) partition_.scheduler().schedule(show_, now);
}

}  // namespace railyard
