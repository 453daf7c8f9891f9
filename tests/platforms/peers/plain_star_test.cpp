// That the plain simulation comes to what HPCC's ns-3 simulator came to, and to what with what the
// fabric does otherwise: test_dcqcn_rows.py compares the fabric with either.
#include "tests/platforms/peers/plain_star.h"

#include <gtest/gtest.h>

namespace railyard::test {
namespace {

constexpr std::uint64_t kSeeds = 20;

/// Means over the seeds.
struct Row {
  double first_us;
  double median_us;
  double last_us;
  double queue_bytes;
  double marks;
};

Row means(PlainStarConfig config) {
  Row sum{};
  for (config.seed = 1; config.seed <= kSeeds; ++config.seed) {
    const PlainStar::Result r = PlainStar(config).run();
    const std::size_t middle = r.completion_us.size() / 2;
    sum.first_us += r.completion_us.front();
    sum.median_us += (r.completion_us[middle - 1] + r.completion_us[middle]) / 2;
    sum.last_us += r.completion_us.back();
    sum.queue_bytes += static_cast<double>(r.queue_bytes);
    sum.marks += static_cast<double>(r.marks);
  }
  return {sum.first_us / kSeeds, sum.median_us / kSeeds, sum.last_us / kSeeds,
          sum.queue_bytes / kSeeds, sum.marks / kSeeds};
}

PlainStarConfig dcqcn(std::uint32_t packets) {
  PlainStarConfig config;
  config.packets = packets;
  return config;
}

PlainStarConfig paper() {
  PlainStarConfig config;
  config.alpha_period = config.cut_period = 50 * kMicrosecond;
  config.increase_period = 55 * kMicrosecond;
  return config;
}

PlainStarConfig as_the_fabric(PlainStarConfig config) {
  config.second_increase = 200;
  config.whole_nanoseconds = false;
  config.first_cnp_cuts = false;
  config.late_rates = true;
  return config;
}

void expect_row(const PlainStarConfig& config, const Row& row, double part) {
  const Row here = means(config);
  EXPECT_NEAR(here.first_us / row.first_us, 1, part);
  EXPECT_NEAR(here.median_us / row.median_us, 1, part);
  EXPECT_NEAR(here.last_us / row.last_us, 1, part);
  EXPECT_NEAR(here.queue_bytes / row.queue_bytes, 1, part);
  EXPECT_NEAR(here.marks / row.marks, 1, part);
}

TEST(PlainStar, ComesToTheRowsOfThatSimulator) {
  expect_row(dcqcn(10'000), {6809, 7599, 8555, 2'152'592, 3401}, 0.10);
  expect_row(dcqcn(1000), {1068, 1095, 1111, 2'152'592, 2164}, 0.10);
  expect_row(paper(), {5843, 6576, 7451, 8'473'080, 14'713}, 0.10);
}

TEST(PlainStar, WithWhatTheFabricDoesOtherwiseComesToOtherRows) {
  expect_row(as_the_fabric(dcqcn(10'000)), {6908, 7535, 8176, 2'213'900, 3626}, 0.001);
  expect_row(as_the_fabric(dcqcn(1000)), {1022, 1112, 1132, 2'213'900, 2375}, 0.001);
  expect_row(as_the_fabric(paper()), {5462, 6601, 7597, 8'339'355, 17'991}, 0.001);
}

// The queue grows for longer.
TEST(PlainStar, MarksMoreIfTheFirstCnpBringsNoCut) {
  PlainStarConfig config = dcqcn(1000);
  const Row before = means(config);
  config.first_cnp_cuts = false;
  const Row after = means(config);
  EXPECT_NEAR(after.marks / before.marks, 1.07, 0.03);
  EXPECT_NEAR(after.queue_bytes / before.queue_bytes, 1.03, 0.015);
}

// At 1 Gb/s the packet before is 8 us ago: senders that are to be faster, and whose marks come a
// queue later, are so one after the other for longer.
TEST(PlainStar, MarksMoreIfPacketsGoByTheRateOfThePacketBefore) {
  PlainStarConfig config = paper();
  const Row before = means(config);
  config.late_rates = true;
  const Row after = means(config);
  EXPECT_NEAR(after.marks / before.marks, 1.16, 0.05);
  EXPECT_NEAR(after.queue_bytes / before.queue_bytes, 1, 0.01);
}

}  // namespace
}  // namespace railyard::test
