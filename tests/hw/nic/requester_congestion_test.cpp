#include <gtest/gtest.h>

#include "tests/hw/nic/requester_bench.h"
#include "tests/support/allocations.h"

namespace railyard::nic {
namespace {

using requester_test::requester_config;
using requester_test::RequesterBench;
using requester_test::WqeText;

/// A packet in `interval`, at most `bytes` unacknowledged.
struct FakeControl : CongestionControl {
  void open(const QueuePair& /*qp*/) override {}
  void set_listener(CongestionListener* l) override { listener = l; }
  void sent(std::uint32_t /*qp*/, std::uint32_t line_bytes) override {
    lines.push_back(line_bytes);
    decided.push_back(bench->now());
    next = bench->now() + interval;
  }
  void acknowledged(std::uint32_t /*qp*/, const Acknowledgement& ack) override {
    acks.push_back(ack);
  }
  void nak(std::uint32_t /*qp*/) override { ++naks; }
  void timed_out(std::uint32_t /*qp*/) override { ++timeouts; }
  Time next_packet(std::uint32_t /*qp*/) override { return next; }
  std::uint64_t window(std::uint32_t /*qp*/) override { return bytes; }
  double rate_gbps(std::uint32_t /*qp*/) override { return 0; }

  RequesterBench* bench = nullptr;
  CongestionListener* listener = nullptr;
  Time interval = 0;
  Time next = 0;
  std::uint64_t bytes = kNoWindow;
  std::vector<std::uint32_t> lines;
  std::vector<Time> decided;
  std::vector<Acknowledgement> acks;
  int naks = 0, timeouts = 0;
};

struct ControlledBench : FakeControl, RequesterBench {
  ControlledBench() : RequesterBench(requester_config(), this) { FakeControl::bench = this; }
};

TEST(RequesterCongestion, SpacesPacketsAsThePacerSays) {
  ControlledBench b;
  b.interval = 300 * kNanosecond;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 10 * 1024));
  b.run(10 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 10U);
  for (std::size_t i = 2; i < 10; ++i) {
    EXPECT_EQ(b.transmit.sent[i].taken - b.transmit.sent[i - 1].taken, 300 * kNanosecond);
  }
  EXPECT_EQ(b.lines[1], net::line_bytes(net::frame_bytes(b.transmit.sent[1].frame)));
  EXPECT_GT(b.time_of("scheduler.blocked_rate_ns"), 2000);
}

TEST(RequesterCongestion, GoesOnWhenItMayEarlierThanWasSaid) {
  ControlledBench b;
  b.interval = kMillisecond;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 2048));
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 1U);
  b.next = 0;
  b.listener->may_send(0);
  b.run(kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 2U);
}

TEST(RequesterCongestion, KeepsTheWindowAndTellsWhatWasAcknowledged) {
  ControlledBench b;
  b.bytes = 3 * 1024;
  Qp& qp = b.add_qp();
  qp.timeout = 1;
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 5 * 1024));
  b.run(3 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 3U);
  b.ack(qp, 101);
  b.run(kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 5U);
  b.ack(qp, 104);
  ASSERT_EQ(b.acks.size(), 2U);
  EXPECT_EQ(b.acks[0].bytes, 2048U);
  EXPECT_EQ(b.acks[1].bytes, 3072U);
  EXPECT_EQ(b.acks[1].rtt, b.now() - b.transmit.sent[4].sent);
  EXPECT_EQ(b.buffer.released, 2U);
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.run(3 * kMicrosecond);
  b.ack(qp, 105, 0x60);
  b.run(10 * kMicrosecond);
  EXPECT_EQ(b.naks, 1);
  EXPECT_EQ(b.timeouts, 1);
}

// Go-back-N: what is sent again is traffic like any other.
TEST(RequesterCongestion, WhatIsSentAgainIsPacedToo) {
  ControlledBench b;
  b.interval = 300 * kNanosecond;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 8 * 1024));
  b.run(1500 * kNanosecond);
  b.ack(qp, 101, 0x60);  // PSN sequence error
  b.run(10 * kMicrosecond);
  EXPECT_GT(b.decided.size(), 8U);
  for (std::size_t i = 1; i < b.decided.size(); ++i) {
    EXPECT_GE(b.decided[i] - b.decided[i - 1], 300 * kNanosecond) << i;
  }
  EXPECT_EQ(b.psns().back(), 107U);
}

// An RNR NAK comes while the next packet waits for the rate: its time counts, and the rate's too.
TEST(RequesterCongestion, RnrHoldsLongerThanTheRate) {
  ControlledBench b;
  b.interval = 2 * kMicrosecond;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 4 * 1024));
  b.run(3 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 2U);
  b.ack(qp, 100, 0x20 | 1);  // receiver not ready, 10 us
  b.run(9 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 2U);
  b.run(20 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 100, 101, 102, 103}));
  for (std::size_t i = 3; i < 6; ++i) {
    EXPECT_EQ(b.decided[i] - b.decided[i - 1], 2 * kMicrosecond);
  }
}

TEST(RequesterCongestion, AQueuePairThatFailsWhileTheRateHoldsItFlushesAtOnce) {
  ControlledBench b;
  b.interval = kMillisecond;
  Qp& qp = b.add_qp();
  for (int i = 0; i < 3; ++i) b.post(qp, b.message(abi::Opcode::kRdmaWrite, 1024));
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 1U);
  b.fail(qp, abi::EventType::kCompletion);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.completions.all.size(), 3U);
  b.run(5 * kMillisecond);
  EXPECT_EQ(b.transmit.sent.size(), 1U);  // no timer wakes what is gone
}

// What a queue pair costs that has nothing to send.
TEST(RequesterCongestion, KeepsAnIdleQueuePairSmall) {
  EXPECT_EQ(sizeof(RequesterState), 8U);
  EXPECT_LT(sizeof(Qp), 1024U);
}

}  // namespace
}  // namespace railyard::nic
