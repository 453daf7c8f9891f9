// READ responses, and acknowledgements behind them.
#include <gmock/gmock.h>

#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::FakeTransmit;
using test::responder_config;
using test::ResponderBench;
using testing::ElementsAre;
using testing::IsEmpty;
using Strings = std::vector<std::string>;

struct NicReads : testing::Test {
  ResponderBench bench;
  Qp& qp = bench.make_qp();

  void SetUp() override {
    bench.start();
    for (std::size_t i = 0; i < ResponderBench::kRemoteBytes; ++i) {
      bench.dma.memory[ResponderBench::kRemoteBus + i] = static_cast<std::uint8_t>(i * 31 + i / 97);
    }
  }
  void TearDown() override { bench.expect_empty(); }
  std::vector<std::uint8_t> payload() {
    std::vector<std::uint8_t> all;
    for (const FakeTransmit::Job& job : bench.transmit.jobs) {
      if (!job.dropped) all.insert(all.end(), job.payload.begin(), job.payload.end());
    }
    return all;
  }
  void expect_read(std::uint32_t bytes, std::uint64_t offset) {
    bench.read(qp, bytes, offset);
    bench.run();
    const auto* from = &bench.dma.memory[ResponderBench::kRemoteBus + offset];
    EXPECT_EQ(payload(), std::vector<std::uint8_t>(from, from + bytes));
  }
  void write(std::uint32_t bytes = 8) { bench.send(qp, Opcode::kRcRdmaWriteOnly, bytes); }
};

TEST_F(NicReads, OfNoByteIsOneResponse) {
  expect_read(0, 0);
  EXPECT_EQ(bench.answers(), Strings({"ONLY 0 1f 1"}));
}
TEST_F(NicReads, OfOneByteIsOneResponse) {
  expect_read(1, 77);
  EXPECT_EQ(bench.answers(), Strings({"ONLY 0 1f 1"}));
}
TEST_F(NicReads, OfAPathMtuIsOneResponse) {
  expect_read(ResponderBench::kMtu, 4000);
  EXPECT_EQ(bench.answers(), Strings({"ONLY 0 1f 1"}));
}
TEST_F(NicReads, OfOneByteMoreAreTwo) {
  expect_read(ResponderBench::kMtu + 1, 0);
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "LAST 1 1f 1"}));
}
TEST_F(NicReads, OfManyHaveNoAethInTheMiddle) {
  expect_read(3 * ResponderBench::kMtu, 1);
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "MIDDLE 1", "LAST 2 1f 1"}));
  EXPECT_EQ(qp.responder.expected_psn, 1U);
}

TEST_F(NicReads, AreAnsweredInOrderWithTheirMsn) {
  bench.read(qp, ResponderBench::kMtu + 1);
  bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "LAST 1 1f 1", "ONLY 2 1f 2"}));
}

TEST_F(NicReads, WaitForTheirTranslationInOrder) {
  bench.translation.misses = 2;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "MIDDLE 1", "LAST 2 1f 1", "ONLY 3 1f 2"}));
}

TEST_F(NicReads, WaitForRoom) {
  bench.transmit.rooms = 1;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1"}));
  bench.transmit.give_room(5);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "MIDDLE 1", "LAST 2 1f 1"}));
}

TEST_F(NicReads, AnAckOfALaterRequestWaitsUntilTheResponsesAreOnTheLine) {
  bench.transmit.hold = true;
  bench.read(qp, 2 * ResponderBench::kMtu);
  write();
  bench.run();
  EXPECT_EQ(bench.dma.count(DmaUse::kPayload), 1U);  // carried out, and not acknowledged
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "LAST 1 1f 1"}));
  bench.transmit.let_go();
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "LAST 1 1f 1", "ACK 2 1f 2"}));
  double blocked = 0;
  for (const Metric& m : bench.simulation.metrics()) {
    if (m.info.name == "nic.acknowledge.blocked_egress_ns") blocked = m.value.real;
  }
  EXPECT_GT(blocked, 40);
}

TEST_F(NicReads, ANakWaitsForTheResponsesToo) {
  bench.transmit.hold = true;
  bench.read(qp, 8);
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8, [](net::Frame& f) { f.reth.rkey = 1; });
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ONLY 0 1f 1"}));
  EXPECT_THAT(bench.failures, IsEmpty());
  bench.transmit.let_go();
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ONLY 0 1f 1", "ACK 1 62 1"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kQpAccessError));
}

