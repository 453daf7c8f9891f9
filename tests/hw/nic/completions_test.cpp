// Completion queues and event queues.
#include "hw/nic/completions.h"

#include <gmock/gmock.h>

#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using test::bench_config;
using test::FakeDma;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kCq = 5;
constexpr std::uint64_t kCqAddress = 0x10000;
constexpr std::uint64_t kRecord = 0x400;
constexpr std::uint64_t kEqAddress = 0x20000;
constexpr std::uint64_t kEq0Address = 0x30000;
constexpr std::uint32_t kLog = 2;
constexpr std::uint32_t kArmNext = 0;

struct NicCompletions : testing::Test {
  NicConfig config = bench_config();
  Simulation simulation{SimulationConfig{}};
  Partition& partition = simulation.partition(0);
  test::Later later{partition, "bench"};
  FakeDma dma{partition};
  Units units = [this] {
    Units u;
    u.partition = &partition;
    u.name = "nic";
    u.config = &config;
    u.dma = &dma;
    return u;
  }();
  Completions completions{units};
  int overruns = 0;

  void SetUp() override {
    simulation.seal();
    completions.set_overrun([this] { ++overruns; });
    for (std::uint64_t i = 0; i < 4; ++i) {
      dma.store(kCqAddress + 64 * i, abi::Cqe());
      dma.store(kEqAddress + 64 * i, abi::Eqe());
      dma.store(kEq0Address + 64 * i, abi::Eqe());
    }
    completions.create_eq(0, {kEq0Address, kLog, 8, 0, 0});
    make_eq(0, 0);
    make_cq(0, 0);
  }
  void make_eq(Time moderation, std::uint32_t count) {
    completions.create_eq(1, {kEqAddress, kLog, 9, moderation, count});
    completions.consume_eq(1, 0, true);
  }
  void make_cq(Time moderation, std::uint32_t count) {
    completions.create_cq(kCq, {kCqAddress, kRecord, kLog, 1, moderation, count});
  }
  void complete(bool solicited = false, abi::CqeOpcode opcode = abi::CqeOpcode::kResponderSend) {
    Completion c;
    c.cq = kCq;
    c.qp = 0x123456;
    c.opcode = opcode;
    c.syndrome = opcode == abi::CqeOpcode::kResponderError ? abi::Syndrome::kLocalLength
                                                           : abi::Syndrome::kNone;
    c.wqe_counter = ++counter;
    c.byte_count = 1000;
    c.immediate = 0xA0B0C0D0;
    c.solicited = solicited;
    completions.complete(c, partition.now());
  }
  void run(Time time = 5 * kMicrosecond) { simulation.run(simulation.now() + time); }
  void complete_and_run(bool solicited = false) {
    complete(solicited);
    run();
  }
  abi::Cqe cqe(std::uint32_t index) const { return dma.load<abi::Cqe>(kCqAddress + 64 * index); }
  abi::Eqe eqe(std::uint32_t index) const { return dma.load<abi::Eqe>(kEqAddress + 64 * index); }
  std::size_t events() const {
    std::size_t n = 0;
    for (const DmaWrite& w : dma.writes) n += w.address >= kEqAddress && w.address < kEq0Address;
    return n;
  }
  /// Consumes all events, and arms the EQ again.
  void consume_events() { completions.consume_eq(1, static_cast<std::uint32_t>(events()), true); }
  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  std::uint16_t counter = 0;
};

TEST_F(NicCompletions, WriteAllFieldsOfAnEntry) {
  complete_and_run(true);
  const abi::Cqe entry = cqe(0);
  EXPECT_EQ(entry.opcode(), abi::CqeOpcode::kResponderSend);
  EXPECT_EQ(entry.owner(), 0U);
  EXPECT_EQ(entry.opcode_owner, 0x22);
  EXPECT_EQ(entry.opcode_qpn, 0x123456U);
  EXPECT_EQ(entry.wqe_counter, 1U);
  EXPECT_EQ(entry.byte_count, 1000U);
  EXPECT_EQ(entry.immediate, 0xA0B0C0D0U);
  EXPECT_EQ(entry.timestamp, 1U);  // cycles: the stage's latency
  EXPECT_EQ(dma.writes[0].use, DmaUse::kQueueEntry);
  EXPECT_EQ(cqe(1).opcode(), abi::CqeOpcode::kInvalid);
}

