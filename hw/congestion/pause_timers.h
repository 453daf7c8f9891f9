// Reception of PFC and PAUSE: eight timers, one a priority (IEEE 802.1Qbb 36, IEEE 802.3 31B).
// Plain C++ on simulated times.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/net/frame.h"

namespace railyard {

class PauseTimers {
 public:
  static constexpr unsigned kPriorities = 8;
  static constexpr std::uint64_t kBytesAQuantum = 64;

  /// A quantum is 512 bit times of `rate`.
  explicit PauseTimers(Rate rate) : rate_(rate) {}

  /// Takes a PFC or PAUSE frame that arrived whole at `now`. PAUSE is for all priorities.
  void receive(const net::Frame& frame, Time now) {
    const net::MacControl& control = frame.mac_control;
    for (unsigned p = 0; p < kPriorities; ++p) {
      if (frame.is_pause()) {
        until_[p] = now + quanta_time(control.quanta[0]);
      } else if ((control.enable_vector >> p & 1U) != 0) {
        until_[p] = now + quanta_time(control.quanta[p]);
      }
    }
  }

  /// Nothing is paused.
  void forget() { until_ = {}; }

  bool paused(unsigned priority, Time now) const { return now < until_[priority]; }
  /// Bit n: priority n is paused. `first_end` becomes the end of a pause if it is earlier.
  std::uint8_t paused_at(Time now, Time& first_end) const {
    unsigned paused = 0;
    for (unsigned p = 0; p < kPriorities; ++p) {
      if (!this->paused(p, now)) continue;
      paused |= 1U << p;
      first_end = std::min(first_end, until_[p]);
    }
    return static_cast<std::uint8_t>(paused);
  }
  /// When the pause of `priority` ends, if it is not refreshed.
  Time until(unsigned priority) const { return until_[priority]; }

 private:
  Time quanta_time(std::uint16_t quanta) const { return rate_.time_of(kBytesAQuantum * quanta); }

  Rate rate_;
  std::array<Time, kPriorities> until_{};
};

}  // namespace railyard
