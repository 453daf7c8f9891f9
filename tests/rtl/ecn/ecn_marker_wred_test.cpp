// ecn_marker beside the WRED of the switch model, whose rule it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "hw/eth_switch/wred.h"
#include "rtl/model/ecn_marker.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using net::Ecn;
using rtl::EcnCurve;
using rtl::EcnDecision;

EcnDecision decided(rtl::EcnMarkerModel& block, rtl::EcnMarkerIn in) {
  in.req_valid = true;
  rtl::EcnMarkerOut out = block.clock(in);
  in.req_valid = false;
  while (!out.dec_valid) out = block.clock(in);
  return out.dec;
}

EcnDecision as_decision(WredVerdict verdict) {
  if (verdict == WredVerdict::kMark) return EcnDecision::kMark;
  return verdict == WredVerdict::kDrop ? EcnDecision::kDrop : EcnDecision::kPass;
}

struct Both {
  WredConfig config;
  rtl::EcnMarkerIn in;
  rtl::EcnMarkerModel block;

  void set(std::uint32_t kmin, std::uint32_t kmax, double pmax) {
    config.kmin = kmin;
    config.kmax = kmax;
    config.pmax = pmax;
    in.enable = config.enabled;
    in.drop_non_ect = config.drop_non_ect;
    in.curve = EcnCurve::of(kmin, kmax, static_cast<std::uint32_t>(pmax * EcnCurve::kOne));
  }
};

// Where chance plays no part: pmax of 0, and of 1 at kmax, and thresholds that are equal.
TEST(EcnMarkerWred, TheVerdictsAreThoseOfTheSwitch) {
  test::Stimulus stimulus(1);
  RandomStream random(1, "wred");
  Both both;
  unsigned hits = 0;
  for (unsigned n = 0; n < 200'000; ++n) {
    both.config.enabled = !stimulus.once_in(8);
    both.config.drop_non_ect = stimulus.once_in(2);
    const auto a = static_cast<std::uint32_t>(stimulus.corner(32));
    const auto b = stimulus.once_in(4) ? a : static_cast<std::uint32_t>(stimulus.corner(32));
    const bool certain = stimulus.once_in(2);
    both.set(std::min(a, b), std::max(a, b), certain ? 1 : 0);
    std::uint32_t depth = static_cast<std::uint32_t>(stimulus.corner(32));
    if (stimulus.once_in(2)) depth = stimulus.once_in(2) ? a : b;
    if (stimulus.once_in(4) && depth != ~0U) ++depth;
    if (certain && depth > both.in.curve.kmin && depth < both.in.curve.kmax) continue;
    both.in.req_depth = depth;
    both.in.req_ecn = stimulus.bits<std::uint8_t>(2);
    const WredVerdict want =
        Wred(both.config).judge(depth, static_cast<Ecn>(both.in.req_ecn), random);
    ASSERT_EQ(decided(both.block, both.in), as_decision(want))
        << both.in.curve.kmin << " " << both.in.curve.kmax << " " << depth << " "
        << int{both.in.req_ecn};
    if (want != WredVerdict::kPass) ++hits;
  }
  EXPECT_GT(hits, 10'000U);
}

// On the slope: as often as the switch, within three sigma of the difference.
TEST(EcnMarkerWred, OnTheSlopeItMarksAsOftenAsTheSwitch) {
  constexpr unsigned kRequests = 100'000;
  RandomStream random(2, "wred");
  Both both;
  for (const double pmax : {0.01, 0.2, 1.0}) {
    both.set(150'000, 1'430'000, pmax);
    const Wred wred(both.config);
    for (std::uint32_t depth = 200'000; depth < 1'430'000; depth += 205'000) {
      both.in.req_depth = depth;
      both.in.req_ecn = 2;
      double block = 0;
      double model = 0;
      for (unsigned n = 0; n < kRequests; ++n) {
        block += decided(both.block, both.in) == EcnDecision::kMark ? 1 : 0;
        model += wred.judge(depth, Ecn::kEct0, random) == WredVerdict::kMark ? 1 : 0;
      }
      const double p = pmax * (depth - 150'000) / 1'280'000;
      EXPECT_NEAR(block, model, 3 * std::sqrt(2 * kRequests * p * (1 - p)) + 1) << depth;
    }
  }
}

}  // namespace
}  // namespace railyard