TEST_F(NicReads, AsManyAsAllowedAreTakenAndOneMoreIsRefused) {
  bench.transmit.hold = true;
  for (int i = 0; i < 4; ++i) bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers().size(), 4U);
  bench.read(qp, 1);
  bench.run();
  bench.transmit.let_go();
  bench.run();
  EXPECT_EQ(bench.answers().back(), "ACK 4 61 4");
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kQpInvalidRequest));
}

TEST_F(NicReads, ADuplicateDoesNotCountForTheBound) {
  bench.read(qp, 1);
  bench.run();
  bench.transmit.hold = true;
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 1);
  for (int i = 0; i < 4; ++i) bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers().size(), 6U);
  bench.transmit.let_go();
  bench.run();
  EXPECT_THAT(bench.failures, IsEmpty());
}

TEST_F(NicReads, AsManyAtOnceAreRefusedLikewise) {
  for (int i = 0; i < 5; ++i) bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers().back(), "ACK 4 61 4");
}

TEST_F(NicReads, NeedTheRightOfKeyAndQueuePair) {
  bench.translation.keys[ResponderBench::kRkey].access = abi::access::kRemoteWrite;
  bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 62 0"}));
}

TEST_F(NicReads, NeedTheRightOfTheQueuePair) {
  qp.access = abi::access::kRemoteWrite;
  bench.read(qp, 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 62 0"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kQpAccessError));
}

TEST_F(NicReads, BeyondTheKeyAreRefusedBeforeTheFirstResponse) {
  bench.read(qp, ResponderBench::kMtu + 1, ResponderBench::kRemoteBytes - ResponderBench::kMtu);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 62 0"}));
}

TEST_F(NicReads, OfMoreThanAMessageAreRefused) {
  bench.send(qp, Opcode::kRcRdmaReadRequest, 0,
             [](net::Frame& f) { f.reth.dma_length = 0x8000'0001; });
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 61 0"}));
}

TEST_F(NicReads, AKeyThatGoesMeanwhileIsRefusedBehindWhatWasMade) {
  bench.transmit.rooms = 1;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.run();
  bench.translation.keys.clear();
  bench.transmit.give_room(5);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "ACK 1 62 1"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kQpAccessError));
}

TEST_F(NicReads, APayloadThatCannotBeReadIsARemoteOperationalError) {
  bench.transmit.hold = true;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.run();
  bench.transmit.jobs[0].on_line = true;
  {
    const Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
    bench.transmit.jobs[0].client->sent(bench.transmit.jobs[0].ticket, *packet);
  }
  bench.transmit.fail(1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "ACK 1 63 1"}));
  EXPECT_THAT(bench.failures, ElementsAre(abi::EventType::kQpCatastrophic));
}

TEST_F(NicReads, ADuplicateIsAnsweredAgain) {
  bench.read(qp, ResponderBench::kMtu + 1);
  bench.run();
  const std::uint32_t after = bench.psn;
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, ResponderBench::kMtu + 1);
  bench.run();
  EXPECT_EQ(bench.answers(),
            Strings({"FIRST 0 1f 1", "LAST 1 1f 1", "FIRST 0 1f 1", "LAST 1 1f 1"}));
  EXPECT_EQ(qp.responder.expected_psn, after);
}

TEST_F(NicReads, ADuplicateOfTheRestIsAnsweredByItsOwnReth) {
  bench.read(qp, 3 * ResponderBench::kMtu, 100);
  bench.run();
  bench.transmit.jobs.clear();
  bench.psn = psn::add(ResponderBench::kFirstPsn, 1);
  expect_read(2 * ResponderBench::kMtu, 100 + ResponderBench::kMtu);
  EXPECT_EQ(bench.answers(), Strings({"FIRST 1 1f 1", "LAST 2 1f 1"}));
}

TEST_F(NicReads, ADuplicateThatReachesIntoTheFutureIsIgnored) {
  bench.read(qp, 2 * ResponderBench::kMtu);
  bench.run();
  bench.transmit.jobs.clear();
  bench.psn = psn::add(ResponderBench::kFirstPsn, 1);
  bench.read(qp, 2 * ResponderBench::kMtu);
  bench.run();
  EXPECT_THAT(bench.answers(), IsEmpty());
}

