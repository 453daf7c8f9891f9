// What an egress queue marks by, in the formats of ecn_marker (rtl/ecn), where the rule is told.
#pragma once

#include <cstdint>

#include "rtl/model/ecn_marker.h"

namespace railyard {

struct EcnRule {
  /// Of any depth, in bytes, at most so much is told to the block: a kmax is less.
  static constexpr std::uint64_t kDeepest = ~std::uint32_t{0};

  bool enabled = false;
  rtl::EcnCurve curve;        // depths in bytes
  bool drop_non_ect = false;  // what is hit and not ECT is dropped, not passed
};

}  // namespace railyard
