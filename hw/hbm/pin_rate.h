// The data rate of one pin: a whole number of bits a second, written like other rates.
#pragma once

#include <cstdint>
#include <string>

#include "tlm/config/parameters.h"

namespace railyard::hbm {

/// An integer of bits a second, in all but how it is written.
struct PinRate {
  constexpr PinRate(std::uint64_t bits) : value(bits) {}      // NOLINT(google-explicit-constructor)
  constexpr operator std::uint64_t() const { return value; }  // NOLINT(google-explicit-constructor)
  std::uint64_t value;                                        // bits a second
};

}  // namespace railyard::hbm

namespace railyard {

/// Written "5.2375Gbps".
template <>
struct ScalarType<hbm::PinRate> {
  static constexpr bool kText = true;
  static std::string name() { return "rate"; }
  static std::string example() { return "6.4Gbps"; }
  static hbm::PinRate parse(const std::string& text);
  static std::string format(hbm::PinRate value);
};

}  // namespace railyard
