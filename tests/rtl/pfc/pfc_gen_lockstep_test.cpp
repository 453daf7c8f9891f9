// pfc_gen: twin and RTL.
#include <algorithm>

#include "rtl/model/pfc_gen.h"
#include "rtl/verilated/pfc_gen.h"
#include "tests/rtl/lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::PfcGenIn;
using test::Stimulus;

// Depths that stay, walk round their thresholds, or are any; a line that is free always or rarely.
struct Random {
  explicit Random(std::uint64_t seed) : stimulus(seed) { change_registers(); }

  void change_registers() {
    in.now = stimulus.corner(rtl::kTimeBits);
    in.refresh = stimulus.once_in(2) ? stimulus.below(100) : stimulus.corner(rtl::kTimeBits - 1);
    in.enable = static_cast<std::uint8_t>(stimulus.corner(8));
    any = stimulus.once_in(4);
    gap = std::uint64_t{1} << stimulus.below(6);
    ready = std::uint64_t{1} << stimulus.below(8);
    for (unsigned p = 0; p < rtl::kPriorities; ++p) {
      in.xoff_th[p] = static_cast<std::uint32_t>(stimulus.corner(32));
      in.xon_th[p] =
          in.xoff_th[p] - static_cast<std::uint32_t>(
                              stimulus.once_in(2) ? stimulus.below(std::uint64_t{in.xoff_th[p]} + 1)
                                                  : std::min<std::uint64_t>(in.xoff_th[p], 16));
    }
  }
  void move_depth(unsigned p) {
    if (any) {
      in.depth[p] = static_cast<std::uint32_t>(stimulus.corner(32));
    } else {
      const std::uint32_t near = stimulus.once_in(2) ? in.xoff_th[p] : in.xon_th[p];
      in.depth[p] = near + static_cast<std::uint32_t>(stimulus.below(5)) - 2;
    }
  }
  const PfcGenIn& next(const rtl::PfcGenOut& last) {
    if (stimulus.once_in(100'000)) change_registers();
    std::uint64_t ahead = 1;
    const std::uint64_t sleep = (last.wake - in.now) & rtl::kTimeMask;
    if (last.wake_valid && sleep != 0 && sleep >> (rtl::kTimeBits - 1) == 0 &&
        stimulus.once_in(16)) {
      ahead = sleep;
    }
    in.now = (in.now + ahead) & rtl::kTimeMask;
    in.clear = stimulus.once_in(1000);
    in.tx_ready = stimulus.once_in(ready);
    if (stimulus.once_in(gap)) move_depth(static_cast<unsigned>(stimulus.below(8)));
    return in;
  }

  Stimulus stimulus;
  PfcGenIn in;
  bool any = false;
  std::uint64_t gap = 1;
  std::uint64_t ready = 1;
};

using Bench = test::Lockstep<rtl::PfcGenModel, rtl::PfcGenRtl>;

TEST(PfcGenLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  Bench bench("pfc_gen");
  Random random(1);
  rtl::PfcGenOut last;
  for (std::uint64_t n = test::lockstep_cycles(); n != 0; --n) {
    if (random.stimulus.once_in(50'000) && !bench.reset()) return;
    if (!bench.step(random.next(last))) return;
    last = bench.last();
  }
}

struct Directed {
  Directed() {
    in.enable = 0x08;
    in.xoff_th[3] = 10;
    in.xon_th[3] = 5;
    in.refresh = 100;
  }
  rtl::PfcGenOut step(std::uint32_t depth, bool ready = false, std::uint64_t ahead = 1) {
    in.now += ahead;
    in.depth[3] = depth;
    in.tx_ready = ready;
    EXPECT_TRUE(bench.step(in));
    return bench.last();
  }
  PfcGenIn in;
  Bench bench{"pfc_gen"};
};

TEST(PfcGenLockstep, TheThresholdItselfIsNotAbove) {
  Directed d;
  EXPECT_FALSE(d.step(10).tx_valid);
  EXPECT_TRUE(d.step(11).tx_valid);
  EXPECT_EQ(d.bench.last().tx_xoff, 0x08);
  EXPECT_FALSE(d.step(11, true).tx_valid);
  EXPECT_FALSE(d.step(6).tx_valid);
  EXPECT_TRUE(d.step(5).tx_valid);
  EXPECT_EQ(d.bench.last().tx_xoff, 0);
  EXPECT_EQ(d.bench.last().tx_enable, 0x08);
  EXPECT_FALSE(d.step(5, true).tx_valid);
}

TEST(PfcGenLockstep, WhatIsOvertakenIsNeverSent) {
  Directed d;
  EXPECT_TRUE(d.step(11).tx_valid);
  EXPECT_FALSE(d.step(0).tx_valid);
  EXPECT_EQ(d.bench.last().tx_enable, 0);
}

TEST(PfcGenLockstep, AnXoffIsRepeatedWhileItLasts) {
  Directed d;
  d.step(11);
  d.step(11, true);
  const std::uint64_t told_at = d.in.now;
  EXPECT_EQ(d.bench.last().wake, told_at + 100);
  EXPECT_FALSE(d.step(11, true, 99).tx_valid);
  EXPECT_TRUE(d.step(11).tx_valid);
  EXPECT_TRUE(d.bench.last().tx_refresh);
  EXPECT_EQ(d.in.now, told_at + 100);
  EXPECT_FALSE(d.step(11, true).tx_valid);
  d.in.clear = true;
  EXPECT_TRUE(d.step(11).tx_valid);  // the peer has forgotten
  EXPECT_FALSE(d.bench.last().tx_refresh);
}

}  // namespace
}  // namespace railyard
