#include "hw/congestion/ecn_marking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using net::Ecn;
using rtl::EcnCurve;
using rtl::EcnDecision;

constexpr Bytes kMost = 4'000'000'000;

EcnRule rule_of(std::uint32_t kmin, std::uint32_t kmax, double pmax = 1) {
  return {true, EcnCurve::of(kmin, kmax, static_cast<std::uint32_t>(pmax * EcnCurve::kOne)), false};
}

/// A port's marker.
struct Marker {
  explicit Marker(std::uint64_t seed = 1) : block("port", RandomStream(seed, "marks"), twins) {}
  EcnDecision judge(const EcnRule& rule, std::uint64_t depth, Ecn ecn = Ecn::kEct0) {
    return block.judge(rule, depth, ecn, 0);
  }
  std::uint64_t cycles() const { return twins.cycles(BlockKind::kEcnMarker); }

  Blocks twins;
  EcnMarking block;
};

/// The law where chance plays no part: off the slope, and on it with a pmax of 0, or 1 at kmax.
EcnDecision law(const EcnRule& rule, std::uint64_t depth, Ecn ecn) {
  const bool hit = rule.enabled && depth > rule.curve.kmin &&
                   (depth > rule.curve.kmax || rule.curve.pmax == EcnCurve::kOne);
  if (!hit || ecn == Ecn::kCe) return EcnDecision::kPass;
  if (ecn != Ecn::kNotEct) return EcnDecision::kMark;
  return rule.drop_non_ect ? EcnDecision::kDrop : EcnDecision::kPass;
}

TEST(EcnMarking, DecidesByTheLawWhereverChancePlaysNoPart) {
  test::Stimulus stimulus(1);
  Marker marker;
  unsigned hits = 0;
  for (unsigned n = 0; n < 200'000; ++n) {
    const auto any = [&] {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(stimulus.corner(32), kMost));
    };
    const std::uint32_t a = any();
    const std::uint32_t b = stimulus.once_in(4) ? a : any();
    const bool certain = stimulus.once_in(2);
    EcnRule rule = rule_of(std::min(a, b), std::max(a, b), certain ? 1 : 0);
    rule.enabled = !stimulus.once_in(8);
    rule.drop_non_ect = stimulus.once_in(2);
    std::uint64_t depth = stimulus.corner(40);
    if (stimulus.once_in(2)) depth = stimulus.once_in(2) ? a : b;
    if (stimulus.once_in(4)) ++depth;
    if (certain && depth > rule.curve.kmin && depth < rule.curve.kmax) continue;
    const auto ecn = static_cast<Ecn>(stimulus.below(4));
    const EcnDecision want = law(rule, depth, ecn);
    ASSERT_EQ(marker.judge(rule, depth, ecn), want)
        << rule.curve.kmin << ' ' << rule.curve.kmax << ' ' << depth << ' ' << int(ecn);
    if (want != EcnDecision::kPass) ++hits;
  }
  EXPECT_GT(hits, 10'000U);
}

TEST(EcnMarking, AsksOnlyWhereAFrameCanBeHit) {
  Marker marker;
  EcnRule rule = rule_of(1000, 2000);
  marker.judge(rule, 0);
  marker.judge(rule, 1000);
  EXPECT_EQ(marker.cycles(), 0U) << "the seed is no cycle of the run";
  marker.judge(rule, 1001);
  EXPECT_EQ(marker.cycles(), 1U + rtl::EcnMarker::kLatency);
  marker.judge(rule, 2001);
  EXPECT_EQ(marker.cycles(), 2 * (1U + rtl::EcnMarker::kLatency));
  rule.enabled = false;
  marker.judge(rule, 2001);
  EXPECT_EQ(marker.cycles(), 2 * (1U + rtl::EcnMarker::kLatency));
}

std::vector<EcnDecision> decisions(std::uint64_t seed, bool with_frames_at_kmin) {
  Marker marker(seed);
  const EcnRule rule = rule_of(1000, 2000);
  std::vector<EcnDecision> all;
  for (unsigned n = 0; n < 1000; ++n) {
    if (with_frames_at_kmin) marker.judge(rule, 1000);
    all.push_back(marker.judge(rule, 1500));
  }
  return all;
}

TEST(EcnMarking, TheSeedAndTheRequestsGiveTheMarks) {
  EXPECT_EQ(decisions(1, false), decisions(1, true));
  EXPECT_NE(decisions(1, false), decisions(2, false));
}

// Hardware would not wait for one decision before it makes the next request.
TEST(EcnMarking, RequestsOneACycleWouldBeDecidedAlike) {
  Marker marker;
  rtl::EcnMarkerModel pipelined;
  rtl::EcnMarkerIn in;
  in.seed_valid = true;
  in.seed = RandomStream(1, "marks").next();
  pipelined.clock(in);
  in = {};
  const EcnRule rule = rule_of(1000, 2000, 0.5);
  in.enable = true;
  in.curve = rule.curve;
  in.req_ecn = 2;
  std::vector<EcnDecision> one_by_one;
  std::vector<EcnDecision> streamed;
  for (std::uint32_t depth = 1001; depth < 2100; ++depth) {
    one_by_one.push_back(marker.judge(rule, depth));
    in.req_valid = true;
    in.req_depth = depth;
    const rtl::EcnMarkerOut out = pipelined.clock(in);
    if (out.dec_valid) streamed.push_back(out.dec);
  }
  EXPECT_GT(std::count(streamed.begin(), streamed.end(), EcnDecision::kMark), 200);
  one_by_one.resize(streamed.size());
  EXPECT_EQ(streamed, one_by_one);
}

// Each queue of the port has its own curve, and all draw from one block.
TEST(EcnMarking, AQueuesCurveIsInForceFromItsRequestToItsDecision) {
  Marker marker;
  const EcnRule certain = rule_of(0, 10);
  const EcnRule never = rule_of(0, 10, 0);
  for (unsigned n = 0; n < 100; ++n) {
    EXPECT_EQ(marker.judge(certain, 10), EcnDecision::kMark);
    EXPECT_EQ(marker.judge(never, 10), EcnDecision::kPass);
  }
}

}  // namespace
}  // namespace railyard
