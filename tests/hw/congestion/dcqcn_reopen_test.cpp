// Another queue pair in a slot that was used: it begins as one does that is the first.
#include <gtest/gtest.h>

#include "tests/hw/congestion/dcqcn_bench.h"

namespace railyard {
namespace {

using support::control_of;
using support::DcqcnBench;
using support::kCycle;
using support::kPacket;

constexpr Time kSlowPacket = Time{kPacket} * 8 * kNanosecond * 100;  // 10 Mb/s
constexpr Time kLinePacket = Time{kPacket} * 80;                     // 100 Gb/s

/// Class 3 goes at 10 Mb/s, the others as fast as the line.
CongestionConfig slow_class() {
  CongestionConfig config = control_of(DcqcnSet::kPaper);
  DcqcnClassConfig slow;
  slow.traffic_class = 3;
  slow.dcqcn = config.dcqcn;
  slow.dcqcn.rp_max_rate = 10;
  slow.dcqcn.rp_min_rate = 10;
  config.classes.push_back(slow);
  return config;
}

TEST(DcqcnReopen, ANewQueuePairDoesNotWaitForThePaceOfTheOneBeforeIt) {
  DcqcnBench bench(slow_class());
  bench.send(0, kMicrosecond, 2 * kMicrosecond);  // one packet, that takes 3 ms
  bench.script.at(10 * kMicrosecond, [&] {
    EXPECT_GT(bench.dcqcn.next_packet(0), 100 * kMicrosecond);
    bench.dcqcn.reopen(0, 4);
    EXPECT_LE(bench.dcqcn.next_packet(0), 10 * kMicrosecond + 4 * kCycle);
  });
  // At once: before the reaction point has answered.
  bench.send(0, 10 * kMicrosecond + 4 * kCycle, 13 * kMicrosecond);
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  ASSERT_GT(sent.size(), 8U);
  EXPECT_LE(sent[1], 10 * kMicrosecond + 8 * kCycle);
  for (std::size_t i = 2; i < sent.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(sent[i] - sent[i - 1]), kLinePacket, 2.0 * kCycle) << i;
  }
  EXPECT_NEAR(bench.dcqcn.rate_gbps(0), 100, 0.001);
}

TEST(DcqcnReopen, OfASlowClassItIsSlowFromItsFirstPacketOn) {
  DcqcnBench::Options options;
  options.classes = {0};
  DcqcnBench bench(slow_class(), options);
  bench.send(0, kMicrosecond, 3 * kMicrosecond);
  bench.script.at(10 * kMicrosecond, [&] { bench.dcqcn.reopen(0, 3); });
  bench.send(0, 10 * kMicrosecond + 4 * kCycle, 10 * kMillisecond);
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  ASSERT_GT(sent.size(), 3U);
  EXPECT_NEAR(static_cast<double>(sent.back() - sent[sent.size() - 2]), kSlowPacket, 5.0 * kCycle);
  std::size_t after = 0;
  for (const Time t : sent) after += t >= 10 * kMicrosecond ? 1 : 0;
  EXPECT_EQ(after, 3U);  // at 0, 3.4 and 6.7 ms
}

TEST(DcqcnReopen, CnpsOfTheOneBeforeItAreForgotten) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper));
  for (Time i = 1; i < 8; ++i) bench.cnp(i * 60 * kMicrosecond);
  bench.expect_rate(500 * kMicrosecond, 0, 10, 10);  // cut, and on its way up
  bench.script.at(500 * kMicrosecond, [&] { bench.dcqcn.reopen(0, 3); });
  bench.expect_rate(500 * kMicrosecond + 20 * kCycle, 0, 100, 0.001);
  bench.cnp(600 * kMicrosecond);
  bench.expect_rate(600 * kMicrosecond + 20 * kCycle, 0, 50, 0.001);  // alpha is 1 again
  bench.run();
}

}  // namespace
}  // namespace railyard
