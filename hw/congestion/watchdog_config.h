// Parameters of the PFC watchdog: the keys of the group `watchdog`. Source: SONiC, PFC Watchdog
// design (github.com/sonic-net/SONiC/wiki/PFC-Watchdog), whose ranges are 100 to 5000 ms.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard {

/// What is done about a storm.
enum class WatchdogAction : std::uint8_t {
  kDrop,     // frames of the queue, and new ones for it, are discarded
  kForward,  // the queue sends though it is paused
  kAlert,    // told, nothing else
  kRetrain,  // the link is taken down and comes up again
};

struct WatchdogConfig {
  bool enabled = false;
  Time detection = 200 * kMillisecond;
  Time restoration = 200 * kMillisecond;
  Time poll = 200 * kMillisecond;
  WatchdogAction action = WatchdogAction::kDrop;
  Time retrain_time = 10 * kMillisecond;

  void declare(Parameters& p);
};

}  // namespace railyard
