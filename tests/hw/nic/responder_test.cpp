// PSNs, WRITEs, acknowledgements.
#include <gmock/gmock.h>

#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::responder_config;
using test::ResponderBench;
using testing::ElementsAre;
using testing::IsEmpty;
using Strings = std::vector<std::string>;

struct NicResponder : testing::Test {
  ResponderBench bench;
  Qp& qp = bench.make_qp();

  void SetUp() override { bench.start(); }
  void TearDown() override { bench.expect_empty(); }
  /// FIRST, MIDDLE..., LAST of a WRITE of `bytes`.
  void write(std::uint32_t bytes) {
    const std::uint32_t packets = packets_of(bytes, ResponderBench::kMtu);
    for (std::uint32_t i = 0; i < packets; ++i) {
      const Opcode opcode = packets == 1       ? Opcode::kRcRdmaWriteOnly
                            : i == 0           ? Opcode::kRcRdmaWriteFirst
                            : i + 1 == packets ? Opcode::kRcRdmaWriteLast
                                               : Opcode::kRcRdmaWriteMiddle;
      bench.send(qp, opcode, std::min(ResponderBench::kMtu, bytes - i * ResponderBench::kMtu),
                 [&](net::Frame& f) { f.reth.dma_length = bytes; });
    }
  }
  void expect_broken(const std::string& nak, abi::EventType event) {
    bench.run();
    ASSERT_FALSE(bench.answers().empty());
    EXPECT_EQ(bench.answers().back(), nak);
    EXPECT_THAT(bench.failures, ElementsAre(event));
    const std::size_t before = bench.answers().size();
    const std::size_t writes = bench.dma.writes.size();
    qp.state = abi::QpState::kRts;  // even if it looked alive, it takes nothing
    write(8);
    bench.run();
    EXPECT_EQ(bench.answers().size(), before);
    EXPECT_EQ(bench.dma.writes.size(), writes);
  }
};

