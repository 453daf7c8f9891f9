// DCQCN of a port: rates and the times of packets, by its closed forms.
#include "hw/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "tests/hw/congestion/dcqcn_bench.h"

namespace railyard {
namespace {

using support::control_of;
using support::DcqcnBench;
using support::kCycle;
using support::kLeastBurst;
using support::kPacket;

constexpr double kMbps = 0.001;

/// Of a packet at a rate in Gb/s, picoseconds.
double packet_time(double gbps, std::uint32_t bytes = kPacket) { return bytes * 8000 / gbps; }

DcqcnBench::Options queue_pairs(std::size_t count) {
  DcqcnBench::Options options;
  options.classes.assign(count, 3);
  return options;
}

// From any packet to any later one no more than the rate allows, and the burst and a cycle. The
// interval of dcqcn_rp may be 2^-16 too short.
void expect_paced(const std::vector<Time>& sent, double gbps, Time burst) {
  for (std::size_t i = 0; i < sent.size(); ++i) {
    for (std::size_t j = i + 1; j < sent.size(); ++j) {
      const double least = static_cast<double>(j - i) * packet_time(gbps) * (1 - 0x1p-16) -
                           static_cast<double>(burst + kCycle);
      ASSERT_GE(static_cast<double>(sent[j] - sent[i]), least) << i << " to " << j;
    }
  }
}

struct Start {
  Rate line;
  std::uint32_t max_rate;  // Mb/s
  double gbps;
};

std::ostream& operator<<(std::ostream& out, const Start& start) {
  return out << start.gbps << "Of" << start.line.bits_per_second() / 1e9;
}

class BeforeTheFirstCnp : public testing::TestWithParam<Start> {};

TEST_P(BeforeTheFirstCnp, PacketsGoAtTheLargestRate) {
  CongestionConfig config = control_of(DcqcnSet::kPaper);
  config.dcqcn.rp_max_rate = GetParam().max_rate;
  DcqcnBench::Options options;
  options.line = GetParam().line;
  DcqcnBench bench(config, options);
  EXPECT_NEAR(bench.dcqcn.rate_gbps(0), GetParam().gbps, 0.5 * kMbps);
  bench.send(0, 0, static_cast<Time>(1500 * packet_time(GetParam().gbps)));
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  ASSERT_GE(sent.size(), 1400U);
  const double whole = static_cast<double>(sent.back() - sent.front());
  const double packets = static_cast<double>(sent.size() - 1);
  EXPECT_NEAR(whole / (packets * packet_time(GetParam().gbps)), 1, 1e-4);
  expect_paced(sent, GetParam().gbps, kLeastBurst);
}

INSTANTIATE_TEST_SUITE_P(Rates, BeforeTheFirstCnp,
                         testing::Values(Start{Rate::gbps(100), 0, 100},
                                         Start{Rate::gbps(800), 0, 800},
                                         Start{Rate::gbps(400), 0, 400},
                                         Start{Rate::gbps(400), 40'000, 40},
                                         Start{Rate::gbps(25), 40'000, 25}),
                         testing::PrintToStringParamName());

// The pacer sees a packet at the next edge, and answers in whole cycles.
TEST(Dcqcn, WithoutABurstAPacketCostsUpToTwoCyclesMore) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper, 0));
  bench.send(0, 0, kMillisecond);
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  for (std::size_t i = 1; i < sent.size(); ++i) {
    ASSERT_EQ(sent[i] - sent[i - 1], 337 * kCycle) << i;  // of 335.52
  }
}

TEST(Dcqcn, AQueuePairThatRestedCatchesUpItsBurst) {
  const Time burst = 2 * kMicrosecond;
  DcqcnBench bench(control_of(DcqcnSet::kPaper, burst));
  bench.send(0, 0, 20 * kMicrosecond);
  bench.send(0, 50 * kMicrosecond, 70 * kMicrosecond);
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  expect_paced(sent, 100, burst);
  const auto in = [&](Time from, Time until) {
    return std::count_if(sent.begin(), sent.end(), [&](Time t) { return t >= from && t < until; });
  };
  // 335.52 ns each: of 20 us 59.6, and of 2 us 5.96 more
  EXPECT_EQ(in(0, 20 * kMicrosecond), 66);
  EXPECT_EQ(in(50 * kMicrosecond, 70 * kMicrosecond), 66);
  EXPECT_LT(sent[5], kMicrosecond / 10);  // as fast as the pacer answers
}

TEST(Dcqcn, ACnpHalvesTheRateTwelveCyclesAfterItIsTaken) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper));
  const Time came = 1000 * kCycle + 300;  // stands from the edge 1001
  bench.cnp(came);
  std::uint64_t changed = 0;
  for (std::uint64_t cycle = 1001; cycle < 1030; ++cycle) {
    bench.script.at(static_cast<Time>(cycle) * kCycle, [&bench, &changed, cycle] {
      const double rate = bench.dcqcn.rate_gbps(0);
      if (changed == 0 && rate < 99) changed = cycle;
      EXPECT_NEAR(rate, changed == 0 ? 100 : 50, kMbps);
    });
  }
  bench.run();
  EXPECT_EQ(changed, 1001U + 12);
}

