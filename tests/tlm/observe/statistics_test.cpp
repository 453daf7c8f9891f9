#include "tlm/observe/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

double value_of(const std::vector<Metric>& metrics, const std::string& name) {
  for (const Metric& m : metrics) {
    if (m.info.name == name) return m.value.real;
  }
  ADD_FAILURE() << "no metric " << name;
  return NAN;
}

TEST(Histogram, PercentilesAreWithinABucketOfTheSortedValues) {
  RandomStream random(1, "x");
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 50000; ++i) {
    const std::uint64_t v = random.next() >> (random.below(60));
    histogram.record(v);
    values.push_back(v);
  }
  std::sort(values.begin(), values.end());
  for (const double f : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const std::size_t rank = static_cast<std::size_t>(std::ceil(f * 50000)) - 1;
    const auto exact = static_cast<double>(values[rank]);
    const auto got = static_cast<double>(histogram.percentile(f));
    EXPECT_GE(got, exact) << f;
    EXPECT_LE(got, exact * (1 + 1.0 / 128) + 1) << f;
  }
  EXPECT_EQ(histogram.least(), values.front());
  EXPECT_EQ(histogram.most(), values.back());
}

TEST(Histogram, SmallValuesAreExactAndTheLargestFits) {
  Histogram histogram;
  EXPECT_EQ(histogram.percentile(0.5), 0U);
  for (std::uint64_t v = 0; v < 128; ++v) histogram.record(v);
  EXPECT_EQ(histogram.percentile(0.5), 63U);
  histogram.record(~std::uint64_t{0});
  EXPECT_EQ(histogram.percentile(1), ~std::uint64_t{0});
  EXPECT_EQ(histogram.most(), ~std::uint64_t{0});
}

TEST(TimeWeighted, MeanWeighsByTime) {
  TimeWeighted level;
  level.set(10, 0);
  level.set(20, 30);
  level.set(0, 40);
  EXPECT_DOUBLE_EQ(level.mean(100), (10 * 30 + 20 * 10) / 100.0);
  EXPECT_EQ(level.peak(), 20U);
}

TEST(TimeWeighted, ResetKeepsTheLevelAndForgetsThePeak) {
  TimeWeighted level;
  level.set(50, 0);
  level.set(5, 10);
  level.reset(20);
  EXPECT_EQ(level.peak(), 5U);
  EXPECT_DOUBLE_EQ(level.mean(30), 5);
  level.set(10, 30);
  EXPECT_DOUBLE_EQ(level.mean(40), 7.5);
}

TEST(StatisticsRegistry, WarmUpResetLeavesGauges) {
  StatisticsRegistry registry;
  Counter counter;
  Gauge gauge;
  Histogram histogram;
  registry.add(counter, {"c", "frames", "Frames"});
  registry.add(gauge, {"g", "bytes", "Bytes"});
  registry.add(histogram, {"h", "ns", "Latency"}, 1000);
  counter.add(3);
  gauge.set(7);
  histogram.record(5000);
  EXPECT_DOUBLE_EQ(value_of(registry.collect(10), "h_mean"), 5);
  registry.reset(10);
  counter.add();
  const auto metrics = registry.collect(15);
  EXPECT_DOUBLE_EQ(value_of(metrics, "c"), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics, "g"), 7);
  EXPECT_DOUBLE_EQ(value_of(metrics, "h_count"), 0);
  EXPECT_EQ(registry.measured(15), 5);
}

TEST(StatisticsRegistry, EveryMetricHasAUnitAndAMeaning) {
  StatisticsRegistry registry;
  TimeWeighted level;
  Histogram histogram;
  registry.add(level, {"l", "bytes", "Queue"});
  registry.add(histogram, {"h", "ns", "Latency"});
  for (const Metric& m : registry.collect(1)) {
    EXPECT_FALSE(m.info.unit.empty()) << m.info.name;
    EXPECT_FALSE(m.info.doc.empty()) << m.info.name;
  }
}

TEST(LevelWatch, FiresOnceWhenTheLevelIsExceeded) {
  StatisticsRegistry registry;
  Counter counter;
  TimeWeighted level;
  registry.add(counter, {"c", "frames", "Frames"});
  registry.add(level, {"l", "bytes", "Queue"});
  int fired = 0;
  registry.watch("c")->arm(2, [&] { ++fired; });
  counter.add(2);
  EXPECT_EQ(fired, 0);
  counter.add();
  counter.add();
  EXPECT_EQ(fired, 1);
  registry.watch("l_peak")->arm(10, [&] { fired += 10; });
  level.set(11, 5);
  EXPECT_EQ(fired, 11);
  EXPECT_EQ(registry.watch("l_mean"), nullptr);
  EXPECT_EQ(registry.watch("nothing"), nullptr);
}

TEST(SortMetrics, RefusesANameTwice) {
  std::vector<Metric> metrics = {{{"a", "", ""}, {}}, {{"b", "", ""}, {}}, {{"a", "", ""}, {}}};
  EXPECT_THROW(sort_metrics(metrics), std::logic_error);
}

TEST(StatisticsRegistry, ValuesAreFoundByTheLastNameOfTheirMetrics) {
  Counter a;
  Counter b;
  Counter other;
  StatisticsRegistry registry;
  registry.add(a, {"x.cnp_sent", "packets", "of x"});
  registry.add(b, {"y.z.cnp_sent", "packets", "of y.z"});
  registry.add(other, {"x.not_cnp_sent", "packets", "of another name"});
  registry.add(other, {"cnp_sent", "packets", "of nobody"});
  a.add(3);
  b.add(5);
  const auto values = registry.values_named("cnp_sent");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0](0, 0).whole, 3U);
  b.add(1);
  EXPECT_EQ(values[1](0, 0).whole, 6U);
}

}  // namespace
}  // namespace railyard