TEST_F(NicReads, ADuplicateEndsTheResponsesThatItAsksForAgain) {
  bench.transmit.rooms = 1;
  bench.read(qp, 2 * ResponderBench::kMtu);  // 0, 1
  bench.read(qp, 2 * ResponderBench::kMtu);  // 2, 3
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1"}));
  bench.psn = psn::add(ResponderBench::kFirstPsn, 1);
  bench.read(qp, ResponderBench::kMtu, ResponderBench::kMtu);  // 1 alone
  bench.read(qp, 2 * ResponderBench::kMtu);                    // 2, 3 again
  bench.run();
  bench.transmit.give_room(9);
  bench.run();
  EXPECT_EQ(bench.answers(),
            Strings({"FIRST 0 1f 1", "ONLY 1 1f 2", "FIRST 2 1f 2", "LAST 3 1f 2"}));
  EXPECT_EQ(ReadEngine::outstanding(qp), 0U);
}

TEST_F(NicReads, OneThatIsCutInTheMiddleIsFollowedByTheNewOnes) {
  bench.transmit.rooms = 1;
  bench.read(qp, 3 * ResponderBench::kMtu);  // 0, 1, 2
  bench.read(qp, 1);                         // 3
  bench.run();
  bench.psn = psn::add(ResponderBench::kFirstPsn, 2);
  bench.read(qp, ResponderBench::kMtu, 2 * ResponderBench::kMtu);  // 2 alone
  bench.read(qp, 1);                                               // 3 again
  bench.run();
  bench.transmit.give_room(9);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "MIDDLE 1", "ONLY 2 1f 2", "ONLY 3 1f 2"}));
}

TEST_F(NicReads, OneThatIsCutWhileItsTranslationIsReadIsFollowedByTheNewOnes) {
  bench.read(qp, 3 * ResponderBench::kMtu);  // 0, 1, 2
  bench.translation.misses = 2;              // of the first two responses
  bench.run(800 * kNanosecond);
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"FIRST 0 1f 1", "FIRST 0 1f 1", "MIDDLE 1", "LAST 2 1f 1"}));
  EXPECT_EQ(ReadEngine::outstanding(qp), 0U);
}

TEST_F(NicReads, AResetTakesBackWhatIsNotOnTheLine) {
  bench.transmit.hold = true;
  bench.transmit.rooms = 2;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.translation.misses = 1;
  bench.run(100 * kNanosecond);
  bench.responder->reset(qp);
  qp.state = abi::QpState::kReset;
  bench.run();
  EXPECT_THAT(bench.answers(), IsEmpty());
  bench.transmit.give_room(3);
  bench.transmit.let_go();
  bench.run();
  EXPECT_THAT(bench.answers(), IsEmpty());
}

TEST_F(NicReads, TranslateAPacketWithoutWaitingForTheOneBefore) {
  bench.translation.time = 400 * kNanosecond;
  expect_read(4 * ResponderBench::kMtu, 0);
  ASSERT_EQ(bench.transmit.jobs.size(), 4U);
  EXPECT_LT(bench.transmit.jobs[3].at - bench.transmit.jobs[0].at, bench.translation.time / 4);
}

struct NicReadTurns : testing::Test {
  ResponderBench bench;
};

TEST_F(NicReadTurns, QueuePairsTakeTurnsAPacketEach) {
  Qp& a = bench.make_qp();
  Qp& b = bench.make_qp();
  bench.start();
  bench.transmit.rooms = 1;
  bench.read(a, 3 * ResponderBench::kMtu);
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(b, 3 * ResponderBench::kMtu);
  bench.run();
  bench.transmit.give_room(9);
  bench.run();
  std::vector<std::uint32_t> order;
  for (const FakeTransmit::Job& job : bench.transmit.jobs) {
    order.push_back(job.frame.bth.destination_qp);
  }
  EXPECT_THAT(order, ElementsAre(0x80, 0x80, 0x81, 0x80, 0x81, 0x81));
  bench.expect_empty();
}

}  // namespace
}  // namespace railyard::nic
