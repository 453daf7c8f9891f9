// Simulated time as an integer. SystemC's resolution is set to 1 ps, so a Time is also the value
// of an sc_time; hot paths compute with it and never with double.
#pragma once

#include <cstdint>
#include <limits>

namespace railyard {

/// Simulated time or a duration, in picoseconds.
using Time = std::int64_t;

constexpr Time kPicosecond = 1;
constexpr Time kNanosecond = 1000 * kPicosecond;
constexpr Time kMicrosecond = 1000 * kNanosecond;
constexpr Time kMillisecond = 1000 * kMicrosecond;
constexpr Time kSecond = 1000 * kMillisecond;

/// Later than every time that a run can reach (106 days).
constexpr Time kForever = std::numeric_limits<Time>::max();

}  // namespace railyard
