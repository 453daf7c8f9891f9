// An idle switch against the closed form of its latency, to the picosecond.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/hw/eth_switch/switch_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

// Sent at 0: preamble, frame and cable to the switch; the pipeline; the same again.
TEST(SwitchLatency, StoreAndForwardIsTwoFramesTwoCablesAndThePipeline) {
  SwitchConfig config;
  SwitchBench bench(config, {link_of(400, 30), link_of(100, 7)});
  bench.station(0).queue(bench.station(0).frame_to(1, 1500, 3));
  bench.run();
  ASSERT_EQ(bench.station(1).arrived.size(), 1U);
  const Time in = Rate::gbps(400).time_of(1508) + 150 * kNanosecond;
  const Time out = Rate::gbps(100).time_of(1508) + 35 * kNanosecond;
  EXPECT_EQ(bench.station(1).arrived[0].last_bit, in + bench::pipeline_of(config) + out);
}

TEST(SwitchLatency, CutThroughIsTheHeadThePipelineAndOneFrame) {
  SwitchConfig config;
  config.switching = Switching::kCutThrough;
  SwitchBench bench(config, {link_of(400, 30), link_of(100, 7)});
  bench.station(0).queue(bench.station(0).frame_to(1, 1500, 3));
  bench.run();
  ASSERT_EQ(bench.station(1).arrived.size(), 1U);
  const Time in = Rate::gbps(400).time_of(8) + 150 * kNanosecond + Rate::gbps(400).time_of(64);
  const Time out = Rate::gbps(100).time_of(1508) + 35 * kNanosecond;
  EXPECT_EQ(bench.station(1).arrived[0].last_bit, in + bench::pipeline_of(config) + out);
  EXPECT_EQ(bench.metric("sw.cut_through_frames"), 1);
}

TEST(SwitchLatency, AFasterEgressStoresAndForwards) {
  SwitchConfig config;
  config.switching = Switching::kCutThrough;
  SwitchBench bench(config, {link_of(100, 30), link_of(400, 7)});
  bench.station(0).queue(bench.station(0).frame_to(1, 1500, 3));
  bench.run();
  ASSERT_EQ(bench.station(1).arrived.size(), 1U);
  const Time in = Rate::gbps(100).time_of(1508) + 150 * kNanosecond;
  const Time out = Rate::gbps(400).time_of(1508) + 35 * kNanosecond;
  EXPECT_EQ(bench.station(1).arrived[0].last_bit, in + bench::pipeline_of(config) + out);
  EXPECT_EQ(bench.metric("sw.cut_through_frames"), 0);
}

// 64 B frames back to back: one of 84 B of line time each, no gap added.
TEST(SwitchLatency, ABusyEgressSendsBackToBack) {
  SwitchBench bench(SwitchConfig{}, {link_of(400, 1), link_of(400, 1)});
  for (int i = 0; i < 100; ++i) bench.station(0).queue(bench.station(0).frame_to(1, 64, 3));
  bench.run();
  const auto& arrived = bench.station(1).arrived;
  ASSERT_EQ(arrived.size(), 100U);
  EXPECT_EQ(arrived.back().last_bit - arrived.front().last_bit, Rate::gbps(400).time_of(99 * 84));
  for (std::size_t i = 0; i < arrived.size(); ++i) EXPECT_EQ(arrived[i].id, i);
}

TEST(SwitchLatency, AnIntervalBoundsThePacketRateOfAPipeline) {
  SwitchConfig config;
  config.pipeline.ingress.interval = 20;  // 20 ns a frame; a 64 B frame takes 1.68 ns of 400G
  SwitchBench bench(config, {link_of(400, 1), link_of(400, 1)});
  for (int i = 0; i < 100; ++i) bench.station(0).queue(bench.station(0).frame_to(1, 64, 3));
  bench.run();
  const auto& arrived = bench.station(1).arrived;
  ASSERT_EQ(arrived.size(), 100U);
  EXPECT_EQ(arrived.back().last_bit - arrived.front().last_bit, 99 * 20 * kNanosecond);
}

/// From the last bit in to the first bit out.
Time time_in(const SwitchConfig& config) {
  const support::FreshKernel kernel;
  SwitchBench bench(config, {link_of(400, 0), link_of(400, 0)});
  bench.station(0).queue(bench.station(0).frame_to(1, 1500, 3));
  bench.run();
  EXPECT_EQ(bench.station(1).arrived.size(), 1U);
  return bench.station(1).arrived[0].last_bit - 2 * Rate::gbps(400).time_of(1508);
}

// The marker takes three cycles from the depth that it is told to the launch of the frame.
TEST(SwitchLatency, AFrameWaitsForItsMarksDecisionWhereThePipelineIsShorter) {
  SwitchConfig config;
  config.clock = 2000;
  PipelineConfig& p = config.pipeline;
  p.mac.latency = p.parser.latency = p.ingress.latency = p.buffer.latency = 0;
  p.scheduler.latency = 1;
  for (const auto& [egress, point, before, marks, cycles] :
       {std::tuple(1U, WredPoint::kDequeue, 0U, true, 3U),
        std::tuple(1U, WredPoint::kDequeue, 0U, false, 2U),
        std::tuple(1U, WredPoint::kDequeue, 9U, true, 9U + 3U),
        std::tuple(2U, WredPoint::kDequeue, 0U, true, 3U),
        std::tuple(5U, WredPoint::kDequeue, 0U, true, 6U),
        std::tuple(0U, WredPoint::kEnqueue, 0U, true, 3U),
        std::tuple(0U, WredPoint::kEnqueue, 1U, true, 1U + 2U),
        std::tuple(0U, WredPoint::kEnqueue, 2U, true, 2U + 1U),
        std::tuple(0U, WredPoint::kEnqueue, 9U, true, 9U + 1U)}) {
    p.egress.latency = egress;
    p.buffer.latency = before;
    config.ecn.point = point;
    config.ecn.enabled = marks;
    EXPECT_EQ(time_in(config), config.clock * cycles) << egress << ' ' << before << ' ' << marks;
  }
  // of the class that marks alone
  p.buffer.latency = p.egress.latency = 0;
  config.ecn_classes = {{3, config.ecn}};
  config.ecn_classes[0].wred.enabled = false;
  EXPECT_EQ(time_in(config), config.clock);
}

}  // namespace
}  // namespace railyard