TEST_F(NicCompletions, WriteTheRequestersOpcodeAndTheSyndromeOfAnError) {
  Completion c;
  c.cq = kCq;
  c.qp = 7;
  c.opcode = abi::CqeOpcode::kRequesterError;
  c.wqe_opcode = abi::Opcode::kRdmaRead;
  c.syndrome = abi::Syndrome::kRetryExceeded;
  completions.complete(c, 0);
  run();
  EXPECT_TRUE(cqe(0).is_error());
  EXPECT_EQ(cqe(0).syndrome(), abi::Syndrome::kRetryExceeded);
  EXPECT_EQ(cqe(0).opcode_qpn, 0x10000007U);
  std::array<std::uint8_t, 64> bytes{};
  std::memcpy(bytes.data(), &dma.memory[kCqAddress], 64);
  EXPECT_EQ(bytes[55], 0x15);
}

TEST_F(NicCompletions, TheOwnerBitIsTheNumberOfTimesRound) {
  for (std::uint32_t i = 0; i < 12; ++i) {
    dma.store<abi::Be32>(kRecord, i);
    complete_and_run();
    EXPECT_EQ(cqe(i % 4).owner(), i / 4 % 2) << i;
    EXPECT_EQ(cqe(i % 4).wqe_counter, i + 1);
  }
}

TEST_F(NicCompletions, ReadTheConsumerIndexOnlyWhenTheQueueLooksFull) {
  for (int i = 0; i < 4; ++i) complete_and_run();
  EXPECT_THAT(dma.reads, IsEmpty());
  dma.store<abi::Be32>(kRecord, 3);
  complete_and_run();
  ASSERT_EQ(dma.reads.size(), 1U);
  EXPECT_EQ(dma.reads[0].address, kRecord);
  complete_and_run();
  complete_and_run();
  EXPECT_EQ(dma.reads.size(), 1U);
  EXPECT_EQ(metric("completion.entries"), 7U);
}

TEST_F(NicCompletions, ThoseThatComeWhileTheIndexIsReadFollowInOrder) {
  for (int i = 0; i < 4; ++i) complete_and_run();
  dma.store<abi::Be32>(kRecord, 2);
  complete();
  complete();
  run();
  EXPECT_EQ(cqe(0).wqe_counter, 5U);
  EXPECT_EQ(cqe(1).wqe_counter, 6U);
  EXPECT_EQ(metric("completion.overruns"), 0U);
}

struct BreakableQp : QpControl, QpLookup {
  void fail(Qp& of, abi::EventType type) override {
    EXPECT_EQ(&of, &qp);
    failures.push_back(type);
  }
  Qp* find(std::uint32_t number) override { return number == qp.number ? &qp : nullptr; }
  Qp& in_slot(std::uint32_t /*slot*/) override { return qp; }
  Qp qp;
  std::vector<abi::EventType> failures;
};

TEST_F(NicCompletions, WhoCompletesIntoAnOverrunQueueIsBroken) {
  BreakableQp control;
  control.qp.number = 0x123456;
  control.qp.receive.cq = kCq;
  units.control = &control;
  units.qps = &control;
  for (int i = 0; i < 4; ++i) complete();
  run();
  EXPECT_TRUE(control.failures.empty());
  complete();
  run();
  EXPECT_EQ(control.failures, std::vector<abi::EventType>{abi::EventType::kQpCatastrophic});
  complete();  // once the queue is dead
  run();
  EXPECT_EQ(control.failures.size(), 2U);
  // A queue pair that was made anew under the number, and uses other queues, is not at fault.
  control.qp.receive.cq = kCq + 1;
  control.qp.send.cq = kCq + 1;
  complete();
  run();
  EXPECT_EQ(control.failures.size(), 2U);
}

TEST_F(NicCompletions, AnOverrunIsAnEventAndEndsTheQueue) {
  for (int i = 0; i < 6; ++i) complete();
  run();
  EXPECT_EQ(metric("completion.overruns"), 1U);
  EXPECT_EQ(metric("completion.lost"), 2U);
  const auto event = dma.load<abi::Eqe>(kEq0Address);
  EXPECT_EQ(event.type, static_cast<abi::Byte>(abi::EventType::kCqError));
  EXPECT_EQ(event.number, kCq);
  dma.store<abi::Be32>(kRecord, 4);
  complete_and_run();
  EXPECT_EQ(metric("completion.entries"), 4U);
  EXPECT_EQ(metric("completion.lost"), 3U);
}

TEST_F(NicCompletions, OneOfAQueueThatIsGoneIsLost) {
  complete();
  completions.destroy_cq(kCq);
  make_cq(0, 0);  // another with the same number
  run();
  EXPECT_THAT(dma.writes, IsEmpty());
  EXPECT_EQ(metric("completion.lost"), 1U);
}

TEST_F(NicCompletions, AQueueThatGoesWhileItsIndexIsReadIsForgotten) {
  for (int i = 0; i < 5; ++i) complete();
  run(100 * kNanosecond);
  completions.destroy_cq(kCq);
  run();
  EXPECT_EQ(metric("completion.entries"), 4U);
}

// --- arming ---

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
