// pfc_watchdog: twin and RTL; a gated clock and one that runs.
#include <array>

#include "rtl/model/pfc_watchdog.h"
#include "rtl/verilated/pfc_watchdog.h"
#include "tests/rtl/lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::PfcWatchdogIn;
using rtl::PfcWatchdogOut;
using test::Stimulus;

constexpr std::uint64_t kHalf = std::uint64_t{1} << (rtl::kTimeBits - 1);

// Pauses with gaps about as long as is forgiven, queues that rarely drain, or all at random; time
// that jumps as a gated clock's does.
struct Random {
  explicit Random(std::uint64_t seed) : stimulus(seed) { change_registers(); }

  std::uint64_t polls(std::uint64_t most) {
    return stimulus.once_in(8) ? stimulus.corner(rtl::kTimeBits - 2)
                               : stimulus.below(most * period);
  }
  void change_registers() {
    in.now = grid = stimulus.corner(rtl::kTimeBits);
    period = stimulus.once_in(8) ? 1 + stimulus.corner(20) : 1 + stimulus.below(200);
    in.detection = polls(7);
    in.restoration = polls(4);
    in.forgiven =
        stimulus.once_in(16) ? stimulus.corner(rtl::kTimeBits) : stimulus.below(period / 8 + 2);
    in.enable = static_cast<std::uint8_t>(stimulus.once_in(2) ? 0xFF : stimulus.corner(8));
    any_poll = stimulus.once_in(16);
    jumps = stimulus.once_in(2);
    for (auto& n : once) n = std::uint64_t{1} << stimulus.below(14);
  }
  void change_queue(unsigned p) {
    const auto mask = static_cast<std::uint8_t>(1U << p);
    if ((in.paused & mask) == 0) {
      if (in.now == rise_at[p] || stimulus.once_in(once[0])) in.paused |= mask;
    } else if (stimulus.once_in(once[0])) {
      in.paused &= ~mask;
      rise_at[p] = (in.now + 1 + stimulus.below(2 * in.forgiven + 2)) & rtl::kTimeMask;
    }
    if (stimulus.once_in(once[1]) || (in.occupied & mask) == 0) in.occupied ^= mask;
    if (stimulus.once_in(once[2])) in.dequeued |= mask;
    if (stimulus.once_in(once[3])) in.xoff |= mask;
    if (stimulus.once_in(16 * once[4])) in.enable ^= mask;
  }
  /// How far to go: a cycle, or, of a clock that is gated, up to what is due next.
  std::uint64_t ahead(const PfcWatchdogOut& last) {
    if (!jumps || !stimulus.once_in(4)) return 1;
    if (!last.wake_valid) return 1 + stimulus.below(3 * period);
    const std::uint64_t sleep = (last.wake - in.now) & rtl::kTimeMask;
    if (sleep == 0 || sleep >= kHalf) return 1;
    return stimulus.once_in(2) ? sleep : 1 + stimulus.below(sleep);
  }
  const PfcWatchdogIn& next(const PfcWatchdogOut& last) {
    if (stimulus.once_in(20'000)) change_registers();
    in.now = (in.now + ahead(last)) & rtl::kTimeMask;
    const std::uint64_t past = (in.now - grid) & rtl::kTimeMask;
    in.poll_at = (grid + (past + period - 1) / period * period) & rtl::kTimeMask;
    if (any_poll) in.poll_at = (in.now + stimulus.below(9) - 4) & rtl::kTimeMask;
    in.dequeued = in.xoff = 0;
    for (unsigned p = 0; p < rtl::kPriorities; ++p) change_queue(p);
    return in;
  }

  Stimulus stimulus;
  PfcWatchdogIn in;
  std::uint64_t grid = 0;
  std::uint64_t period = 1;
  bool any_poll = false;
  bool jumps = false;
  std::array<std::uint64_t, 5> once{};
  std::array<std::uint64_t, rtl::kPriorities> rise_at{};
};

using Bench = test::Lockstep<rtl::PfcWatchdogModel, rtl::PfcWatchdogRtl>;

TEST(PfcWatchdogLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  Bench bench("pfc_watchdog");
  Random random(1);
  PfcWatchdogOut last;
  std::uint64_t began = 0;
  const std::uint64_t cycles = test::lockstep_cycles();
  for (std::uint64_t n = cycles; n != 0; --n) {
    if (!bench.step(random.next(last))) return;
    if (random.stimulus.once_in(50'000) && !bench.reset()) return;
    began += (bench.last().storm & ~last.storm) != 0 ? 1 : 0;
    last = bench.last();
  }
  EXPECT_GT(began, cycles / 10'000);  // storms: the inputs reach every state
}

// A block whose clock runs, and one that is clocked only in cycles that are not quiet and looked at
// only when an input changes or what it waits for has come.
TEST(PfcWatchdogLockstep, SkippingQuietCyclesChangesNothing) {
  RtlContext context;
  rtl::PfcWatchdogRtl runs(context.get(), "runs");
  rtl::PfcWatchdogRtl gated(context.get(), "gated");
  Random random(2);
  PfcWatchdogIn old;
  PfcWatchdogOut out;
  std::uint64_t clocked = 0;
  constexpr std::uint64_t kCycles = 2'000'000;
  for (std::uint64_t n = 0; n < kCycles; ++n) {
    const PfcWatchdogIn in = random.next({});
    const bool changed = in.paused != old.paused || in.occupied != old.occupied ||
                         in.enable != old.enable || in.dequeued != 0 || in.xoff != 0 ||
                         in.detection != old.detection || in.poll_at != old.poll_at;
    old = in;
    runs.clock(in);
    if (changed || (out.wake_valid && rtl::reached(in.now, out.wake))) {
      out = gated.settle(in);
      if (!out.quiet) {
        out = gated.clock(in);
        ++clocked;
      }
    }
    const auto state = runs.state();
    const auto kept = gated.state();
    if (!(kept == state)) FAIL() << "cycle " << n << ":\n" << rtl::differences(kept, state);
  }
  EXPECT_LT(clocked, kCycles / 4 * 3);
  EXPECT_GT(clocked, kCycles / 100);
}

// Queue 3 is watched. The grid is 100 cycles, 5 of which are forgiven.
struct Directed {
  Directed() {
    in.now = 1000;
    in.detection = 300;
    in.restoration = 200;
    in.forgiven = 5;
    in.enable = 0x08;
    in.occupied = 0x08;
  }
  void step() {
    in.poll_at = (in.now + 99) / 100 * 100;
    EXPECT_TRUE(bench.step(in));
    in.dequeued = in.xoff = 0;
  }
  /// Through polls, as a gated clock; the last cycle is that of `end`.
  void go(std::uint64_t end) {
    while (in.now < end) {
      const std::uint64_t poll = in.now / 100 * 100 + 100;
      in.now = poll < end ? poll : end;
      if (in.now < end) step();
    }
  }
  void pause(std::uint64_t at) {
    go(at);
    in.paused = 0x08;
    step();
  }
  void resume(std::uint64_t at) {
    go(at);
    in.paused = 0;
    step();
  }
  bool storm(std::uint64_t at) {
    go(at);
    step();
    return bench.last().storm == 0x08;
  }

  PfcWatchdogIn in;
  Bench bench{"pfc_watchdog"};
};

TEST(PfcWatchdogLockstep, AStormIsFoundAtTheFirstPollAfterTheDetectionTime) {
  Directed late;
  late.pause(1001);
  EXPECT_FALSE(late.storm(1300));  // one cycle short
  EXPECT_FALSE(late.storm(1399));
  EXPECT_TRUE(late.storm(1400));
  Directed on_time;
  on_time.pause(1100);
  EXPECT_FALSE(on_time.storm(1399));
  EXPECT_TRUE(on_time.storm(1400));
}

TEST(PfcWatchdogLockstep, WhatIsNotBlockedWakesNobody) {
  Directed d;
  d.in.xoff = d.in.dequeued = 0xFF;
  d.step();
  EXPECT_FALSE(d.bench.last().wake_valid);
  EXPECT_TRUE(d.bench.last().quiet);
  d.pause(1050);
  EXPECT_TRUE(d.bench.last().quiet);
  EXPECT_TRUE(d.bench.last().wake_valid);
  EXPECT_EQ(d.bench.last().wake, 1100U);
}

TEST(PfcWatchdogLockstep, ADequeueBeginsAnew) {
  Directed d;
  d.pause(1001);
  d.go(1398);
  d.in.dequeued = 0x08;
  d.step();
  EXPECT_FALSE(d.storm(1600));
  EXPECT_TRUE(d.storm(1700));  // the first after 1398 + 300
}

TEST(PfcWatchdogLockstep, ADequeueInTheCycleOfThePollBeginsAnew) {
  Directed d;
  d.pause(1100);
  d.go(1400);
  d.in.dequeued = 0x08;
  EXPECT_FALSE(d.storm(1400));
  EXPECT_TRUE(d.storm(1700));
}

TEST(PfcWatchdogLockstep, AnEmptyOrUnwatchedQueueIsInNoStormAndTimeCountsFromItsNextFrame) {
  Directed empty;
  empty.pause(1001);
  empty.go(1350);
  empty.in.occupied = 0;
  empty.step();
  EXPECT_FALSE(empty.bench.last().wake_valid);
  EXPECT_FALSE(empty.storm(1900));
  empty.in.occupied = 0x08;
  EXPECT_FALSE(empty.storm(1950));
  EXPECT_FALSE(empty.storm(2200));
  EXPECT_TRUE(empty.storm(2300));
  empty.in.enable = 0;
  EXPECT_FALSE(empty.storm(2301));
}

TEST(PfcWatchdogLockstep, AGapThatIsForgivenIsNoneAndALongerOneBeginsAnew) {
  Directed forgiven;
  forgiven.pause(1001);
  forgiven.resume(1150);
  forgiven.pause(1155);
  EXPECT_TRUE(forgiven.storm(1400));
  Directed longer;
  longer.pause(1001);
  longer.resume(1150);
  longer.pause(1156);
  EXPECT_FALSE(longer.storm(1400));
  EXPECT_TRUE(longer.storm(1500));
}

TEST(PfcWatchdogLockstep, GapsOfOnePollAddUpAndThoseOfTwoDoNot) {
  Directed one;
  one.pause(1001);
  for (const std::uint64_t at : {1110, 1120}) {
    one.resume(at);
    one.pause(at + 3);
  }
  EXPECT_FALSE(one.storm(1400));  // 1123 is the onset
  EXPECT_TRUE(one.storm(1500));
  Directed two;
  two.pause(1001);
  for (const std::uint64_t at : {1190, 1210}) {
    two.resume(at);
    two.pause(at + 3);
  }
  EXPECT_TRUE(two.storm(1400));
}

TEST(PfcWatchdogLockstep, AGapThatAPollDividesIsOneGapAndCountsInTheNextPollByItsPartThere) {
  Directed long_one;
  long_one.pause(1001);
  long_one.resume(1197);
  long_one.pause(1203);
  EXPECT_FALSE(long_one.storm(1400));
  EXPECT_TRUE(long_one.storm(1600));  // 1203 + 300
  for (const bool more : {false, true}) {
    Directed d;
    d.pause(1001);
    d.resume(1197);
    d.pause(1201);
    d.resume(1250);
    d.pause(more ? 1255 : 1254);  // 1 + 5 or 1 + 4
    EXPECT_EQ(d.storm(1400), !more);
  }
}

TEST(PfcWatchdogLockstep, AStormMayBeFoundInAGapThatIsForgivenSoFar) {
  Directed d;
  d.pause(1001);
  d.resume(1397);
  EXPECT_TRUE(d.storm(1400));
  Directed too_long;
  too_long.pause(1001);
  too_long.resume(1394);
  EXPECT_FALSE(too_long.storm(1400));
  EXPECT_FALSE(too_long.bench.last().wake_valid);  // no longer watched
}

TEST(PfcWatchdogLockstep, AStormIsOverWhenNoXoffHasArrivedForTheRestorationTime) {
  Directed d;
  d.pause(1001);
  EXPECT_TRUE(d.storm(1400));
  d.go(1401);
  d.in.xoff = 0x08;
  d.in.dequeued = 0x08;  // as of a queue that sends though it is paused
  d.step();
  d.resume(1450);
  EXPECT_TRUE(d.storm(1600));
  EXPECT_FALSE(d.storm(1700));
  EXPECT_FALSE(d.bench.last().wake_valid);
}

TEST(PfcWatchdogLockstep, ASecondStormTakesTheWholeDetectionTimeAgain) {
  Directed d;
  d.pause(1001);
  EXPECT_TRUE(d.storm(1400));
  EXPECT_FALSE(d.storm(1600));  // blocked still, but nobody refreshes
  EXPECT_FALSE(d.storm(1800));
  EXPECT_TRUE(d.storm(1900));
}

}  // namespace
}  // namespace railyard
