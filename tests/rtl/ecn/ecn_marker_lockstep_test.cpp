// ecn_marker: twin and RTL, and how often it marks.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rtl/model/ecn_marker.h"
#include "rtl/verilated/ecn_marker.h"
#include "tests/rtl/lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::EcnCurve;
using rtl::EcnDecision;
using rtl::EcnMarkerIn;
using test::Stimulus;

// Requests in every cycle or rarely, depths that walk round their thresholds or are any; now and
// then registers that no formula made.
struct Random {
  explicit Random(std::uint64_t seed) : stimulus(seed) { change_registers(); }

  void change_registers() {
    in.enable = !stimulus.once_in(8);
    in.drop_non_ect = stimulus.once_in(2);
    const auto a = static_cast<std::uint32_t>(stimulus.corner(32));
    const auto b = static_cast<std::uint32_t>(stimulus.corner(32));
    const auto pmax = static_cast<std::uint32_t>(
        stimulus.once_in(4) ? EcnCurve::kOne : stimulus.corner(EcnCurve::kProbabilityBits));
    in.curve = EcnCurve::of(std::min(a, b), std::max(a, b), pmax);
    if (stimulus.once_in(8)) {
      in.curve.slope = stimulus.bits<std::uint32_t>(25);
      in.curve.shift = stimulus.bits<std::uint8_t>(5);
    }
    gap = stimulus.once_in(2) ? 1 : std::uint64_t{1} << stimulus.below(8);
  }
  std::uint32_t depth() {
    switch (stimulus.below(4)) {
      case 0:
        return in.curve.kmin + static_cast<std::uint32_t>(stimulus.below(5)) - 2;
      case 1:
        return in.curve.kmax + static_cast<std::uint32_t>(stimulus.below(5)) - 2;
      case 2:
        return in.curve.kmin + static_cast<std::uint32_t>(stimulus.below(
                                   std::uint64_t{in.curve.kmax} - in.curve.kmin + 1));
      default:
        return static_cast<std::uint32_t>(stimulus.corner(32));
    }
  }
  const EcnMarkerIn& next() {
    if (stimulus.once_in(5'000)) change_registers();
    in.seed_valid = stimulus.once_in(3'000);
    if (in.seed_valid) in.seed = stimulus.corner(64);
    in.req_valid = stimulus.once_in(gap);
    in.req_depth = depth();
    in.req_ecn = stimulus.bits<std::uint8_t>(2);
    return in;
  }

  Stimulus stimulus;
  EcnMarkerIn in;
  std::uint64_t gap = 1;
};

using Bench = test::Lockstep<rtl::EcnMarkerModel, rtl::EcnMarkerRtl>;

TEST(EcnMarkerLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  Bench bench("ecn_marker");
  Random random(1);
  for (std::uint64_t n = test::lockstep_cycles(); n != 0; --n) {
    if (random.stimulus.once_in(50'000) && !bench.reset()) return;
    if (!bench.step(random.next())) return;
  }
}

// The decisions of `count` requests, one a cycle.
std::vector<EcnDecision> decisions(Bench& bench, EcnMarkerIn in, unsigned count) {
  std::vector<EcnDecision> all;
  all.reserve(count);
  for (unsigned n = 0; n < count + rtl::EcnMarker::kLatency - 1; ++n) {
    in.req_valid = n < count;
    if (!bench.step(in)) break;
    if (bench.last().dec_valid) all.push_back(bench.last().dec);
  }
  EXPECT_EQ(all.size(), count);
  return all;
}

EcnMarkerIn reference_curve(double pmax) {
  EcnMarkerIn in;
  in.enable = true;
  in.curve = EcnCurve::of(5'000, 200'000, static_cast<std::uint32_t>(pmax * EcnCurve::kOne));
  in.req_ecn = 2;
  return in;
}

// Twenty depths on the slope, at the pmax of the DCQCN paper, of the HPCC simulator and of a
// switch.
TEST(EcnMarkerLockstep, MarksAsOftenAsTheCurveSaysWithinThreeSigma) {
  constexpr unsigned kRequests = 100'000;
  Bench bench("ecn_marker");
  for (const double pmax : {0.01, 0.2, 1.0}) {
    EcnMarkerIn in = reference_curve(pmax);
    for (unsigned i = 1; i <= 20; ++i) {
      in.req_depth = 5'000 + i * 195'000 / 20;
      const double p = pmax * i / 20;
      unsigned marks = 0;
      for (const EcnDecision d : decisions(bench, in, kRequests)) {
        if (d == EcnDecision::kMark) ++marks;
      }
      const double sigma = std::sqrt(kRequests * p * (1 - p));
      EXPECT_NEAR(marks, kRequests * p, 3 * sigma + 1) << "depth " << in.req_depth;
    }
  }
}

// A mark tells nothing of the next eight requests.
TEST(EcnMarkerLockstep, MarksDoNotComeInPairs) {
  constexpr unsigned kRequests = 1'000'000;
  Bench bench("ecn_marker");
  EcnMarkerIn in = reference_curve(0.02);
  in.req_depth = 102'500;
  const std::vector<EcnDecision> all = decisions(bench, in, kRequests);
  ASSERT_EQ(all.size(), kRequests);
  for (unsigned lag = 1; lag <= 8; ++lag) {
    unsigned pairs = 0;
    for (unsigned n = lag; n < kRequests; ++n) {
      if (all[n] == EcnDecision::kMark && all[n - lag] == EcnDecision::kMark) ++pairs;
    }
    EXPECT_NEAR(pairs, 100, 40) << "lag " << lag;  // 0.01^2 of 10^6, four sigma
  }
}

TEST(EcnMarkerLockstep, AThresholdItselfIsNotAbove) {
  Bench bench("ecn_marker");
  EcnMarkerIn in = reference_curve(0);
  const auto marks = [&](std::uint32_t depth) {
    in.req_depth = depth;
    return decisions(bench, in, 1).at(0) == EcnDecision::kMark;
  };
  EXPECT_FALSE(marks(5'000));
  EXPECT_FALSE(marks(200'000));
  EXPECT_TRUE(marks(200'001));
  in.curve = EcnCurve::of(5'000, 5'000, EcnCurve::kOne);  // a step
  EXPECT_FALSE(marks(5'000));
  EXPECT_TRUE(marks(5'001));
  in.curve = EcnCurve::of(5'000, 200'000, EcnCurve::kOne);
  EXPECT_FALSE(marks(5'000));
  EXPECT_TRUE(marks(200'000));
  in.enable = false;
  EXPECT_FALSE(marks(200'001));
}

TEST(EcnMarkerLockstep, WhatAFrameIsDecidesWhatAHitDoes) {
  using D = EcnDecision;
  Bench bench("ecn_marker");
  EcnMarkerIn in = reference_curve(1);
  in.req_depth = 300'000;
  for (const bool drop : {false, true}) {
    in.drop_non_ect = drop;
    const std::array<D, 4> want{drop ? D::kDrop : D::kPass, D::kMark, D::kMark, D::kPass};
    for (unsigned ecn = 0; ecn < 4; ++ecn) {
      in.req_ecn = static_cast<std::uint8_t>(ecn);
      EXPECT_EQ(decisions(bench, in, 1).at(0), want[ecn]) << ecn;
    }
  }
}

// The random numbers of a run depend on its seed and on how many requests came, not on when.
TEST(EcnMarkerLockstep, PausesBetweenRequestsChangeNoDecision) {
  EcnMarkerIn in = reference_curve(0.5);
  in.req_depth = 150'000;
  std::array<std::vector<EcnDecision>, 2> runs;
  for (unsigned gaps = 0; gaps < 2; ++gaps) {
    Bench bench("ecn_marker");
    for (unsigned n = 0; n < 2'000; ++n) {
      in.seed_valid = n == 0;
      in.seed = 42;
      in.req_valid = n != 0 && (gaps == 0 || n % 3 == 0);
      ASSERT_TRUE(bench.step(in));
      if (bench.last().dec_valid) runs[gaps].push_back(bench.last().dec);
    }
  }
  runs[0].resize(runs[1].size());
  EXPECT_GT(runs[1].size(), 600U);
  EXPECT_EQ(runs[0], runs[1]);
}

}  // namespace
}  // namespace railyard
