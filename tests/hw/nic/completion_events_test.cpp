// Events of completion queues: arming, moderation, event queues, interrupts.
#include "tests/hw/nic/completions_bench.h"

namespace railyard::nic {
namespace {

TEST_F(NicCompletions, OneThatIsNotArmedRaisesNoEvent) {
  complete_and_run();
  EXPECT_EQ(events(), 0U);
  EXPECT_THAT(dma.interrupts, IsEmpty());
}

TEST_F(NicCompletions, AnArmedOneRaisesOneEvent) {
  completions.arm_cq(kCq, kArmNext);
  run();
  EXPECT_EQ(events(), 0U);
  complete_and_run();
  complete_and_run();
  EXPECT_EQ(events(), 1U);
  EXPECT_EQ(eqe(0).type, static_cast<abi::Byte>(abi::EventType::kCompletion));
  EXPECT_EQ(eqe(0).number, kCq);
  EXPECT_EQ(eqe(0).owner, 0U);
  EXPECT_THAT(dma.interrupts, ElementsAre(9U));
}

TEST_F(NicCompletions, ArmingBehindAnEntryThatWasNotConsumedRaisesItAtOnce) {
  complete_and_run();
  complete_and_run();
  completions.arm_cq(kCq, 2);  // all consumed
  run();
  EXPECT_EQ(events(), 0U);
  completions.arm_cq(kCq, 1U << 28 | 1);  // the second is not
  run();
  EXPECT_EQ(events(), 1U);
}

TEST_F(NicCompletions, ArmingKeepsCountOverTheWrapOf24Bits) {
  completions.arm_cq(kCq, 0xFF'FFFF);  // one before entry 0: as if it were not consumed
  run();
  EXPECT_EQ(events(), 1U);
}

TEST_F(NicCompletions, ArmedForSolicitedOnesIgnoresOthers) {
  completions.arm_cq(kCq, abi::kCqArmSolicited);
  complete_and_run(false);
  EXPECT_EQ(events(), 0U);
  complete_and_run(true);
  EXPECT_EQ(events(), 1U);
}

TEST_F(NicCompletions, ArmedForSolicitedOnesTakesErrors) {
  completions.arm_cq(kCq, abi::kCqArmSolicited);
  complete(false, abi::CqeOpcode::kResponderError);
  run();
  EXPECT_EQ(events(), 1U);
}

TEST_F(NicCompletions, ArmingForSolicitedOnesLooksAtThoseBeyondTheIndexAlone) {
  complete_and_run(true);
  complete_and_run(false);
  completions.arm_cq(kCq, abi::kCqArmSolicited | 1);
  run();
  EXPECT_EQ(events(), 0U);
  completions.arm_cq(kCq, abi::kCqArmSolicited | 0);
  run();
  EXPECT_EQ(events(), 1U);
}

// --- moderation ---

TEST_F(NicCompletions, EventsAreModeratedByTimeExactly) {
  make_cq(10 * kMicrosecond, 0);
  dma.store<abi::Be32>(kRecord, 0);
  completions.arm_cq(kCq, 0);
  complete();
  run(100 * kNanosecond);
  const std::size_t first = events();
  EXPECT_EQ(first, 1U);  // nothing was before
  const Time raised = 1 * kNanosecond;
  completions.consume_eq(1, 1, true);
  completions.arm_cq(kCq, 1);
  complete();
  run(raised + 10 * kMicrosecond - kPicosecond - partition.now());
  EXPECT_EQ(events(), 1U);
  run(3 * kNanosecond);
  EXPECT_EQ(events(), 2U);
}

TEST_F(NicCompletions, EventsAreModeratedByCountExactly) {
  make_cq(0, 3);
  completions.arm_cq(kCq, 0);
  complete_and_run();
  complete_and_run();
  EXPECT_EQ(events(), 0U);
  complete_and_run();
  EXPECT_EQ(events(), 1U);
}

TEST_F(NicCompletions, TheCountEndsTheTime) {
  make_cq(100 * kMicrosecond, 3);
  completions.arm_cq(kCq, 0);
  complete();
  run(100 * kNanosecond);
  EXPECT_EQ(events(), 1U);
  completions.arm_cq(kCq, 1);
  complete();
  complete();
  run(100 * kNanosecond);
  EXPECT_EQ(events(), 1U);
  dma.store<abi::Be32>(kRecord, 3);
  complete();
  run(100 * kNanosecond);
  EXPECT_EQ(events(), 2U);
}

TEST_F(NicCompletions, AChangeOfModerationIsTakenAtOnce) {
  make_cq(0, 3);
  completions.arm_cq(kCq, 0);
  complete_and_run();
  completions.modify_cq(kCq, 0, 0);
  run();
  EXPECT_EQ(events(), 1U);
}

TEST_F(NicCompletions, InterruptsAreModeratedLikewise) {
  make_eq(10 * kMicrosecond, 3);
  for (std::uint32_t i = 0; i < 4; ++i) {
    completions.arm_cq(kCq, i);
    complete();
    run(100 * kNanosecond);
    completions.consume_eq(1, i == 0 ? 1 : 0, true);
    // The first at once, then when three more were written.
    EXPECT_EQ(events(), i + 1);
    EXPECT_EQ(dma.interrupts.size(), i < 3 ? 1U : 2U);
  }
}

TEST_F(NicCompletions, InterruptsAreModeratedByTimeExactly) {
  make_eq(10 * kMicrosecond, 0);
  completions.arm_cq(kCq, 0);
  complete_and_run();
  completions.consume_eq(1, 1, true);
  completions.arm_cq(kCq, 1);
  complete_and_run();
  run(20 * kMicrosecond);
  ASSERT_EQ(dma.interrupts.size(), 2U);
  EXPECT_EQ(dma.interrupt_times[1] - dma.interrupt_times[0], 10 * kMicrosecond);
}

// --- event queues ---

TEST_F(NicCompletions, AnInterruptIsRaisedOnlyIfTheQueueIsArmed) {
  completions.arm_cq(kCq, 0);
  complete_and_run();
  completions.arm_cq(kCq, 1);
  complete_and_run();
  EXPECT_EQ(events(), 2U);
  EXPECT_EQ(dma.interrupts.size(), 1U);
  completions.consume_eq(1, 1, false);
  run();
  EXPECT_EQ(dma.interrupts.size(), 1U);
  completions.consume_eq(1, 1, true);  // the second event is not consumed
  run();
  EXPECT_EQ(dma.interrupts.size(), 2U);
  completions.consume_eq(1, 2, true);
  run();
  EXPECT_EQ(dma.interrupts.size(), 2U);
}

TEST_F(NicCompletions, EventsHaveTheOwnerBitOfTheirRound) {
  for (std::uint32_t i = 0; i < 9; ++i) {
    dma.store<abi::Be32>(kRecord, i);
    completions.arm_cq(kCq, i);
    complete_and_run();
    EXPECT_EQ(eqe(i % 4).owner, i / 4 % 2);
    consume_events();
  }
  EXPECT_EQ(dma.interrupts.size(), 9U);
}

TEST_F(NicCompletions, AnEventWithoutRoomIsLostAndTold) {
  for (std::uint32_t i = 0; i < 5; ++i) completions.event(abi::EventType::kQpAccessError, i);
  run();
  EXPECT_EQ(overruns, 1);
  EXPECT_EQ(metric("event.overruns"), 1U);
  EXPECT_EQ(dma.load<abi::Eqe>(kEq0Address).number, 0U);
  completions.consume_eq(0, 1, false);
  completions.event(abi::EventType::kQpAccessError, 9);
  run();
  EXPECT_EQ(dma.load<abi::Eqe>(kEq0Address).number, 9U);
  EXPECT_EQ(overruns, 1);
}

TEST_F(NicCompletions, EventsOfQueuePairsNeedEventQueue0) {
  completions.destroy_eq(0);
  completions.event(abi::EventType::kQpAccessError, 1);
  run();
  EXPECT_THAT(dma.writes, IsEmpty());
}

}  // namespace
}  // namespace railyard::nic
