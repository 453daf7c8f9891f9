#include "hw/nic/line_turns.h"

#include <algorithm>

namespace railyard::nic {

namespace {

constexpr std::uint32_t bit(unsigned lane) { return 1U << lane; }

/// The first of `lanes` (not none) behind `last`, in a circle.
unsigned first_behind(std::uint32_t lanes, unsigned last) {
  const std::uint32_t behind = lanes & ~((bit(last) << 1) - 1);
  return static_cast<unsigned>(__builtin_ctz(behind != 0 ? behind : lanes));
}

}  // namespace

LineTurns::LineTurns(const std::vector<std::uint32_t>& weights)
    : weights_(weights),
      lanes_of_(weights.size()),
      served_(weights.size()),
      last_lane_(weights.size()) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::size_t cls = std::min<std::size_t>(priority_of(lane), weights.size() - 1);
    lanes_of_[cls] |= bit(lane);
  }
}

void LineTurns::set_head(unsigned lane, const Head& head) {
  heads_[lane] = head;
  const bool ahead = lane / kPriorities != kRequests && !head.payload;
  known_ = head.ready != kForever ? known_ | bit(lane) : known_ & ~bit(lane);
  ahead_ = ahead ? ahead_ | bit(lane) : ahead_ & ~bit(lane);
}

std::uint32_t LineTurns::ready_lanes(std::uint8_t may_send, Time now) const {
  std::uint32_t ready = 0;
  for (std::uint32_t left = known_ & may_send * 0x010101U; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    if (heads_[lane].ready <= now) ready |= bit(lane);
  }
  return ready;
}

unsigned LineTurns::next(std::uint8_t may_send, Time now) {
  const std::uint32_t ready = ready_lanes(may_send, now);
  if (ready == 0) return kNone;
  if ((ready & ahead_) != 0) {
    last_ahead_ = first_behind(ready & ahead_, last_ahead_);
    return last_ahead_;
  }
  const unsigned cls = next_class(ready);
  const unsigned lane = first_behind(ready & lanes_of_[cls], last_lane_[cls]);
  constexpr std::uint64_t kUnit = 1 << 16;  // so that the quotient is fine enough
  floor_ = place(cls);
  served_[cls] = floor_ + heads_[lane].bytes * kUnit / weights_[cls];
  last_lane_[cls] = lane;
  last_class_ = cls;
  return lane;
}

std::uint64_t LineTurns::place(unsigned cls) const { return std::max(served_[cls], floor_); }

// Of equals the one behind the last.
unsigned LineTurns::next_class(std::uint32_t ready) const {
  const auto classes = static_cast<unsigned>(weights_.size());
  unsigned best = classes;
  for (unsigned i = 1; i <= classes; ++i) {
    const unsigned cls = (last_class_ + i) % classes;
    if ((ready & lanes_of_[cls]) == 0) continue;
    if (best == classes || place(cls) < place(best)) best = cls;
  }
  return best;
}

std::uint8_t LineTurns::waiting(Time now) const {
  const std::uint32_t ready = ready_lanes(0xFF, now);
  return static_cast<std::uint8_t>(ready | ready >> kPriorities | ready >> 2 * kPriorities);
}

Time LineTurns::next_ready(Time now) const {
  Time first = kForever;
  for (std::uint32_t left = known_; left != 0; left &= left - 1) {
    const Time ready = heads_[__builtin_ctz(left)].ready;
    if (ready > now) first = std::min(first, ready);
  }
  return first;
}

}  // namespace railyard::nic
