// A queue pair that waits long for its next packet, and one that takes another's place.
#include <gtest/gtest.h>

#include "hw/congestion/dcqcn.h"
#include "tests/hw/congestion/dcqcn_bench.h"

namespace railyard {
namespace {

using support::control_of;
using support::DcqcnBench;
using support::kCycle;
using support::kPacket;

constexpr Time kCut = 10 * kMicrosecond;

/// Down to 1 Mb/s, at which a packet takes 33 ms.
CongestionConfig deep_cuts() {
  CongestionConfig config = control_of(DcqcnSet::kPaper);
  config.dcqcn.rp_clamp_tgt_rate = false;
  config.dcqcn.rp_min_rate = 1;
  config.dcqcn.rp_time_reset = 300 * kMicrosecond;
  return config;
}

void cut_to_the_floor(DcqcnBench& bench) {
  for (int i = 0; i < 20; ++i) bench.cnp(kCut + i * kMicrosecond);
}

// The target is the line's 100 Gb/s still: when the timer is due the rate is 50 Gb/s, and the
// packet that would have waited for 33 ms goes then.
TEST(DcqcnWait, EndsWhenTheTimerHasRaisedTheRate) {
  DcqcnBench bench(deep_cuts());
  cut_to_the_floor(bench);
  bench.send(0, kCut + 40 * kMicrosecond, 400 * kMicrosecond);
  bench.run();
  ASSERT_GE(bench.sent[0].size(), 3U);
  const Time due = kCut + 19 * kMicrosecond + 300 * kMicrosecond;
  const Time second = bench.sent[0][1];
  EXPECT_GT(second, due);
  EXPECT_LT(second, due + kMicrosecond);
  EXPECT_NEAR(static_cast<double>(bench.sent[0][2] - second), kPacket * 8000 / 50.0, 5 * kCycle);
}

// A rate that cannot rise is looked at once in the timer's period, no more: the wait ends by
// itself.
TEST(DcqcnWait, AtTheLargestRateIsNotCutShort) {
  CongestionConfig config = deep_cuts();
  config.dcqcn.rp_max_rate = 1;
  DcqcnBench bench(config);
  bench.send(0, kCut, kCut + 40 * kMillisecond);
  bench.run();
  ASSERT_EQ(bench.sent[0].size(), 2U);
  EXPECT_NEAR(static_cast<double>(bench.sent[0][1] - bench.sent[0][0]), kPacket * 8000 / 0.001,
              3 * kMicrosecond);
}

TEST(DcqcnWait, OfAQueuePairIsNotItsSuccessors) {
  DcqcnBench bench(deep_cuts());
  cut_to_the_floor(bench);
  bench.send(0, kCut + 40 * kMicrosecond, kCut + 41 * kMicrosecond);
  bench.script.at(60 * kMicrosecond, [&] { bench.dcqcn.reopen(0, 3); });
  bench.expect_rate(61 * kMicrosecond, 0, 100, 0.001);
  bench.send(0, 61 * kMicrosecond, 62 * kMicrosecond);
  bench.run();
  ASSERT_GE(bench.sent[0].size(), 3U);
  EXPECT_EQ(bench.sent[0][1], 61 * kMicrosecond);
  EXPECT_NEAR(static_cast<double>(bench.sent[0][2] - bench.sent[0][1]), kPacket * 8000 / 100.0,
              5 * kCycle);
}

}  // namespace
}  // namespace railyard
