// The referee itself: closed forms of DCQCN, and each rule of it.
#include "tests/rtl/dcqcn/dcqcn_reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace railyard {
namespace {

using test::DcqcnParameters;
using test::DcqcnReference;

// No timer of the rate and no byte counter within a test.
DcqcnParameters without_increase() {
  DcqcnParameters p;
  p.rate_period = 1e9;
  p.byte_reset = 1e18;
  return p;
}

TEST(DcqcnReference, AlphaHalvesInTheTimeOfTheClosedForm) {
  for (const bool hardware : {false, true}) {
    DcqcnParameters p = hardware ? DcqcnParameters::hardware(100'000) : DcqcnParameters();
    DcqcnReference qp(p, 0);
    qp.cnp(0);
    const double half_life = std::log(2.0) / -std::log(1 - p.g) * p.alpha_period;
    EXPECT_NEAR(half_life, hardware ? 141.6 : 9740, 0.001 * half_life);
    const double before = qp.alpha();
    qp.advance(half_life);
    EXPECT_NEAR(qp.alpha() / before, 0.5, 0.005);
  }
}

TEST(DcqcnReference, TheFloorIsReachedAtTheCnpOfTheClosedForm) {
  const struct {
    double line;
    int number;
  } cases[] = {{40'000, 9}, {100'000, 10}, {400'000, 12}};
  for (const auto& c : cases) {
    DcqcnParameters p;
    p.line = c.line;
    DcqcnReference qp(p, 0);
    int number = 0;
    while (qp.rate() > p.min_rate && number < 100) qp.cnp(50 * ++number);
    EXPECT_EQ(number, c.number);
    EXPECT_EQ(number, std::ceil(std::log2(p.line / p.min_rate)));
    EXPECT_DOUBLE_EQ(qp.alpha(), 1);
  }
}

TEST(DcqcnReference, FastRecoveryHasFHalvingsOrOneLess) {
  for (const bool fewer : {false, true}) {
    DcqcnParameters p;
    p.byte_reset = 1e18;
    p.fewer_halvings = fewer;
    DcqcnReference qp(p, 0);
    qp.cnp(0);
    ASSERT_DOUBLE_EQ(qp.rate(), 50'000);
    const int halvings = fewer ? 4 : 5;
    for (int n = 1; n <= halvings; ++n) {
      qp.advance(55 * n);
      EXPECT_DOUBLE_EQ(qp.target(), 100'000);
      EXPECT_DOUBLE_EQ(qp.rate(), 100'000 - 50'000 * std::ldexp(1, -n));
    }
    qp.advance(55 * (halvings + 1));
    EXPECT_DOUBLE_EQ(qp.target(), 100'040);
    EXPECT_DOUBLE_EQ(qp.rate(), (100'040 + 100'000 - 50'000 * std::ldexp(1, -halvings)) / 2);
  }
}

TEST(DcqcnReference, OnlyBothStagesBeyondFAreHyperIncrease) {
  DcqcnParameters p;
  p.line = 400'000;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  for (int n = 1; n <= 8; ++n) qp.transmit(1e-3 * n, 10e6);
  EXPECT_EQ(qp.byte_stage(), 8U);
  EXPECT_DOUBLE_EQ(qp.target(), 400'000 + 3 * 40);  // 6, 7, 8: the timer's stage is 0
  qp.advance(55 * 5);
  EXPECT_DOUBLE_EQ(qp.target(), 400'000 + 8 * 40);  // 1 to 5 of the timer
  qp.advance(55 * 7);
  EXPECT_DOUBLE_EQ(qp.target(), 400'000 + 8 * 40 + 200 * (1 + 2));
  qp.advance(55 * 10);
  EXPECT_DOUBLE_EQ(qp.target(), 400'000 + 8 * 40 + 200 * (1 + 2 + 3 + 3 + 3));
}

TEST(DcqcnReference, ACnpRestartsTimersAndCounters) {
  DcqcnParameters p;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  qp.advance(54);
  qp.transmit(54, 9e6);
  qp.cnp(54);
  const double rate = qp.rate();
  const double alpha = qp.alpha();
  qp.transmit(108, 9e6);
  EXPECT_EQ(qp.byte_stage(), 0U);
  EXPECT_EQ(qp.rate(), rate);
  EXPECT_EQ(qp.alpha(), alpha);
  qp.transmit(109, 3e6);
  EXPECT_EQ(qp.byte_stage(), 1U);
  EXPECT_EQ(qp.time_stage(), 1U);
  EXPECT_DOUBLE_EQ(qp.alpha(), alpha * 255 / 256);
  qp.transmit(109, 8e6);  // with the 2 MB left over
  EXPECT_EQ(qp.byte_stage(), 2U);
}

TEST(DcqcnReference, NothingRunsBeforeTheFirstCnp) {
  DcqcnParameters p;
  p.initial_alpha = 0.5;
  DcqcnReference qp(p, 0);
  qp.transmit(1, 1e9);
  EXPECT_EQ(qp.alpha(), 0.5);
  EXPECT_EQ(qp.rate(), p.line);
  EXPECT_EQ(qp.byte_stage() + qp.time_stage(), 0U);
  qp.cnp(2);
  EXPECT_DOUBLE_EQ(qp.rate(), 75'000);
  EXPECT_DOUBLE_EQ(qp.alpha(), 0.5 * 255 / 256 + 1.0 / 256);
}

TEST(DcqcnReference, TheFirstCnpMayJumpToARate) {
  DcqcnParameters p = without_increase();
  p.first_cnp_rate = 20'000;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  EXPECT_EQ(qp.rate(), 20'000);
  EXPECT_EQ(qp.target(), 100'000);
  qp.cnp(10);
  EXPECT_EQ(qp.rate(), 10'000);
}

TEST(DcqcnReference, TheTargetIsClampedByItsRule) {
  // {rp_clamp_tgt_rate, ..._ati, what raised the rate}: whether a CNP sets R_T = R_C.
  enum class By { kNothing, kTime, kBytes };
  const struct {
    bool clamp;
    bool ati;
    By by;
    bool clamped;
  } cases[] = {
      {true, false, By::kNothing, true},   {true, true, By::kTime, true},
      {false, false, By::kNothing, false}, {false, false, By::kTime, false},
      {false, false, By::kBytes, true},    {false, true, By::kNothing, false},
      {false, true, By::kTime, true},      {false, true, By::kBytes, true},
  };
  for (const auto& c : cases) {
    DcqcnParameters p;
    p.clamp_target = c.clamp;
    p.clamp_target_ati = c.ati;
    DcqcnReference qp(p, 0);
    qp.cnp(0);
    if (c.by == By::kTime) qp.advance(55);
    if (c.by == By::kBytes) qp.transmit(1, 10e6);
    const double rate = qp.rate();
    qp.cnp(56 - (c.by == By::kTime ? 0 : 10));
    EXPECT_EQ(qp.target(), c.clamped ? rate : 100'000);
    EXPECT_LT(qp.rate(), rate);
  }
}

TEST(DcqcnReference, ACutLeavesMinDecFac) {
  DcqcnParameters p = without_increase();
  p.min_dec_fac = 0.8;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  EXPECT_DOUBLE_EQ(qp.rate(), 80'000);
}

TEST(DcqcnReference, GdScalesTheCut) {
  DcqcnParameters p = without_increase();
  p.gd = 12;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  EXPECT_DOUBLE_EQ(qp.rate(), 75'000);
  p.gd = 10;
  DcqcnReference whole(p, 0);
  whole.cnp(0);
  EXPECT_DOUBLE_EQ(whole.rate(), p.min_rate);
}

TEST(DcqcnReference, TheOrdersDifferByOneGain) {
  DcqcnParameters p = without_increase();
  p.initial_alpha = 0.25;
  DcqcnReference paper(p, 0);
  p.alpha_first = true;
  DcqcnReference authors(p, 0);
  paper.cnp(0);
  authors.cnp(0);
  EXPECT_NEAR(paper.rate() - authors.rate(), p.line * p.g * (1 - 0.25) / 2, 1e-6);
  EXPECT_EQ(paper.alpha(), authors.alpha());
}

TEST(DcqcnReference, TheRateEndsAtTheLine) {
  DcqcnParameters p;
  p.ai_rate = 10'000;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  qp.advance(1e6);
  EXPECT_EQ(qp.rate(), p.line);
  EXPECT_GT(qp.target(), p.line);
  p.clamp_target = false;
  p.clamp_target_ati = false;
  DcqcnReference kept(p, 0);
  kept.cnp(0);
  kept.advance(1e6);
  kept.cnp(1e6);
  EXPECT_EQ(kept.target(), p.line);
}

// Alpha every 1 us, the cut every 4 us, both from the first CNP on.
TEST(DcqcnReference, ByTheHardwaresRulesACnpOnlySetsAFlag) {
  DcqcnParameters p = DcqcnParameters::hardware(100'000);
  p.min_dec_fac = 0;
  p.initial_alpha = 0.5;
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  EXPECT_DOUBLE_EQ(qp.rate(), 75'000);
  EXPECT_EQ(qp.alpha(), 0.5);
  qp.cnp(1.2);
  qp.cnp(1.4);
  EXPECT_DOUBLE_EQ(qp.alpha(), 0.5 * (1 - p.g));
  qp.advance(3.5);
  EXPECT_NEAR(qp.alpha(), std::pow(1 - p.g, 3) * 0.5 + p.g * (1 - p.g), 1e-12);
  EXPECT_DOUBLE_EQ(qp.rate(), 75'000);
  qp.advance(5);
  const double alpha_of_cut = std::pow(1 - p.g, 4) * 0.5 + p.g * std::pow(1 - p.g, 2);
  EXPECT_NEAR(qp.rate(), 75'000 * (1 - alpha_of_cut / 2), 1e-6);
  const double rate = qp.rate();
  qp.advance(200);
  EXPECT_EQ(qp.rate(), rate);  // once
  qp.advance(304.1);           // the timer restarts at the cut, not at the CNP
  EXPECT_GT(qp.rate(), rate);
}

TEST(DcqcnReference, ByTheHardwaresRulesACutRestartsTheTimerOfTheRate) {
  DcqcnParameters p = DcqcnParameters::hardware(100'000);
  DcqcnReference qp(p, 0);
  qp.cnp(0);
  qp.cnp(297);  // the cut at 300 us comes after the timer's event of that time
  qp.advance(300.5);
  EXPECT_EQ(qp.time_stage(), 0U);
  qp.advance(599);
  EXPECT_EQ(qp.time_stage(), 0U);
  qp.advance(601);
  EXPECT_EQ(qp.time_stage(), 1U);
}

}  // namespace
}  // namespace railyard