TEST(Dcqcn, TheNextPacketsGoAtTheNewRate) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper));
  const Time came = 10 * kMicrosecond;
  bench.send(0, 0, 40 * kMicrosecond);
  bench.cnp(came);
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  std::size_t halved = 0;
  for (std::size_t i = 1; i < sent.size(); ++i) {
    const auto gap = static_cast<double>(sent[i] - sent[i - 1]);
    const bool old = sent[i - 1] < came + 13 * kCycle;
    EXPECT_NEAR(gap, packet_time(old ? 100 : 50), kCycle) << i;
    if (!old) ++halved;
  }
  EXPECT_GT(halved, 40U);
}

// R_T stays at 50 Gb/s, so the way to it is halved at each end of the timer; then R_T grows too.
TEST(Dcqcn, FastRecoveryHalvesTheWayToTheTargetAtEachTimerEvent) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper));
  const Time timer = 55 * kMicrosecond;
  const Time cut = 30 * kMicrosecond;
  bench.send(0, 0, cut + 8 * timer);
  bench.cnp(10 * kMicrosecond);
  bench.cnp(cut);
  bench.expect_rate(cut + kMicrosecond, 0, 25, kMbps);
  for (int k = 1; k <= 5; ++k) {
    const double rate = 50 - 25 * std::pow(0.5, k);
    bench.expect_rate(cut + k * timer - kCycle, 0, 50 - 2 * (50 - rate), kMbps);
    bench.expect_rate(cut + k * timer + 2 * kMicrosecond, 0, rate, kMbps);
  }
  double rate = 50 - 25 * std::pow(0.5, 5);
  double target = 50;
  for (int k = 6; k <= 7; ++k) {
    target += 0.04;
    rate = (target + rate) / 2;
    bench.expect_rate(cut + k * timer + 2 * kMicrosecond, 0, rate, 2 * kMbps);
  }
  bench.run();
  // The times of packets follow: half a timer after the third event, at 46.875 Gb/s.
  const std::vector<Time>& sent = bench.sent[0];
  const auto at = std::lower_bound(sent.begin(), sent.end(), cut + 7 * timer / 2);
  ASSERT_GT(sent.end() - at, 20);
  EXPECT_NEAR(static_cast<double>(at[20] - at[0]), 20 * packet_time(46.875), kCycle);
}

TEST(Dcqcn, BytesRaiseTheRateToo) {
  CongestionConfig config = control_of(DcqcnSet::kPaper);
  config.dcqcn.rp_byte_reset = Bytes{10} * kPacket;
  config.dcqcn.rp_time_reset = kSecond;
  DcqcnBench bench(config);
  bench.cnp(0);
  bench.send(0, kMicrosecond, 100 * kMicrosecond);
  bench.run();
  const std::vector<Time>& sent = bench.sent[0];
  ASSERT_GT(sent.size(), 50U);
  EXPECT_NEAR(static_cast<double>(sent[9] - sent[0]), 9 * packet_time(50), kCycle);
  // The interval that a packet was told is from before its own bytes.
  EXPECT_NEAR(static_cast<double>(sent[19] - sent[11]), 8 * packet_time(75), kCycle);
  EXPECT_NEAR(static_cast<double>(sent[29] - sent[21]), 8 * packet_time(87.5), kCycle);
}

class Floor : public testing::TestWithParam<int> {};

