// How often a queue raises what it raises: at most once in a time, or after so many entries.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/base/time.h"

namespace railyard::nic {

/// 0 and 0: at once, each time. A count alone waits for that many entries, however long. The time
/// runs from what was raised last, so the first goes at once.
struct Moderation {
  Time time = 0;
  std::uint32_t count = 0;
  std::uint32_t since = 0;  // entries since it was raised
  bool raised_before = false;
  Time last = 0;

  /// When something that is due at `now` may be raised; kForever: not before more entries.
  Time due(Time now) const {
    if (time == 0 && count == 0) return now;
    if (count != 0 && since >= count) return now;
    if (time == 0) return kForever;
    return raised_before ? std::max(now, last + time) : now;
  }
  void raised(Time now) {
    since = 0;
    raised_before = true;
    last = now;
  }
};

}  // namespace railyard::nic
