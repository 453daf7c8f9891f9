// SENDs and receive WQEs.
#include <gmock/gmock.h>

#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using abi::CqeOpcode;
using net::Opcode;
using test::responder_config;
using test::ResponderBench;
using testing::ElementsAre;
using testing::IsEmpty;
using Strings = std::vector<std::string>;

constexpr std::uint64_t kLocalBus = ResponderBench::kLocalBus + 0x100;  // of the key's first byte

struct NicReceiveQueue : testing::Test {
  ResponderBench bench;
  Qp& qp = bench.make_qp();

  void TearDown() override { bench.expect_empty(); }
  void post(const std::vector<abi::DataSegment>& segments) { bench.post(qp, segments); }
  static abi::DataSegment local(std::uint32_t length, std::uint64_t offset = 0) {
    return ResponderBench::local(length, offset);
  }
  const Completion& completion(std::size_t i) { return bench.completions.completions.at(i); }
  std::vector<std::uint16_t> indices() {
    std::vector<std::uint16_t> all;
    for (const Completion& c : bench.completions.completions) all.push_back(c.wqe_counter);
    return all;
  }
};

TEST_F(NicReceiveQueue, ScattersASendOverTheSegmentsOfItsWqe) {
  post({local(100), local(200, 1000), local(300, 2000)});
  bench.start();
  bench.send(qp, Opcode::kRcSendFirst, ResponderBench::kMtu);
  bench.send(qp, Opcode::kRcSendLast, 100, [](net::Frame& f) { f.bth.solicited_event = true; });
  bench.run();
  bench.expect_bytes(kLocalBus, 0xFF'FFFE, 0, 100);
  bench.expect_bytes(kLocalBus + 1000, 0xFF'FFFE, 100, 156);
  bench.expect_bytes(kLocalBus + 1000 + 156, 0xFF'FFFF, 0, 44);
  bench.expect_bytes(kLocalBus + 2000, 0xFF'FFFF, 44, 56);
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 1f 1"}));
  ASSERT_EQ(bench.completions.completions.size(), 1U);
  EXPECT_EQ(completion(0).opcode, CqeOpcode::kResponderSend);
  EXPECT_EQ(completion(0).byte_count, ResponderBench::kMtu + 100);
  EXPECT_EQ(completion(0).cq, 7U);
  EXPECT_EQ(completion(0).qp, qp.number);
  EXPECT_EQ(completion(0).wqe_counter, 0U);
  EXPECT_TRUE(completion(0).solicited);
}

TEST_F(NicReceiveQueue, EachMessageTakesTheNextWqeAndBringsItsImmediate) {
  for (int i = 0; i < 3; ++i) post({local(64, 100 * static_cast<unsigned>(i))});
  bench.start();
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.send(qp, Opcode::kRcSendOnlyWithImmediate, 0,
             [](net::Frame& f) { f.immediate.value = 0x12345678; });
  bench.send(qp, Opcode::kRcRdmaWriteOnlyWithImmediate, 16,
             [](net::Frame& f) { f.immediate.value = 0xABCD; });
  bench.run();
  EXPECT_THAT(indices(), ElementsAre(0, 1, 2));
  EXPECT_EQ(completion(1).opcode, CqeOpcode::kResponderSendImm);
  EXPECT_EQ(completion(1).immediate, 0x12345678U);
  EXPECT_EQ(completion(1).byte_count, 0U);
  EXPECT_EQ(completion(2).opcode, CqeOpcode::kResponderWriteImm);
  EXPECT_EQ(completion(2).immediate, 0xABCDU);
  EXPECT_EQ(completion(2).byte_count, 16U);
  EXPECT_FALSE(completion(0).solicited);
}

TEST_F(NicReceiveQueue, AWriteWithImmediateNeedsItsWqeWithItsLastPacketOnly) {
  bench.start();
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = ResponderBench::kMtu + 8; });
  bench.send(qp, Opcode::kRcRdmaWriteLastWithImmediate, 8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 2c 0"}));
  EXPECT_EQ(bench.dma.count(DmaUse::kPayload), 1U);
  post({local(0)});
  bench.psn = psn::add(ResponderBench::kFirstPsn, 1);
  bench.send(qp, Opcode::kRcRdmaWriteLastWithImmediate, 8);
  bench.run();
  EXPECT_EQ(bench.answers().back(), "ACK 1 1f 1");
  EXPECT_EQ(completion(0).byte_count, ResponderBench::kMtu + 8);
}

TEST_F(NicReceiveQueue, WithoutAWqeTheRequesterIsToldToComeAgainAndNothingIsConsumed) {
  bench.start();
  bench.send(qp, Opcode::kRcSendFirst, ResponderBench::kMtu);
  bench.send(qp, Opcode::kRcSendLast, 8);  // silently dropped
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 2c 0"}));
  EXPECT_EQ(bench.metric("responder.rnr_naks"), 1U);
  EXPECT_THAT(bench.dma.writes, IsEmpty());
  post({local(1000)});
  bench.psn = ResponderBench::kFirstPsn;
  bench.send(qp, Opcode::kRcSendFirst, ResponderBench::kMtu);
  bench.send(qp, Opcode::kRcSendLast, 8);
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 2c 0", "ACK 1 1f 1", "ACK 2 2c 1"}));
  EXPECT_THAT(indices(), ElementsAre(0));
}

TEST_F(NicReceiveQueue, AWqePostedWhileTheRecordIsReadIsFoundByReadingItAgain) {
  bench.start();
  bench.responder->reset(qp);
  qp.responder.expected_psn = bench.psn;
  bench.responder->ready(qp);  // reads the record
  bench.later.in(400 * kNanosecond, [&] { bench.send(qp, Opcode::kRcSendOnly, 8); });
  // The record is read at 500 ns, as it is then; what is posted after that the next read finds.
  bench.later.in(700 * kNanosecond, [&] { post({local(64)}); });
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1"}));
}

TEST_F(NicReceiveQueue, WaitsForTheWqeInFrontOfTheStage) {
  post({local(64)});
  bench.dma.read_time = 2 * kMicrosecond;
  bench.simulation.seal();
  bench.responder->ready(qp);
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1"}));
  double blocked = 0;
  for (const Metric& m : bench.simulation.metrics()) {
    if (m.info.name == "nic.responder.transport.blocked_receive_queue_ns") blocked = m.value.real;
  }
  EXPECT_NEAR(blocked, 4000, 10);  // the record, then the WQE
}

TEST_F(NicReceiveQueue, GoesRoundTheRingAndReadsAheadAtMostSoManyInFewReads) {
  bench.start();
  std::uint32_t most = 0;
  for (int i = 0; i < 100; ++i) {
    while (static_cast<std::uint16_t>(bench.posted[0] - i) < 16) post({local(64)});
    bench.send(qp, Opcode::kRcSendOnly, 8);
    bench.run(2 * kMicrosecond);
    const ReceiveQueueState& q = qp.responder.receive;
    most = std::max<std::uint32_t>(most, static_cast<std::uint16_t>(q.asked - q.consumed));
  }
  ASSERT_EQ(bench.completions.completions.size(), 100U);
  for (std::uint16_t i = 0; i < 100; ++i) EXPECT_EQ(indices()[i], i);
  EXPECT_EQ(bench.metric("responder.rnr_naks"), 0U);
  EXPECT_EQ(most, bench.config.receive.wqe_prefetch);
  EXPECT_LE(bench.metric("receive_queue.wqe_reads"), 60U);
}

TEST_F(NicReceiveQueue, KeepsCountOverTheWrapOfTheIndex) {
  bench.start();
  ReceiveQueueState& q = qp.responder.receive;
  q.posted = q.asked = q.consumed = q.completed = 0xFFFE;
  bench.posted[0] = 0xFFFE;
  for (int i = 0; i < 4; ++i) post({local(64)});
  for (int i = 0; i < 4; ++i) bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_THAT(indices(), ElementsAre(0xFFFE, 0xFFFF, 0, 1));
}

TEST_F(NicReceiveQueue, ASendOfAsMuchAsItsWqeHoldsIsTaken) {
  post({local(ResponderBench::kMtu), local(1, 500)});
  bench.start();
  bench.send(qp, Opcode::kRcSendFirst, ResponderBench::kMtu);
  bench.send(qp, Opcode::kRcSendLast, 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 1f 1"}));
}

TEST_F(NicReceiveQueue, ASendOfMoreIsALocalLengthErrorAndTheRestIsFlushed) {
  post({local(ResponderBench::kMtu), local(1, 500)});
  post({local(64)});
  bench.start();
  bench.send(qp, Opcode::kRcSendFirst, ResponderBench::kMtu);
  bench.send(qp, Opcode::kRcSendLast, 2);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 61 0"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kCompletion));
  ASSERT_EQ(bench.completions.completions.size(), 2U);
  EXPECT_EQ(completion(0).opcode, CqeOpcode::kResponderError);
  EXPECT_EQ(completion(0).syndrome, abi::Syndrome::kLocalLength);
  EXPECT_EQ(completion(0).wqe_counter, 0U);
  EXPECT_EQ(completion(1).syndrome, abi::Syndrome::kFlushed);
  EXPECT_EQ(completion(1).wqe_counter, 1U);
}

TEST_F(NicReceiveQueue, ABadLkeyIsALocalProtectionError) {
  post({local(8), {64, 0x999, ResponderBench::kLocalVa}});
  bench.start();
  bench.send(qp, Opcode::kRcSendOnly, 9);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 63 0"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kCompletion));
  EXPECT_EQ(completion(0).syndrome, abi::Syndrome::kLocalProtection);
}

TEST_F(NicReceiveQueue, ALkeyWithoutLocalWriteIsALocalProtectionError) {
  bench.translation.keys[ResponderBench::kLkey].access = 0;
  post({local(64)});
  bench.start();
  bench.send(qp, Opcode::kRcSendOnly, 9);
  bench.run();
  EXPECT_EQ(completion(0).syndrome, abi::Syndrome::kLocalProtection);
}

TEST_F(NicReceiveQueue, FlushesWhatIsPostedOnceEachAlsoWhatIsPostedLater) {
  for (int i = 0; i < 3; ++i) post({local(64)});
  bench.start();
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run(2 * kMicrosecond);
  bench.fail(qp, abi::EventType::kCompletion);
  bench.run(2 * kMicrosecond);
  EXPECT_THAT(indices(), ElementsAre(0, 1, 2));
  EXPECT_EQ(completion(0).opcode, CqeOpcode::kResponderSend);
  EXPECT_EQ(completion(1).syndrome, abi::Syndrome::kFlushed);
  EXPECT_EQ(completion(2).syndrome, abi::Syndrome::kFlushed);
  const Time posted = bench.partition.now();
  post({local(64)});
  bench.later.in(20 * kMicrosecond, [] {});  // something else keeps the run alive
  while (bench.completions.completions.size() < 4 && bench.partition.now() < posted + 20000000) {
    bench.run(100 * kNanosecond);
  }
  EXPECT_THAT(indices(), ElementsAre(0, 1, 2, 3));
  EXPECT_LE(bench.partition.now() - posted, 4600 * kNanosecond);
  bench.run(30 * kMicrosecond);
  EXPECT_EQ(bench.completions.completions.size(), 4U);
}

TEST_F(NicReceiveQueue, TheErrorStateDoesNotKeepARunAliveAndAResetEndsItsPolling) {
  bench.start();
  bench.fail(qp, abi::EventType::kCompletion);
  bench.run(kMillisecond);
  EXPECT_LT(bench.partition.now(), 100 * kMicrosecond);
  bench.responder->reset(qp);
  const std::size_t reads = bench.dma.reads.size();
  bench.later.in(20 * kMicrosecond, [] {});
  bench.run(kMillisecond);
  EXPECT_EQ(bench.dma.reads.size(), reads);
}

TEST_F(NicReceiveQueue, ARecordThatSaysMoreThanTheQueueHoldsIsIgnored) {
  bench.start();
  bench.dma.store<abi::Be32>(qp.doorbell_record, 17);  // of 16
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 2c 0"}));
  bench.dma.store<abi::Be32>(qp.doorbell_record, 16);
  for (std::uint32_t i = 0; i < 16; ++i) {
    bench.dma.store(qp.receive.entry(i), local(64));
    bench.dma.store(qp.receive.entry(i) + 16, abi::DataSegment{0, abi::kInvalidLkey, 0});
  }
  bench.psn = ResponderBench::kFirstPsn;
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_EQ(bench.answers().back(), "ACK 0 1f 1");
}

TEST_F(NicReceiveQueue, AQueueThatCannotBeReadBreaksTheQueuePair) {
  bench.start();
  post({local(64)});
  bench.dma.failing_record = qp.receive.entry(0);
  bench.send(qp, Opcode::kRcSendOnly, 8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 63 0"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kQpCatastrophic));
}

}  // namespace
}  // namespace railyard::nic