// ceil(log2(line / Rmin)), while CNPs are no further apart than the timers.
TEST_P(Floor, ATrainOfCnpsReachesTheLeastRateAndGoesNoFurther) {
  const double line = GetParam();
  const int expected = static_cast<int>(std::ceil(std::log2(line * 1000 / 100)));
  DcqcnBench::Options options;
  options.line = Rate::gbps(static_cast<std::uint64_t>(line));
  DcqcnBench bench(control_of(DcqcnSet::kPaper), options);
  const Time interval = 50 * kMicrosecond;
  for (int n = 1; n <= expected + 5; ++n) {
    bench.cnp(n * interval);
    const double rate = std::max(0.1, line * std::pow(0.5, n));
    EXPECT_EQ(rate == 0.1, n >= expected) << n;
    bench.expect_rate((n + 1) * interval - kCycle, 0, rate, 0.5 * kMbps);
  }
  const Time last = (expected + 5) * interval;
  bench.send(0, last + kMicrosecond, last + kMicrosecond + 3 * kNanosecond);
  bench.script.at(last + 10 * kMicrosecond, [&bench] {
    // As the pacer has it; it is looked at again before, for the rate may rise.
    const double next = std::ldexp(static_cast<double>(bench.dcqcn.context(0).pacer_next),
                                   -static_cast<int>(rtl::Pacer::kFracBits)) *
                        kCycle;
    EXPECT_NEAR(next - static_cast<double>(bench.sent[0].at(0)), packet_time(0.1),
                packet_time(0.1) * 1e-4);
    EXPECT_LE(bench.dcqcn.next_packet(0) - bench.sent[0].at(0), 56 * kMicrosecond);
  });
  bench.run();
}

INSTANTIATE_TEST_SUITE_P(Lines, Floor, testing::Values(40, 100, 400),
                         testing::PrintToStringParamName());

// The first CNP cuts at once and begins the periods; later ones only leave a flag.
TEST(Dcqcn, ByTheHardwaresRulesALaterCnpCutsAtTheEndOfTheMonitorPeriod) {
  DcqcnBench bench(control_of(DcqcnSet::kHardware));
  const Time first = 10 * kMicrosecond;
  const Time alpha_period = kMicrosecond;
  const auto fallen = [](double alpha) { return alpha * 1019 / 1024; };
  const auto risen = [&](double alpha) { return fallen(alpha) + 5.0 / 1024; };
  bench.send(0, 0, first + 15 * alpha_period, 84);
  bench.cnp(first);
  for (const double periods : {0.6, 2.5, 10.5}) {
    bench.cnp(first + static_cast<Time>(periods * static_cast<double>(alpha_period)));
  }
  double alpha = 1023.0 / 1024;
  double rate = 100 * (1 - alpha / 2);
  for (int n = 1; n <= 14; ++n) {
    const Time at = first + n * alpha_period;
    bench.expect_rate(at - kCycle, 0, rate, 3 * kMbps);
    alpha = n == 1 || n == 3 || n == 11 ? risen(alpha) : fallen(alpha);
    if (n == 4 || n == 12) rate *= 1 - alpha / 2;  // of the ends of monitor periods, with a flag
  }
  bench.expect_rate(first + 14 * alpha_period, 0, rate, 3 * kMbps);
  bench.run();
}

TEST(Dcqcn, TrafficClassesHaveTheirOwnParameters) {
  const Time burst = 8 * kCycle;  // four queue pairs wait for each other
  CongestionConfig config = control_of(DcqcnSet::kPaper, burst);
  DcqcnClassConfig slow;
  slow.traffic_class = 4;
  slow.dcqcn = DcqcnParameters::of(DcqcnSet::kHardware);
  slow.dcqcn.rp_rate_to_set_on_first_cnp = 7000;
  slow.dcqcn.rp_max_rate = 60'000;
  config.classes.push_back(slow);
  DcqcnBench::Options options;
  options.classes = {3, 4, 3, 4};
  DcqcnBench bench(config, options);
  const auto expect = [&](Time at, std::vector<double> gbps) {
    for (std::uint32_t qp = 0; qp < 4; ++qp) bench.expect_rate(at, qp, gbps[qp], kMbps);
  };
  expect(0, {100, 60, 100, 60});
  bench.cnp(kMicrosecond, 1);
  expect(2 * kMicrosecond, {100, 7, 100, 60});
  bench.cnp(2 * kMicrosecond, 2);
  expect(3 * kMicrosecond, {100, 7, 50, 60});
  for (std::uint32_t qp = 0; qp < 4; ++qp) bench.send(qp, 4 * kMicrosecond, 40 * kMicrosecond);
  bench.run();
  const std::vector<double> rates = {100, 7, 50, 60};
  for (std::uint32_t qp = 0; qp < 4; ++qp) {
    const std::vector<Time>& sent = bench.sent[qp];
    ASSERT_GE(sent.size(), 7U) << qp;
    EXPECT_NEAR(static_cast<double>(sent[6] - sent[0]), 6 * packet_time(rates[qp]), burst) << qp;
  }
}

