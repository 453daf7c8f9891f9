// What is made of time stamps, against hand calculations of perftest's formulas.
#include "platforms/rdma_perf/perf_statistics.h"

#include <gmock/gmock.h>

#include <sstream>

namespace railyard::rdma_perf {
namespace {

constexpr double kTiny = 1e-9;

TEST(BandwidthRow, IsAllBytesOverTheTimeFromTheFirstPostingToTheLastCompletion) {
  // Four messages of 1,000 B in 100 ns from 50 ns on: 320 Gb/s, 40 M/s.
  BandwidthSamples samples;
  samples.bytes = 1000;
  samples.posted = {50'000, 60'000, 70'000, 80'000};
  samples.completed = {kForever, 110'000, kForever, 150'000};
  const BandwidthRow row = bandwidth_row(samples);
  EXPECT_EQ(row.iterations, 4U);
  EXPECT_NEAR(row.average_gbps, 320, kTiny);
  EXPECT_NEAR(row.rate_mpps, 40, kTiny);
}

TEST(BandwidthRow, PeakIsTheBestRunFromAPostingToACompletion) {
  BandwidthSamples samples;
  samples.bytes = 1000;
  samples.posted = {0, 60'000, 70'000, 80'000};
  samples.completed = {kForever, 110'000, kForever, 150'000};
  // From message 1 to 3: 3,000 B in 90 ns; from 0: 4,000 in 150; from 1 to 1: 1,000 in 50.
  EXPECT_NEAR(bandwidth_row(samples).peak_gbps, 3000.0 * 8 / 90, kTiny);
}

TEST(BandwidthRow, LooksForNoPeakAmongVeryManyMessages) {
  BandwidthSamples samples;
  samples.bytes = 1;
  samples.posted.assign(kMostForPeak + 1, 0);
  samples.completed.assign(kMostForPeak + 1, 1000);
  EXPECT_EQ(bandwidth_row(samples).peak_gbps, 0);
  EXPECT_GT(bandwidth_row(samples).average_gbps, 0);
}

TEST(BandwidthRow, OfNothingIsZero) {
  const BandwidthRow row = bandwidth_row({});
  EXPECT_EQ(row.iterations, 0U);
  EXPECT_EQ(row.average_gbps, 0);
}

BandwidthRow client(std::uint64_t iterations, Time first, Time last) {
  BandwidthRow row;
  row.bytes = 64;
  row.iterations = iterations;
  row.peak_gbps = 9;
  row.first = first;
  row.last = last;
  return row;
}

TEST(BandwidthRow, SeveralClientsMovedAllBytesFromTheFirstPostingToTheLastCompletion) {
  // One after the other: their own bandwidths do not add up.
  const BandwidthRow all =
      sum({client(10, 0, 100 * kNanosecond), client(20, 300 * kNanosecond, 400 * kNanosecond)});
  EXPECT_EQ(all.bytes, 64U);
  EXPECT_EQ(all.iterations, 30U);
  EXPECT_NEAR(all.average_gbps, 30.0 * 64 * 8 / 400, kTiny);
  EXPECT_NEAR(all.rate_mpps, 30.0 / 0.4, kTiny);
  EXPECT_EQ(all.peak_gbps, 0);
}

TEST(BandwidthRow, OneClientIsItself) { EXPECT_EQ(sum({client(10, 0, 100)}).peak_gbps, 9); }

/// Postings whose differences are 2, 4, 6, ... us in some order.
std::vector<Time> postings(const std::vector<Time>& microseconds) {
  std::vector<Time> posted = {7 * kMicrosecond};
  for (const Time difference : microseconds) {
    posted.push_back(posted.back() + difference * kMicrosecond);
  }
  return posted;
}

TEST(LatencyRow, IsHalfTheTimeBetweenPostings) {
  // Sorted samples 1 2 3 4 5 20 30; the last two are disturbances.
  const LatencyRow row = latency_row(2, postings({40, 2, 10, 4, 60, 8, 6}), 2);
  EXPECT_EQ(row.iterations, 8U);
  EXPECT_NEAR(row.least_us, 1, kTiny);
  EXPECT_NEAR(row.most_us, 20, kTiny);
  EXPECT_NEAR(row.typical_us, 3, kTiny);
  EXPECT_NEAR(row.average_us, 3, kTiny);
  EXPECT_NEAR(row.deviation_us, std::sqrt(2.0), kTiny);
  EXPECT_NEAR(row.p99_us, 20, kTiny);  // ceil(5 * 0.99) = 5, from 0
  EXPECT_NEAR(row.p999_us, 20, kTiny);
}

TEST(LatencyRow, OfReadsIsTheWholeTime) {
  EXPECT_NEAR(latency_row(2, postings({2, 2, 2, 2}), 1).typical_us, 2, kTiny);
}

TEST(LatencyRow, OfAnEvenNumberHasTheMeanOfTheMiddleTwo) {
  EXPECT_NEAR(latency_row(2, postings({2, 4, 8, 10, 90, 90}), 1).typical_us, 6, kTiny);
}

TEST(LatencyRow, OfTooFewIsEmpty) {
  EXPECT_EQ(latency_row(2, postings({2, 2, 2}), 1).typical_us, 0);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(Tables, HavePerftestsColumns) {
  const std::string bandwidth = bandwidth_table({{65'536, 1000, 92.5, 92.38, 0.1762}});
  EXPECT_THAT(words(bandwidth.substr(0, bandwidth.find('\n'))),
              testing::ElementsAre("#bytes", "#iterations", "BW", "peak[Gb/sec]", "BW",
                                   "average[Gb/sec]", "MsgRate[Mpps]"));
  EXPECT_THAT(words(bandwidth.substr(bandwidth.find('\n'))),
              testing::ElementsAre("65536", "1000", "92.50", "92.38", "0.176200"));
  const std::string latency = latency_table({{2, 1000, 1.5, 2.5, 1.87, 1.88, 0.04, 2.01, 2.4}});
  EXPECT_THAT(words(latency.substr(0, latency.find('\n'))),
              testing::ElementsAre("#bytes", "#iterations", "t_min[usec]", "t_max[usec]",
                                   "t_typical[usec]", "t_avg[usec]", "t_stdev[usec]", "99%",
                                   "percentile[usec]", "99.9%", "percentile[usec]"));
  EXPECT_THAT(
      words(latency.substr(latency.find('\n'))),
      testing::ElementsAre("2", "1000", "1.50", "2.50", "1.87", "1.88", "0.04", "2.01", "2.40"));
}

}  // namespace
}  // namespace railyard::rdma_perf
