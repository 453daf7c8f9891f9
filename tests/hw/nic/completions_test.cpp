// Completion queues: entries, the consumer index, overrun.
#include "tests/hw/nic/completions_bench.h"

namespace railyard::nic {
namespace {

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

}  // namespace
}  // namespace railyard::nic
