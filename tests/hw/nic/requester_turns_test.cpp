// Turns of queue pairs, doorbells, what waits.
#include <gtest/gtest.h>

#include "tests/hw/nic/requester_bench.h"

namespace railyard::nic {
namespace {

using requester_test::requester_config;
using requester_test::RequesterBench;
using requester_test::WqeText;

TEST(RequesterTurns, SharesTheLineByTheWeightsOfClasses) {
  NicConfig config = requester_config();
  config.send.weights = {3, 1};
  config.send.wqe_prefetch = 64;  // the line is the bound
  RequesterBench b(config);
  b.transmit.limit = 4;
  std::array<std::uint64_t, 2> bytes{};
  b.transmit.peer = [&](const auto& s) { bytes[s.cls] += s.frame.payload_bytes; };
  for (std::uint8_t priority = 0; priority < 2; ++priority) {
    Qp& qp = b.add_qp(priority, 10);
    for (int i = 0; i < 1000; ++i) b.put(qp, b.message(abi::Opcode::kRdmaWrite, 1024));
  }
  for (auto& qp : b.qps.all) b.ring(*qp);
  b.run(20 * kMicrosecond);  // some 900 packets
  EXPECT_NEAR(static_cast<double>(bytes[0]) / static_cast<double>(bytes[1]), 3.0, 0.1);
}

TEST(RequesterTurns, LetsOtherPrioritiesPassOneThatHasNoRoom) {
  RequesterBench b;
  b.transmit.paused = 1U << 3;
  Qp& paused = b.add_qp(3);
  Qp& free = b.add_qp(0);
  b.post(paused, b.message(abi::Opcode::kRdmaWrite, 8));
  b.post(free, b.message(abi::Opcode::kRdmaWrite, 8));
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 1U);
  EXPECT_GT(b.time_of("scheduler.blocked_egress_ns"), 4000);
  b.transmit.resume(1U << 3);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 2U);
}

TEST(RequesterTurns, TakesTurnsOfAQuantum) {
  NicConfig config = requester_config();
  config.send.quantum = 2048;
  RequesterBench b(config);
  for (int i = 0; i < 2; ++i) {
    Qp& qp = b.add_qp();
    qp.requester.next_psn = static_cast<std::uint32_t>(1000 * i);
    b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8192));
  }
  for (auto& qp : b.qps.all) b.ring(*qp);
  b.run(10 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{0, 1, 1000, 1001, 2, 3, 1002, 1003, 4, 5, 1004,
                                                  1005, 6, 7, 1006, 1007}));
}

TEST(RequesterTurns, WaitsForContextsAndTranslationsThatMiss) {
  RequesterBench b;
  b.contexts.miss = 300 * kNanosecond;
  b.keys.miss = 700 * kNanosecond;
  Qp& qp = b.add_qp();
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 1500));
  b.put(qp, b.message(abi::Opcode::kRdmaRead, 100));
  b.ring(qp);
  b.run(20 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 102}));
  // Scheduler 1, context 300, fetch 500, wqe 1, translation 700.
  EXPECT_EQ(b.transmit.sent[0].taken, 1502 * kNanosecond);
  EXPECT_EQ(b.transmit.sent[1].taken, 2202 * kNanosecond);
}

TEST(RequesterTurns, IgnoresDoorbellsBeyondTheQueueAndOfQueuePairsThatDoNotSend) {
  RequesterBench b;
  Qp& qp = b.add_qp(0, 4);
  Qp& early = b.add_qp();
  early.state = abi::QpState::kRtr;
  b.seal();
  b.requester->doorbell(qp.number, 17, 0);
  b.requester->doorbell(qp.number, 0xFFFF, 0);
  b.post(early, b.message(abi::Opcode::kSend, 1));
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.metric("requester.bad_doorbells"), 2U);
  EXPECT_TRUE(b.dma.reads.empty());
  early.state = abi::QpState::kRts;
  b.requester->ready(early);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 1U);
}

TEST(RequesterTurns, ForgetsAllOnReset) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  for (int i = 0; i < 20; ++i) b.put(qp, b.message(abi::Opcode::kRdmaWrite, 4096));
  b.ring(qp);
  b.run(600 * kNanosecond);
  EXPECT_FALSE(b.transmit.jobs.empty());
  qp.state = abi::QpState::kReset;
  b.requester->reset(qp);
  const std::size_t before = b.transmit.sent.size();
  b.simulation.run(kSecond);
  EXPECT_EQ(b.transmit.sent.size(), before);
  EXPECT_TRUE(b.completions.all.empty());
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
  // It serves again from index 0.
  qp.state = abi::QpState::kRts;
  b.posted[0] = 0;
  b.post(qp, b.message(abi::Opcode::kSend, 1));
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), before + 1);
}

TEST(RequesterTurns, AsksForAnAcknowledgementOnTheWayOfALongMessage) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  qp.path_mtu = 256;
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 600 * 256));
  b.run(100 * kMicrosecond);
  std::vector<std::uint32_t> asked;
  for (const auto& s : b.transmit.sent) {
    if (s.frame.bth.ack_request) asked.push_back(s.frame.bth.psn - 100);
  }
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{255, 511, 599}));
}

TEST(RequesterTurns, CostsOneEventAPacketInSteadyState) {
  RequesterBench b;
  b.transmit.limit = 8;
  Qp& qp = b.add_qp(0, 10);
  qp.path_mtu = 4096;
  for (int i = 0; i < 1000; ++i) {
    WqeText text = b.message(abi::Opcode::kRdmaWrite, 4096);
    text.flags = 0;
    b.put(qp, text);
  }
  b.transmit.peer = [&](const auto& s) { b.ack(qp, s.frame.bth.psn); };
  b.ring(qp);
  b.run(20 * kMicrosecond);
  const std::uint64_t fired = b.simulation.events_fired();
  const std::size_t sent = b.transmit.sent.size();
  b.run(40 * kMicrosecond);
  const std::size_t packets = b.transmit.sent.size() - sent;
  EXPECT_GT(packets, 450U);
  // Two of the bench a packet: it comes, it leaves. One in four of a fetch.
  EXPECT_LE(b.simulation.events_fired() - fired, packets * 33 / 10);
}

}  // namespace
}  // namespace railyard::nic
