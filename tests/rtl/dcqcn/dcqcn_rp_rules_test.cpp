// Closed forms of DCQCN and each of its rules in dcqcn_rp, twin and RTL, against numbers worked out
// by hand. Times are nanoseconds; those of a test count from its first CNP.
#include <algorithm>
#include <cmath>

#include "tests/rtl/dcqcn/dcqcn_rp_bench.h"

namespace railyard {
namespace {

using rtl::DcqcnSetup;
using test::hardware_setup;
using test::Qp;

constexpr double kFirst = 2e6;
constexpr double kPeriod = 55'000;   // of the timer and of alpha
constexpr double kRounding = 0.002;  // Mb/s: terms of an increase are cut off at 2^-12

template <class Engine>
struct DcqcnRpRules : testing::Test {};
TYPED_TEST_SUITE(DcqcnRpRules, test::RpEngines, test::RpEngineNames);

// No byte counter within a test.
DcqcnSetup by_time_only() {
  DcqcnSetup s;
  s.byte_reset = ~0U;
  return s;
}

TYPED_TEST(DcqcnRpRules, AlphaHalvesInTheTimeOfTheClosedForm) {
  const struct {
    DcqcnSetup setup;
    double half_life;
  } cases[] = {{DcqcnSetup(), 9.74e6}, {hardware_setup(100'000), 141'600}};
  for (const auto& c : cases) {
    Qp<TypeParam> qp(c.setup);
    qp.cnp(kFirst);
    const double before = qp.alpha();
    qp.transmit(kFirst + c.half_life, 0);
    EXPECT_NEAR(qp.alpha() / before, 0.5, 0.005);
    EXPECT_NEAR(std::log(2.0) / -std::log(1 - c.setup.g) * c.setup.alpha_period, c.half_life,
                0.001 * c.half_life);
  }
}

TYPED_TEST(DcqcnRpRules, TheFloorIsReachedAtTheCnpOfTheClosedForm) {
  const struct {
    double line;
    int number;
  } cases[] = {{40'000, 9}, {100'000, 10}, {400'000, 12}};
  for (const auto& c : cases) {
    DcqcnSetup s;
    s.max_rate = c.line;
    Qp<TypeParam> qp(s);
    int number = 0;
    do {
      qp.cnp(kFirst + 50'000 * ++number);
    } while (qp.rate() > s.min_rate && number < 100);
    EXPECT_EQ(number, c.number);
    EXPECT_EQ(number, std::ceil(std::log2(c.line / s.min_rate)));
    EXPECT_EQ(qp.alpha(), 1);
    qp.cnp(kFirst + 50'000 * ++number);
    EXPECT_EQ(qp.rate(), 100);
  }
}

// Also just before and at the end of the decay table.
TYPED_TEST(DcqcnRpRules, AlphaDecaysAsLongAsNoCnpComes) {
  DcqcnSetup s;
  s.g = 1.0 / 1024;
  s.alpha_period = 100;
  for (const double periods : {1.0, 127.0, 128.0, 1000.0, 16'383.0, 16'384.0, 100'000.0}) {
    Qp<TypeParam> qp(s);
    qp.cnp(kFirst);
    qp.transmit(kFirst + periods * 100, 0);
    EXPECT_NEAR(qp.alpha(), std::pow(1 - s.g, periods), std::ldexp(1, -20)) << periods;
  }
}

TYPED_TEST(DcqcnRpRules, FastRecoveryHasFHalvingsOrOneLess) {
  for (const bool fewer : {false, true}) {
    DcqcnSetup s = by_time_only();
    s.fewer_halvings = fewer;
    Qp<TypeParam> qp(s);
    qp.cnp(kFirst);
    ASSERT_EQ(qp.rate(), 50'000);
    const int halvings = fewer ? 4 : 5;
    for (int n = 1; n <= halvings; ++n) {
      qp.transmit(kFirst + kPeriod * n - 1, 0);
      EXPECT_NEAR(qp.rate(), 100'000 - 50'000 * std::ldexp(1, 1 - n), kRounding);
      qp.transmit(kFirst + kPeriod * n, 0);
      EXPECT_EQ(qp.target(), 100'000);
      EXPECT_NEAR(qp.rate(), 100'000 - 50'000 * std::ldexp(1, -n), kRounding);
    }
    qp.transmit(kFirst + kPeriod * (halvings + 1), 0);
    EXPECT_EQ(qp.target(), 100'040);
    EXPECT_NEAR(qp.rate(), (100'040 + 100'000 - 50'000 * std::ldexp(1, -halvings)) / 2, kRounding);
  }
}

TYPED_TEST(DcqcnRpRules, OnlyBothStagesBeyondFAreHyperIncrease) {
  DcqcnSetup s;
  s.max_rate = 400'000;
  Qp<TypeParam> qp(s);
  qp.cnp(kFirst);
  for (int n = 1; n <= 8; ++n) qp.transmit(kFirst + 100 * n, 10'000'000);
  EXPECT_EQ(qp.context().byte_stage, 8);
  EXPECT_EQ(qp.target(), 400'000 + 3 * 40);  // 6, 7, 8: the timer's stage is 0
  qp.transmit(kFirst + kPeriod * 5, 0);
  EXPECT_EQ(qp.context().time_stage, 5);
  EXPECT_EQ(qp.target(), 400'000 + 8 * 40);  // 1 to 5 of the timer
  qp.transmit(kFirst + kPeriod * 7, 0);
  EXPECT_EQ(qp.target(), 400'000 + 8 * 40 + 200 * (1 + 2));
  qp.transmit(kFirst + kPeriod * 10, 0);
  EXPECT_EQ(qp.target(), 400'000 + 8 * 40 + 200 * (1 + 2 + 3 + 3 + 3));
  qp.transmit(kFirst + kPeriod * 10 + 1, 10'000'000);  // stages 10 and 9
  EXPECT_EQ(qp.target(), 400'000 + 8 * 40 + 200 * (1 + 2 + 3 + 3 + 3 + 4));
}

// The same events, seen at one access or at each: an access changes nothing.
TYPED_TEST(DcqcnRpRules, WhatFellDueIsTheSameWhenItIsLookedAtLate) {
  DcqcnSetup s = by_time_only();
  Qp<TypeParam> often(s);
  Qp<TypeParam> once(s);
  often.cnp(kFirst);
  once.cnp(kFirst);
  for (int n = 1; n <= 40; ++n) often.transmit(kFirst + kPeriod * n, 0);
  once.transmit(kFirst + kPeriod * 40, 0);
  EXPECT_EQ(once.target(), 100'000 + 35 * 40);
  EXPECT_EQ(often.target(), once.target());
  EXPECT_NEAR(often.rate(), once.rate(), 40 * kRounding);
  EXPECT_NEAR(often.alpha(), once.alpha(), std::ldexp(1, -15));
}

TYPED_TEST(DcqcnRpRules, ACnpRestartsTimersAndCounters) {
  Qp<TypeParam> qp{DcqcnSetup()};
  qp.cnp(kFirst);
  qp.transmit(kFirst + 54'000, 9'000'000);
  const double second = kFirst + 54'500;
  qp.cnp(second);
  EXPECT_EQ(qp.rate(), 25'000);
  EXPECT_EQ(qp.alpha(), 1);
  qp.transmit(second + 54'000, 9'000'000);
  EXPECT_EQ(qp.context().byte_stage, 0);
  EXPECT_EQ(qp.rate(), 25'000);
  EXPECT_EQ(qp.alpha(), 1);
  qp.transmit(second + 55'000, 3'000'000);  // an event of each
  EXPECT_EQ(qp.context().byte_stage, 1);
  EXPECT_EQ(qp.context().time_stage, 1);
  EXPECT_NEAR(qp.rate(), 43'750, kRounding);
  EXPECT_NEAR(qp.alpha(), 255.0 / 256, 1e-6);
  qp.transmit(second + 56'000, 8'000'000);  // with the 2 MB left over
  EXPECT_EQ(qp.context().byte_stage, 2);
  EXPECT_NEAR(qp.rate(), 46'875, kRounding);
}

TYPED_TEST(DcqcnRpRules, NothingRunsBeforeTheFirstCnp) {
  DcqcnSetup s;
  s.initial_alpha = 0.5;
  Qp<TypeParam> qp(s);
  for (int n = 0; n < 3; ++n) qp.transmit(kFirst - 500'000 + n, 15'000'000);
  EXPECT_EQ(qp.rate(), 100'000);
  EXPECT_EQ(qp.alpha(), 0.5);
  EXPECT_EQ(qp.context().byte_stage + qp.context().time_stage, 0);
  qp.cnp(kFirst);
  EXPECT_EQ(qp.rate(), 75'000);
  EXPECT_NEAR(qp.alpha(), 0.5 * 255 / 256 + 1.0 / 256, 1e-6);
}

TYPED_TEST(DcqcnRpRules, TheFirstCnpMayJumpToARateButNotUpwards) {
  DcqcnSetup s = by_time_only();
  s.first_cnp_rate = 20'000;
  Qp<TypeParam> qp(s);
  qp.cnp(kFirst);
  EXPECT_EQ(qp.rate(), 20'000);
  EXPECT_EQ(qp.target(), 100'000);
  qp.cnp(kFirst + 10'000);
  EXPECT_EQ(qp.rate(), 10'000);
  s.max_rate = 10'000;
  Qp<TypeParam> slow(s);
  slow.cnp(kFirst);
  EXPECT_EQ(slow.rate(), 10'000);
}

TYPED_TEST(DcqcnRpRules, TheTargetIsClampedByItsRule) {
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
    DcqcnSetup s;
    s.clamp_target = c.clamp;
    s.clamp_target_ati = c.ati;
    Qp<TypeParam> qp(s);
    qp.cnp(kFirst);
    if (c.by == By::kTime) qp.transmit(kFirst + kPeriod, 0);
    if (c.by == By::kBytes) qp.transmit(kFirst + 1000, 10'000'000);
    const double rate = qp.rate();
    qp.cnp(kFirst + (c.by == By::kTime ? 56'000 : 46'000));
    EXPECT_EQ(qp.target(), c.clamped ? rate : 100'000);
    EXPECT_LT(qp.rate(), rate);
  }
}

TYPED_TEST(DcqcnRpRules, ACutIsScaledByGdAndLeavesMinDecFac) {
  const struct {
    double min_dec_fac;
    unsigned gd;
    double rate;
  } cases[] = {{0, 11, 50'000}, {0.8, 11, 80'000}, {0, 12, 75'000}, {0, 15, 96'875},
               {0, 10, 100},    {0.5, 10, 50'000}, {0, 5, 100}};
  for (const auto& c : cases) {
    DcqcnSetup s = by_time_only();
    s.min_dec_fac = c.min_dec_fac;
    s.gd = c.gd;
    Qp<TypeParam> qp(s);
    qp.cnp(kFirst);
    EXPECT_NEAR(qp.rate(), c.rate, 0.01) << c.min_dec_fac << ", " << c.gd;
  }
}

TYPED_TEST(DcqcnRpRules, TheOrdersDifferByOneGain) {
  DcqcnSetup s = by_time_only();
  s.initial_alpha = 0.25;
  Qp<TypeParam> paper(s);
  s.alpha_first = true;
  Qp<TypeParam> authors(s);
  paper.cnp(kFirst);
  authors.cnp(kFirst);
  EXPECT_EQ(paper.rate(), 87'500);
  EXPECT_NEAR(paper.rate() - authors.rate(), 100'000 / 256.0 * (1 - 0.25) / 2, 0.01);
  EXPECT_EQ(paper.alpha(), authors.alpha());
}

TYPED_TEST(DcqcnRpRules, TheRateEndsAtTheLineAndACnpBringsTheTargetThere) {
  DcqcnSetup s;
  s.ai_rate = 10'000;
  s.clamp_target = false;
  Qp<TypeParam> qp(s);
  qp.cnp(kFirst);
  qp.transmit(kFirst + 1e6, 0);
  EXPECT_EQ(qp.rate(), 100'000);
  EXPECT_GT(qp.target(), 100'000);
  qp.cnp(kFirst + 1e6 + 10);
  EXPECT_EQ(qp.target(), 100'000);
}

// Alpha every 1 us, the cut every 4 us, both from the first CNP on.
TYPED_TEST(DcqcnRpRules, ByTheHardwaresRulesACnpOnlySetsAFlag) {
  DcqcnSetup s = hardware_setup(100'000);
  s.min_dec_fac = 0;
  s.initial_alpha = 0.5;
  const double left = 1 - 5.0 / 1024;
  Qp<TypeParam> qp(s);
  qp.cnp(kFirst);
  EXPECT_EQ(qp.rate(), 75'000);
  EXPECT_EQ(qp.alpha(), 0.5);
  qp.cnp(kFirst + 1200);
  qp.cnp(kFirst + 1400);
  EXPECT_NEAR(qp.alpha(), 0.5 * left, 1e-6);
  qp.transmit(kFirst + 3500, 0);
  EXPECT_NEAR(qp.alpha(), std::pow(left, 3) * 0.5 + (1 - left) * left, 1e-6);
  EXPECT_EQ(qp.rate(), 75'000);
  qp.transmit(kFirst + 5000, 0);
  const double alpha_of_cut = std::pow(left, 4) * 0.5 + (1 - left) * std::pow(left, 2);
  EXPECT_NEAR(qp.rate(), 75'000 * (1 - alpha_of_cut / 2), 0.05);
  const double rate = qp.rate();
  qp.transmit(kFirst + 200'000, 0);
  EXPECT_EQ(qp.rate(), rate);        // once
  qp.transmit(kFirst + 304'100, 0);  // the timer restarts at the cut, not at the CNP
  EXPECT_GT(qp.rate(), rate);
}

TYPED_TEST(DcqcnRpRules, ByTheHardwaresRulesACutRestartsTheTimerOfTheRate) {
  Qp<TypeParam> qp(hardware_setup(100'000));
  qp.cnp(kFirst);
  qp.cnp(kFirst + 297'000);  // the cut at 300 us comes after the timer's event of that time
  qp.transmit(kFirst + 300'500, 0);
  EXPECT_EQ(qp.context().time_stage, 0);
  qp.transmit(kFirst + 599'000, 0);
  EXPECT_EQ(qp.context().time_stage, 0);
  qp.transmit(kFirst + 601'000, 0);
  EXPECT_EQ(qp.context().time_stage, 1);
}

}  // namespace
}  // namespace railyard
