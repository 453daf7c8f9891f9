// A pipeline stage in time: what goes in comes out `latency` later, and may go in `interval` after
// what went before it. Arithmetic, not events: a frame's way through the pipeline costs none.
#pragma once

#include <algorithm>

#include "hw/eth_switch/switch_config.h"
#include "tlm/base/time.h"

namespace railyard {

class Stage {
 public:
  Stage(const StageConfig& config, Time clock)
      : latency_(clock * static_cast<Time>(config.latency)),
        interval_(clock * static_cast<Time>(config.interval)) {}

  /// Something comes to the stage at `at`. Returns when it leaves.
  Time enter(Time at) { return book(at) + latency_; }
  /// The same, but returns when the stage takes it: first come, first served.
  Time book(Time at) {
    const Time begin = std::max(at, free_at_);
    free_at_ = begin + interval_;
    return begin;
  }
  Time latency() const { return latency_; }

 private:
  Time latency_;
  Time interval_;
  Time free_at_ = 0;
};

}  // namespace railyard
