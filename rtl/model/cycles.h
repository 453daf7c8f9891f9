// Times in cycles of a block's clock, as wide as the RTL's: they wrap.
#pragma once

#include <cstdint>

namespace railyard::rtl {

constexpr unsigned kPriorities = 8;  // railyard_pkg::NumPrio
constexpr unsigned kTimeBits = 48;   // railyard_pkg::TimeWidth
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;

/// `a` is not earlier than `b`, if they are less than half of the range apart.
constexpr bool reached(std::uint64_t a, std::uint64_t b) {
  return ((a - b) >> (kTimeBits - 1) & 1U) == 0;
}

}  // namespace railyard::rtl
