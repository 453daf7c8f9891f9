// When a run that goes on saves what it has so far: a second after the last time, and so that
// saving takes a twentieth of the time at most, be a report as large, or a machine as busy, as it
// may.
#pragma once

#include <algorithm>
#include <chrono>

namespace railyard {

class SaveTimes {
 public:
  using Clock = std::chrono::steady_clock;

  explicit SaveTimes(Clock::time_point start) : next_(start + kLeast) {}

  bool due(Clock::time_point now) const { return now >= next_; }
  void saved(Clock::time_point from, Clock::time_point until) {
    next_ = until + std::max<Clock::duration>(kLeast, kRatio * (until - from));
  }

 private:
  static constexpr std::chrono::seconds kLeast{1};
  static constexpr int kRatio = 19;

  Clock::time_point next_;
};

}  // namespace railyard
