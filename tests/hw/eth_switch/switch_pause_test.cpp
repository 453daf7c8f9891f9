// PFC of a switch in time, both ways.
#include <gtest/gtest.h>

#include "tests/hw/eth_switch/switch_bench.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

// 2:1 at 100G with a small buffer: the senders are paused, nothing is lost, all arrives.
TEST(SwitchPause, TwoToOneLosesNothingAndPausesBoth) {
  SwitchConfig config;
  config.buffers.buffer = kibibytes(1024);
  config.ecn.kmin = 100'000;  // the queue comes to 158 KB
  SwitchBench bench(config, {link_of(100, 10), link_of(100, 10), link_of(100, 10)}, 394);
  for (unsigned from = 0; from < 2; ++from) {
    for (int i = 0; i < 2000; ++i) {
      bench.station(from).queue(bench.station(from).frame_to(2, 1048, 3));
    }
  }
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.station(2).received, 4000U);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  EXPECT_GT(bench.metric("sw.port0.pfc_xoff_sent"), 2);
  EXPECT_EQ(bench.metric("sw.port0.pfc_xoff_sent") - bench.metric("sw.port0.pfc_refresh_sent"),
            bench.metric("sw.port0.pfc_xon_sent"));
  EXPECT_GT(bench.metric("sw.port2.ecn_marked"), 0);
  const auto& log = bench.device->pause_log().sent();
  ASSERT_FALSE(log.empty());
  for (const PauseSent& pause : log) {
    EXPECT_EQ(pause.cause_port, 2);
    EXPECT_FALSE(pause.cause_paused);
    EXPECT_LT(pause.begin, pause.end);
  }
}

// PFC of 1,000 quanta at t: effective at t + response, for 1,000 quanta.
TEST(SwitchPause, AReceivedPauseHoldsTheNextFrameAfterTheResponseDelay) {
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 100;
  SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
  for (int i = 0; i < 400; ++i) bench.station(0).queue(bench.station(0).frame_to(1, 1000, 3));
  bench.station(1).send_pfc(1U << 3, 1000);
  bench.run();
  const Time quantum = 5120;
  const Time received = Rate::gbps(100).time_of(72) + 5 * kNanosecond;
  const Time begins = received + 100 * quantum;
  const Time ends = begins + 1000 * quantum;
  const Time frame = Rate::gbps(100).time_of(1008) + 5 * kNanosecond;
  int during = 0;
  Time first_after = kForever;
  for (const auto& arrival : bench.station(1).arrived) {
    const Time launched = arrival.last_bit - frame;
    if (launched >= begins && launched < ends - config.clock) ++during;
    if (launched > ends - config.clock) first_after = std::min(first_after, launched);
  }
  EXPECT_EQ(bench.station(1).arrived.size(), 400U);
  // A pause lies on the clock's edges: it begins up to a cycle early, and lasts as long.
  EXPECT_EQ(during, 0);
  EXPECT_EQ(first_after, ends / config.clock * config.clock);
}

TEST(SwitchPause, AnotherPriorityGoesOn) {
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 0;
  SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
  bench.station(1).send_pfc(1U << 3, 0xFFFF);
  for (int i = 0; i < 10; ++i) {
    bench.station(0).queue(bench.station(0).frame_to(1, 1000, 3), kMicrosecond);
    bench.station(0).queue(bench.station(0).frame_to(1, 1000, 0), kMicrosecond);
  }
  bench.run(100 * kMicrosecond);
  ASSERT_EQ(bench.station(1).arrived.size(), 10U);
  for (const auto& arrival : bench.station(1).arrived) EXPECT_EQ(arrival.frame.ipv4.dscp, 0);
}

TEST(SwitchPause, AStandingPauseIsRefreshed) {
  SwitchConfig config;
  config.buffers.buffer = kibibytes(1024);
  config.buffers.pfc.quanta = 1024;
  config.buffers.pfc.response_quanta = 0;
  SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
  bench.station(1).send_pfc(1U << 3, 0xFFFF);  // 335 us
  for (int i = 0; i < 1000; ++i) bench.station(0).queue(bench.station(0).frame_to(1, 1048, 3));
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.station(1).received, 1000U);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  // Every 512 quanta of 5.12 ns from the first XOFF on, for more than 300 us.
  EXPECT_GT(bench.metric("sw.port0.pfc_refresh_sent"), 100);
  const auto& control = bench.station(0).control;
  for (std::size_t i = 2; i + 1 < 100; ++i) {
    EXPECT_NEAR(static_cast<double>(control[i].first - control[i - 1].first), 512 * 5120, 10'000);
  }
}

}  // namespace
}  // namespace railyard