TEST_F(NicResponder, WritesEachPacketAndAcknowledgesTheLastOverAPsnWrap) {
  write(2 * ResponderBench::kMtu + 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 2 1f 1"}));
  bench.expect_bytes(ResponderBench::kRemoteBus, 0xFF'FFFE, 0, ResponderBench::kMtu);
  bench.expect_bytes(ResponderBench::kRemoteBus + ResponderBench::kMtu, 0xFF'FFFF, 0,
                     ResponderBench::kMtu);
  bench.expect_bytes(ResponderBench::kRemoteBus + 2 * ResponderBench::kMtu, 0, 0, 1);
  EXPECT_EQ(bench.dma.memory[ResponderBench::kRemoteBus + 2 * ResponderBench::kMtu + 1], 0);
  EXPECT_EQ(qp.responder.expected_psn, 1U);
  EXPECT_EQ(bench.transmit.jobs[0].frame.bth.destination_qp, qp.remote_qp);
  EXPECT_EQ(bench.transmit.jobs[0].frame.udp.source_port, qp.headers.udp.source_port);
  EXPECT_FALSE(bench.transmit.jobs[0].frame.bth.ack_request);
}

TEST_F(NicResponder, AcknowledgesWhenTheLastWriteWasGivenToPcieAndHoldsThePlaceUntilItIsOut) {
  bench.dma.hold_writes = true;
  write(8);
  bench.run(kMicrosecond);
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1"}));
  EXPECT_EQ(bench.buffer.held(), 1U);
  bench.dma.let_go();
  bench.run(kMicrosecond);
  EXPECT_EQ(bench.buffer.held(), 0U);
}

TEST_F(NicResponder, KeepsTheStagesTimes) {
  const Time begin = bench.partition.now();
  write(8);
  bench.run();
  // context 3, transport 1, translation 5, dma_write 1, acknowledge 1.
  EXPECT_EQ(bench.transmit.jobs.at(0).at - begin, 11 * kNanosecond);
}

TEST_F(NicResponder, AWriteOfNoBytesNeedsNoKey) {
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 0, [](net::Frame& f) { f.reth.rkey = 0x999; });
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1"}));
  EXPECT_THAT(bench.dma.writes, IsEmpty());
}

TEST_F(NicResponder, WritesOverPagesThatAreApart) {
  bench.translation.keys[ResponderBench::kRkey].scattered = true;
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 100,
             [](net::Frame& f) { f.reth.virtual_address += 4096 - 60; });
  bench.run();
  bench.expect_bytes(ResponderBench::kRemoteBus + 4096 - 60, 0xFF'FFFE, 0, 60);
  bench.expect_bytes(ResponderBench::kRemoteBus + 8192, 0xFF'FFFE, 60, 40);
  EXPECT_EQ(bench.dma.writes.size(), 2U);
}

TEST_F(NicResponder, SendsOneNakAGapUntilTheExpectedPacketComes) {
  write(8);
  bench.psn = psn::add(bench.psn, 1);  // one is lost
  write(8);
  write(8);
  write(8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1", "ACK 1 60 1"}));
  EXPECT_EQ(bench.metric("responder.out_of_sequence"), 3U);
  EXPECT_EQ(bench.metric("responder.nak_sequence"), 1U);
  bench.psn = psn::add(ResponderBench::kFirstPsn, 1);
  write(8);
  bench.psn = psn::add(bench.psn, 1);  // another gap
  write(8);
  write(8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1", "ACK 1 60 1", "ACK 1 1f 2", "ACK 2 60 2"}));
  EXPECT_EQ(bench.dma.count(DmaUse::kPayload), 2U);
}

TEST_F(NicResponder, APsnHalfTheSpaceAheadIsADuplicateAndOneLessIsAGap) {
  bench.psn = psn::add(ResponderBench::kFirstPsn, 0x7F'FFFF);
  write(8);
  bench.psn = psn::add(ResponderBench::kFirstPsn, 0x80'0000);
  write(8);
  bench.run();
  EXPECT_EQ(bench.metric("responder.out_of_sequence"), 1U);
  EXPECT_EQ(bench.metric("responder.duplicates"), 1U);
}

TEST_F(NicResponder, AcknowledgesADuplicateWriteAgainAndDoesNotWriteIt) {
  write(8);
  bench.run();
  write(8);
  bench.run();
  bench.psn = ResponderBench::kFirstPsn;
  write(8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1", "ACK 1 1f 2", "ACK 1 1f 2"}));
  EXPECT_EQ(bench.dma.writes.size(), 2U);
  EXPECT_EQ(bench.metric("responder.duplicates"), 1U);
}

TEST_F(NicResponder, APacketWithoutAckRequestIsNotAcknowledged) {
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8, [](net::Frame& f) { f.bth.ack_request = false; });
  bench.run();
  EXPECT_THAT(bench.answers(), IsEmpty());
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu, [](net::Frame& f) {
    f.bth.ack_request = true;
    f.reth.dma_length = ResponderBench::kMtu + 1;
  });
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 1f 1"}));
}

// --- invalid requests ---

TEST_F(NicResponder, RefusesAMiddleWithoutAFirst) {
  bench.send(qp, Opcode::kRcRdmaWriteMiddle, ResponderBench::kMtu);
  expect_broken("ACK 0 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesALastWithoutAFirst) {
  bench.send(qp, Opcode::kRcSendLast, 1);
  expect_broken("ACK 0 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAnOnlyInAMessage) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = 600; });
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8);
  expect_broken("ACK 1 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesASendInAWrite) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = 600; });
  bench.send(qp, Opcode::kRcSendMiddle, ResponderBench::kMtu);
  expect_broken("ACK 1 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAReadInAWrite) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = 600; });
  bench.read(qp, 8);
  expect_broken("ACK 1 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAFirstThatIsNotAPathMtu) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu - 1,
             [](net::Frame& f) { f.reth.dma_length = 600; });
  expect_broken("ACK 0 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAnOnlyOfMoreThanAPathMtu) {
  bench.send(qp, Opcode::kRcRdmaWriteOnly, ResponderBench::kMtu + 1);
  expect_broken("ACK 0 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesALastOfNoBytes) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = ResponderBench::kMtu + 1; });
  bench.send(qp, Opcode::kRcRdmaWriteLast, 0);
  expect_broken("ACK 1 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAWriteOfMoreThanItSaid) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = ResponderBench::kMtu + 4; });
  bench.send(qp, Opcode::kRcRdmaWriteLast, 5);
  expect_broken("ACK 1 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAWriteOfLessThanItSaid) {
  bench.send(qp, Opcode::kRcRdmaWriteFirst, ResponderBench::kMtu,
             [](net::Frame& f) { f.reth.dma_length = ResponderBench::kMtu + 4; });
  bench.send(qp, Opcode::kRcRdmaWriteLast, 3);
  expect_broken("ACK 1 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesAnAtomic) {
  bench.send(qp, Opcode::kRcCompareSwap, 0);
  expect_broken("ACK 0 61 0", abi::EventType::kQpInvalidRequest);
}

TEST_F(NicResponder, RefusesASendWithInvalidate) {
  bench.post(qp, {ResponderBench::local(64)});
  bench.send(qp, Opcode::kRcSendOnlyWithInvalidate, 8);
  expect_broken("ACK 0 61 0", abi::EventType::kQpInvalidRequest);
}

// --- remote access ---

TEST_F(NicResponder, RefusesAKeyThatDoesNotExist) {
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8, [](net::Frame& f) { f.reth.rkey = 0x999; });
  expect_broken("ACK 0 62 0", abi::EventType::kQpAccessError);
  EXPECT_THAT(bench.dma.writes, IsEmpty());
}

TEST_F(NicResponder, RefusesAKeyOfAnotherDomain) {
  bench.translation.keys[ResponderBench::kRkey].pd = 2;
  write(8);
  expect_broken("ACK 0 62 0", abi::EventType::kQpAccessError);
}

TEST_F(NicResponder, RefusesAKeyWithoutTheRight) {
  bench.translation.keys[ResponderBench::kRkey].access = abi::access::kRemoteRead;
  write(8);
  expect_broken("ACK 0 62 0", abi::EventType::kQpAccessError);
}

TEST_F(NicResponder, RefusesWhatTheQueuePairDoesNotAllow) {
  qp.access = abi::access::kRemoteRead;
  write(8);
  expect_broken("ACK 0 62 0", abi::EventType::kQpAccessError);
}

TEST_F(NicResponder, TakesAWriteUpToTheLastByteOfTheKey) {
  bench.translation.keys[ResponderBench::kRkey].bytes = ResponderBench::kMtu + 1;
  write(ResponderBench::kMtu + 1);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 1f 1"}));
}

TEST_F(NicResponder, RefusesAWriteBeyondTheKeyBeforeItsFirstByte) {
  bench.translation.keys[ResponderBench::kRkey].bytes = ResponderBench::kMtu;
  write(ResponderBench::kMtu + 1);
  expect_broken("ACK 0 62 0", abi::EventType::kQpAccessError);
  EXPECT_THAT(bench.dma.writes, IsEmpty());
}

TEST_F(NicResponder, TheNakComesBehindWhatWasTakenBefore) {
  write(8);
  bench.translation.misses = 1;
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8, [](net::Frame& f) { f.reth.rkey = 0x999; });
  expect_broken("ACK 1 62 1", abi::EventType::kQpAccessError);
  EXPECT_EQ(bench.dma.count(DmaUse::kPayload), 1U);
}

// --- order over misses ---

TEST_F(NicResponder, PacketsWaitBehindOneThatWaitsForItsKey) {
  bench.translation.misses = 1;
  write(8);
  write(8);
  write(8);
  bench.run(300 * kNanosecond);
  EXPECT_THAT(bench.dma.writes, IsEmpty());
  bench.run();
  EXPECT_EQ(bench.dma.writes.size(), 3U);
  EXPECT_EQ(bench.answers().back(), "ACK 2 1f 3");
  bool blocked = false;
  for (const Metric& m : bench.simulation.metrics()) {
    if (m.info.name == "nic.responder.transport.blocked_key_miss_ns") {
      blocked = m.value.real > 600;
    }
  }
  EXPECT_TRUE(blocked);
}

TEST_F(NicResponder, PacketsStayInOrderOverAContextMiss) {
  bench.contexts.misses = 1;
  write(8);
  write(8);
  bench.run();
  EXPECT_EQ(bench.metric("responder.out_of_sequence"), 0U);
  EXPECT_EQ(bench.answers().back(), "ACK 1 1f 2");
}

// --- the end of a queue pair ---

TEST_F(NicResponder, AResetForgetsWhatWaitsAndGivesItsPlacesBack) {
  bench.translation.misses = 1;
  bench.dma.hold_writes = true;
  write(8);
  write(8);
  bench.run(100 * kNanosecond);
  bench.responder->reset(qp);
  qp.state = abi::QpState::kReset;
  bench.run();
  EXPECT_THAT(bench.dma.writes, IsEmpty());
  EXPECT_THAT(bench.answers(), IsEmpty());
  qp.state = abi::QpState::kRts;
  qp.responder.expected_psn = bench.psn;
  bench.responder->ready(qp);
  bench.dma.let_go();
  write(8);
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 2 1f 1"}));
}

TEST_F(NicResponder, AResetLeavesWritesThatAreWithPcieAlone) {
  bench.dma.hold_writes = true;
  write(8);
  bench.run(kMicrosecond);
  bench.responder->reset(qp);
  EXPECT_EQ(bench.buffer.held(), 1U);
  bench.dma.let_go();
  bench.run();
}

TEST(NicResponderElided, WritesWithoutBytesTakeTheSameTime) {
  NicConfig config = responder_config();
  config.payload_carried = false;
  ResponderBench bench(config);
  const Qp& qp = bench.make_qp();
  bench.start();
  const Time begin = bench.partition.now();
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8);
  bench.run();
  EXPECT_EQ(bench.transmit.jobs.at(0).at - begin, 11 * kNanosecond);
  EXPECT_EQ(bench.dma.writes.at(0).bytes, 8U);
  EXPECT_EQ(bench.dma.memory[ResponderBench::kRemoteBus], 0);
  bench.expect_empty();
}

}  // namespace
}  // namespace railyard::nic
