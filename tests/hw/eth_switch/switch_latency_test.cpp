// An idle switch against the closed form of its latency, to the picosecond.
#include <gtest/gtest.h>

#include "tests/hw/eth_switch/switch_bench.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

Time pipeline_of(const SwitchConfig& config) {
  const PipelineConfig& p = config.pipeline;
  return config.clock *
         static_cast<Time>(p.mac.latency + p.parser.latency + p.ingress.latency + p.buffer.latency +
                           p.scheduler.latency + p.egress.latency);
}

// Sent at 0: preamble, frame and cable to the switch; the pipeline; the same again.
TEST(SwitchLatency, StoreAndForwardIsTwoFramesTwoCablesAndThePipeline) {
  SwitchConfig config;
  SwitchBench bench(config, {link_of(400, 30), link_of(100, 7)});
  bench.station(0).queue(bench.station(0).frame_to(1, 1500, 3));
  bench.run();
  ASSERT_EQ(bench.station(1).arrived.size(), 1U);
  const Time in = Rate::gbps(400).time_of(1508) + 150 * kNanosecond;
  const Time out = Rate::gbps(100).time_of(1508) + 35 * kNanosecond;
  EXPECT_EQ(bench.station(1).arrived[0].last_bit, in + pipeline_of(config) + out);
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
  EXPECT_EQ(bench.station(1).arrived[0].last_bit, in + pipeline_of(config) + out);
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
  EXPECT_EQ(bench.station(1).arrived[0].last_bit, in + pipeline_of(config) + out);
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

}  // namespace
}  // namespace railyard
