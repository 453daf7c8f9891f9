#include "hw/congestion/lazy_clock.h"

#include <algorithm>

#include "rtl/model/cycles.h"

namespace railyard {

LazyClock::LazyClock(Partition& partition, const std::string& name, Time period,
                     const Blocks& blocks, Stepped& block)
    : partition_(partition),
      block_(block),
      period_(period),
      blocks_(blocks),
      edge_(Event::of<&LazyClock::edge>(*this, partition.endpoint(name + ".clock"), Phase::kClock)),
      show_(Event::of<&LazyClock::show>(*this, partition.endpoint(name + ".outputs"),
                                        Phase::kOutputs)) {
  edge_.set_background();
  partition.on_end([this](Time /*now*/) { run(); });
}

void LazyClock::start() {
  free_running_ = blocks_.free_running();
  live_ = free_running_ || blocks_.traces();
  if (live_) schedule_edge();
}

void LazyClock::schedule_edge() {
  if (!free_running_ && wanted_ == kNever) return;
  const std::uint64_t next = next_cycle();
  const Time at = time_of(free_running_ ? next : std::max(wanted_, next));
  if (at < edge_.time()) partition_.scheduler().schedule(edge_, at);
}

void LazyClock::edge() {
  const std::uint64_t now = cycle();
  if (free_running_ && executed_ != now) want(now);  // somebody may have asked at this very time
  run();
  schedule_edge();
}

std::uint64_t LazyClock::unwrap(std::uint64_t wrapped, std::uint64_t cycle) {
  const std::uint64_t ahead = (wrapped - cycle) & rtl::kTimeMask;
  const bool past = ahead >> (rtl::kTimeBits - 1) != 0;
  return past ? cycle - ((cycle - wrapped) & rtl::kTimeMask) : cycle + ahead;
}

void LazyClock::want_wake(std::uint64_t wake, std::uint64_t cycle) {
  want(std::max(unwrap(wake, cycle), cycle + 1));
}

void LazyClock::visit(std::uint64_t cycle) {
  visits_.push(cycle);
  if (!show_.pending()) partition_.scheduler().schedule(show_, time_of(cycle));
}

void LazyClock::show() {
  run();
  const std::uint64_t now = cycle();
  while (!visits_.empty() && visits_.front() <= now) visits_.pop();
  if (!visits_.empty()) partition_.scheduler().schedule(show_, time_of(visits_.front()));
  block_.visited();
}

}  // namespace railyard