// So many that CNPs wait for packets, and the block's queue of four for them.
TEST(Dcqcn, NothingThatHappensInOneCycleIsLost) {
  constexpr std::uint32_t kHalf = 16;
  CongestionConfig config = control_of(DcqcnSet::kPaper);
  config.dcqcn.rp_byte_reset = 1000;
  DcqcnBench bench(config, queue_pairs(std::size_t{2} * kHalf));
  const Time before = kMicrosecond;
  const Time together = 3 * kMicrosecond;
  for (std::uint32_t qp = 0; qp < kHalf; ++qp) bench.cnp(before, qp);
  bench.script.at(together, [&bench] {
    for (std::uint32_t i = 0; i < kHalf; ++i) {
      bench.dcqcn.sent(i, 1000);  // a stage each: half the way from 50 to 100
      bench.dcqcn.cnp(kHalf + i);
    }
  });
  for (std::uint32_t qp = 0; qp < kHalf; ++qp) {
    bench.expect_rate(before + kMicrosecond, qp, 50, kMbps);
    bench.expect_rate(before + kMicrosecond, kHalf + qp, 100, kMbps);
    bench.expect_rate(together + kMicrosecond, qp, 75, kMbps);
    bench.expect_rate(together + kMicrosecond, kHalf + qp, 50, kMbps);
  }
  bench.run();
}

TEST(Dcqcn, CnpsOfOneQueuePairInOneCycleAllCut) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper));
  for (int i = 0; i < 5; ++i) bench.cnp(kMicrosecond);
  bench.expect_rate(2 * kMicrosecond, 0, 100.0 / 32, kMbps);
  bench.run();
}

TEST(Dcqcn, PacketsOfManyQueuePairsInOneCycleAreAllPaced) {
  DcqcnBench bench(control_of(DcqcnSet::kPaper), queue_pairs(8));
  for (std::uint32_t qp = 0; qp < 8; ++qp) bench.send(qp, kMicrosecond, 10 * kMicrosecond);
  bench.run();
  for (std::uint32_t qp = 0; qp < 8; ++qp) {
    EXPECT_EQ(bench.sent[qp].size(), 27U) << qp;    // 9 us of 335.52 ns
    expect_paced(bench.sent[qp], 100, 8 * kCycle);  // the eighth is charged seven cycles later
  }
}

CongestionConfig half_alpha() {
  CongestionConfig config = control_of(DcqcnSet::kPaper);
  config.dcqcn.rp_initial_alpha_value = 512;  // 0.5
  config.dcqcn.rp_dce_tcp_g = 512;            // g of 1/2: a CNP makes it 0.75
  return config;
}

TEST(Dcqcn, MetricsAreMeansOverTime) {
  DcqcnBench bench(half_alpha());
  bench.cnp(10 * kMicrosecond);  // 100 to 75 Gb/s
  bench.script.last_until(40 * kMicrosecond);
  bench.run();
  ASSERT_EQ(bench.simulation.now(), 40 * kMicrosecond);
  const double share = 10.013 / 40;  // it is taken at 10.001 us
  EXPECT_NEAR(bench.metric("flow0.rate_gbps"), 100 * share + 75 * (1 - share), kMbps);
  EXPECT_NEAR(bench.metric("flow0.alpha"), 0.5 * share + 0.75 * (1 - share), 1e-6);
}

TEST(Dcqcn, MetricsLeaveTheWarmUpOut) {
  DcqcnBench::Options options;
  options.warm_up = 20 * kMicrosecond;
  DcqcnBench bench(half_alpha(), options);
  bench.cnp(10 * kMicrosecond);
  bench.cnp(30 * kMicrosecond);  // by 0.75 / 2
  bench.script.last_until(40 * kMicrosecond);
  bench.run();
  const double share = 10.013 / 20;
  EXPECT_NEAR(bench.metric("flow0.rate_gbps"), 75 * share + 75 * 0.625 * (1 - share), kMbps);
  EXPECT_NEAR(bench.metric("flow0.alpha"), 0.75 * share + 0.875 * (1 - share), 1e-6);
}

TEST(Dcqcn, MetricsOfNoTimeAreZero) {
  DcqcnBench bench(half_alpha());
  EXPECT_EQ(bench.metric("flow0.rate_gbps"), 0);
  EXPECT_EQ(bench.metric("flow0.alpha"), 0);
}

}  // namespace
}  // namespace railyard
