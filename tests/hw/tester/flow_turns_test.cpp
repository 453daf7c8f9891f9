#include "hw/tester/flow_turns.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <vector>

namespace railyard {
namespace {

using testing::ElementsAre;

constexpr std::uint8_t kAll = 0xFF;

/// Takes turns of one picosecond each, and says whose they were.
std::vector<std::uint32_t> take(FlowTurns& turns, std::size_t count, std::uint8_t priorities) {
  std::vector<std::uint32_t> taken;
  for (std::size_t i = 0; i < count; ++i) {
    taken.push_back(turns.next(priorities));
    if (taken.back() != FlowTurns::kNone) turns.sent(taken.back(), 1, 0);
  }
  return taken;
}

/// One byte a nanosecond.
Rate slow() { return Rate::gbps(8); }

/// When a lone flow sends its packets of so many bytes, each as soon as it is due.
std::vector<Time> times(FlowTurns& turns, std::size_t count, std::uint32_t bytes) {
  std::vector<Time> sent;
  while (sent.size() < count) {
    const Time now = turns.next_due();
    turns.wake(now);
    const std::uint32_t flow = turns.next(kAll);
    sent.push_back(now);
    turns.sent(flow, bytes, now);
  }
  return sent;
}

TEST(FlowTurns, ReadyFlowsTakeTurnsInOrderOfTheirIndex) {
  FlowTurns turns;
  turns.add(30, 3, 0, {});  // 0
  turns.add(10, 3, 0, {});  // 1
  turns.add(20, 3, 0, {});  // 2
  turns.wake(0);
  EXPECT_THAT(take(turns, 6, kAll), ElementsAre(1, 2, 0, 1, 2, 0));
}

TEST(FlowTurns, AFlowIsReadyFromItsStart) {
  FlowTurns turns;
  turns.add(0, 3, 100, {});
  turns.add(1, 4, 50, {});
  turns.wake(49);
  EXPECT_EQ(turns.next(kAll), FlowTurns::kNone);
  EXPECT_EQ(turns.next_due(), 50);
  turns.wake(50);
  EXPECT_EQ(turns.unfinished(), 1 << 4);
  EXPECT_EQ(turns.next_due(), 100);
  turns.wake(100);
  EXPECT_EQ(turns.next_due(), kForever);
  EXPECT_EQ(turns.unfinished(), 1 << 4 | 1 << 3);
}

TEST(FlowTurns, APriorityThatMayNotSendIsPassedOver) {
  FlowTurns turns;
  turns.add(0, 3, 0, {});
  turns.add(1, 5, 0, {});
  turns.add(2, 3, 0, {});
  turns.add(3, 5, 0, {});
  turns.wake(0);
  EXPECT_THAT(take(turns, 4, kAll & ~(1 << 3)), ElementsAre(1, 3, 1, 3));
  EXPECT_EQ(turns.next(1 << 7), FlowTurns::kNone);
  EXPECT_THAT(take(turns, 6, kAll), ElementsAre(0, 2, 1, 3, 0, 2));
}

TEST(FlowTurns, AFinishedFlowHasNoTurnAndIsNoLongerUnfinished) {
  FlowTurns turns;
  turns.add(0, 3, 0, {});
  turns.add(1, 3, 0, {});
  turns.wake(0);
  turns.finish(turns.next(kAll));
  EXPECT_EQ(turns.unfinished(), 1 << 3);
  EXPECT_THAT(take(turns, 2, kAll), ElementsAre(1, 1));
  turns.finish(turns.next(kAll));
  EXPECT_EQ(turns.unfinished(), 0);
  EXPECT_EQ(turns.next(kAll), FlowTurns::kNone);
}

TEST(FlowTurns, APacedFlowSendsAtExactTimesHoweverLong) {
  FlowTurns turns;
  turns.add(0, 3, 5, Rate(7'000'000'000, 3));  // 3 * 8000 / 7 ps a byte
  constexpr std::uint64_t kPackets = 1'000'000;
  const std::vector<Time> sent = times(turns, kPackets + 1, 101);
  EXPECT_EQ(sent[0], 5);
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{777}, kPackets}) {
    EXPECT_EQ(sent[n], 5 + static_cast<Time>((n * 2 * 24'000 * 101 + 7) / 14)) << n;
  }
}

TEST(FlowTurns, AFlowThatOthersKeptFromTheLineKeepsItsSchedule) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.wake(0);
  turns.sent(turns.next(kAll), 1000, 400'000);  // due at 0
  EXPECT_EQ(turns.next_due(), 1'000'000);
  turns.wake(3'500'000);
  turns.sent(turns.next(kAll), 1000, 3'500'000);
  EXPECT_EQ(turns.next_due(), kForever);  // due at 2 us: it is ready
  turns.sent(turns.next(kAll), 1000, 3'500'000);
  turns.sent(turns.next(kAll), 1000, 3'500'000);
  EXPECT_EQ(turns.next_due(), 4'000'000);
}

TEST(FlowTurns, ButNotFurtherBehindThanSixteenPackets) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.wake(0);
  turns.sent(turns.next(kAll), 1000, 16'000'001);
  EXPECT_EQ(turns.next_due(), 17'000'001);
}

TEST(FlowTurns, AFlowThatWasHeldBeginsItsScheduleAnew) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.add(1, 4, 0, slow());
  turns.wake(0);
  turns.release(1 << 3, 2'500'000);
  EXPECT_EQ(turns.next(1 << 3), 0U);
  turns.sent(0, 1000, 2'600'000);
  EXPECT_EQ(turns.next_due(), 3'600'000);
  EXPECT_EQ(turns.next(1 << 4), 1U);
  turns.sent(1, 1000, 2'600'000);
  EXPECT_EQ(turns.ready(), 1 << 4);  // of the other priority: due at 1 us
}

TEST(FlowTurns, AHigherRateSpeedsUpAFlowThatWaits) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.wake(0);
  turns.sent(turns.next(kAll), 1000, 0);
  ASSERT_EQ(turns.next_due(), 1'000'000);
  turns.set_rate(0, Rate::gbps(16), 100'000);
  EXPECT_EQ(turns.next_due(), 500'000);
  turns.set_rate(0, Rate::gbps(80), 200'000);  // would have been due at 100 ns
  EXPECT_EQ(turns.next_due(), 200'000);
  EXPECT_THAT(times(turns, 3, 1000), ElementsAre(200'000, 300'000, 400'000));
  turns.set_rate(0, {}, 450'000);
  EXPECT_EQ(turns.next_due(), 450'000);
}

TEST(FlowTurns, ALowerRateMakesAFlowThatWaitsWaitLonger) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.add(1, 3, 0, slow());
  turns.wake(0);
  turns.sent(turns.next(kAll), 1000, 0);
  turns.sent(turns.next(kAll), 1000, 0);
  turns.set_rate(0, Rate::gbps(4), 999'999);
  EXPECT_EQ(turns.next_due(), 1'000'000);
  turns.wake(1'000'000);
  EXPECT_EQ(turns.next(kAll), 1U);
  EXPECT_EQ(turns.next_due(), 2'000'000);
}

TEST(FlowTurns, ARateSetOnAReadyFlowCountsFromItsNextPacket) {
  FlowTurns turns;
  turns.add(0, 3, 0, {});
  turns.wake(0);
  turns.set_rate(0, slow(), 0);
  turns.sent(turns.next(kAll), 1000, 700'000);
  EXPECT_EQ(turns.next_due(), 1'700'000);
}

TEST(FlowTurns, ARateSetBeforeItsStartDoesNotMoveIt) {
  FlowTurns turns;
  turns.add(0, 3, 1000, {});
  turns.set_rate(0, slow(), 10);
  EXPECT_EQ(turns.next_due(), 1000);
  turns.set_rate(0, {}, 20);
  EXPECT_EQ(turns.next_due(), 1000);
}

TEST(FlowTurns, ManyPacedFlowsAreServedInOrderOfTheirTimes) {
  FlowTurns turns;
  constexpr std::uint32_t kFlows = 1000;
  const auto rate = [](std::uint32_t flow) {  // a packet of 64 bytes takes whole picoseconds
    constexpr std::array<std::uint64_t, 7> kGbps = {1, 2, 4, 5, 8, 10, 16};
    return Rate::gbps(kGbps[flow % kGbps.size()]);
  };
  std::vector<Time> due(kFlows);
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    due[i] = static_cast<Time>(i) * 7919 % 1009;
    turns.add(i, 3, due[i], rate(i));
  }
  for (Time now = 0; now < kMicrosecond;) {
    now = turns.next_due();
    ASSERT_EQ(now, *std::min_element(due.begin(), due.end()));
    turns.wake(now);
    for (std::uint32_t flow = turns.next(kAll); flow != FlowTurns::kNone; flow = turns.next(kAll)) {
      ASSERT_EQ(due[flow], now);
      turns.sent(flow, 64, now);
      due[flow] = now + rate(flow).time_of(64);
      if (flow % 13 != 6) continue;
      turns.set_rate(flow, Rate::bits_per_second(8000), now);  // 1 ms a byte
      due[flow] = now + 64 * kMillisecond;
    }
  }
}

TEST(FlowTurns, APostponedFlowLetsOthersOfItsPriorityPass) {
  FlowTurns turns;
  turns.add(0, 3, 0, {});
  turns.add(1, 3, 0, {});
  turns.add(2, 3, 0, {});
  turns.wake(0);
  turns.postpone(turns.next(kAll), 500);
  EXPECT_EQ(turns.next_due(), 500);
  EXPECT_THAT(take(turns, 4, kAll), ElementsAre(1, 2, 1, 2));
  EXPECT_EQ(turns.unfinished(), 1 << 3);
  turns.wake(499);
  EXPECT_THAT(take(turns, 2, kAll), ElementsAre(1, 2));
  turns.wake(500);
  EXPECT_EQ(turns.next_due(), kForever);
  EXPECT_THAT(take(turns, 6, kAll), ElementsAre(1, 2, 0, 1, 2, 0));
}

TEST(FlowTurns, APriorityOfPostponedFlowsIsNotReady) {
  FlowTurns turns;
  turns.add(0, 3, 0, {});
  turns.add(1, 3, 0, {});
  turns.add(2, 5, 0, {});
  turns.wake(0);
  turns.postpone(turns.next(1 << 3), 500);
  turns.postpone(turns.next(1 << 3), 400);
  EXPECT_EQ(turns.ready(), 1 << 5);
  EXPECT_EQ(turns.unfinished(), 1 << 3 | 1 << 5);
  turns.finish(turns.next(kAll));
  EXPECT_EQ(turns.next(kAll), FlowTurns::kNone);
  EXPECT_EQ(turns.next_due(), 400);
}

TEST(FlowTurns, APostponedFlowThatIsPacedKeepsItsSchedule) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.wake(0);
  turns.postpone(turns.next(kAll), 2'500'000);
  EXPECT_EQ(turns.next_due(), 2'500'000);
  turns.wake(2'500'000);
  for (int i = 0; i < 3; ++i) {  // due at 0, 1 and 2 us
    ASSERT_EQ(turns.next(kAll), 0U);
    turns.sent(0, 1000, 2'500'000);
  }
  EXPECT_EQ(turns.next(kAll), FlowTurns::kNone);
  EXPECT_EQ(turns.next_due(), 3'000'000);
}

TEST(FlowTurns, AnExpeditedFlowIsDueNow) {
  FlowTurns turns;
  for (std::uint32_t i = 0; i < 10; ++i) turns.add(i, 3, 0, {});
  turns.wake(0);
  for (std::uint32_t i = 0; i < 10; ++i) turns.postpone(turns.next(kAll), 1000 + i);
  turns.expedite(7, 300);
  EXPECT_EQ(turns.next_due(), 300);
  turns.wake(300);
  EXPECT_EQ(turns.next(kAll), 7U);
  EXPECT_EQ(turns.next_due(), 1000);
  turns.expedite(7, 310);   // it is ready
  turns.expedite(0, 1200);  // it is due already
  EXPECT_EQ(turns.next_due(), 1000);
}

TEST(FlowTurns, AFlowIsNotExpeditedToBeforeItsStart) {
  FlowTurns turns;
  turns.add(0, 3, 1000, {});
  turns.expedite(0, 300);
  EXPECT_EQ(turns.next_due(), 1000);
}

TEST(FlowTurns, NorToBeforeItsOwnRateHasItDue) {
  FlowTurns turns;
  turns.add(0, 3, 0, slow());
  turns.wake(0);
  turns.sent(turns.next(kAll), 1000, 0);
  turns.expedite(0, 300'000);
  EXPECT_EQ(turns.next_due(), 1'000'000);
  turns.wake(1'000'000);
  turns.postpone(turns.next(kAll), 5'000'000);
  turns.expedite(0, 1'200'000);
  EXPECT_EQ(turns.next_due(), 1'200'000);
}

}  // namespace
}  // namespace railyard
