// Where the time of a line goes while a TLP is on it.
#include "hw/pcie/line_time.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tlm/sim/simulation.h"

namespace railyard::pcie {
namespace {

class LineTimeTest : public ::testing::Test {
 protected:
  std::map<std::string, double> look(Time now) {
    std::map<std::string, double> all;
    double sum = 0;
    for (const Metric& metric : statistics_.collect(now)) {
      if (metric.info.name.rfind("line.time.", 0) != 0) continue;
      all[metric.info.name.substr(10)] = metric.value.real;
      EXPECT_GE(metric.value.real, 0) << metric.info.name << " at " << now;
      sum += metric.value.real;
    }
    EXPECT_NEAR(sum, static_cast<double>(statistics_.measured(now)) / kNanosecond, 1e-9);
    return all;
  }

  Simulation simulation_{SimulationConfig{}};
  StatisticsRegistry& statistics_ = simulation_.partition().statistics();
  LineTime time_{statistics_, "line"};
};

TEST_F(LineTimeTest, ATlpOnTheLineCountsWithWhatHasPassedOfItsDataAndHeaders) {
  time_.spend(LineUse::kData, 0, 100'000, 25'000);
  auto half = look(40'000);
  EXPECT_DOUBLE_EQ(half["data_ns"], 30);
  EXPECT_DOUBLE_EQ(half["headers_ns"], 10);
  auto all = look(100'000);
  EXPECT_DOUBLE_EQ(all["data_ns"], 75);
  EXPECT_DOUBLE_EQ(all["headers_ns"], 25);
}

// A request without data is all headers.
TEST_F(LineTimeTest, ARequestWithoutDataCountsNoData) {
  time_.spend(LineUse::kData, 0, 100'000, 100'000);
  EXPECT_DOUBLE_EQ(look(30'000)["data_ns"], 0);
  EXPECT_DOUBLE_EQ(look(30'000)["headers_ns"], 30);
}

TEST_F(LineTimeTest, ATlpThatIsCutOffCountsWithWhatWasOnTheLine) {
  time_.spend(LineUse::kData, 0, 100'000, 25'000);
  time_.become(LineUse::kRetrain, 40'000);
  auto after = look(70'000);
  EXPECT_DOUBLE_EQ(after["data_ns"], 30);
  EXPECT_DOUBLE_EQ(after["headers_ns"], 10);
  EXPECT_DOUBLE_EQ(after["retrain_ns"], 30);
}

TEST_F(LineTimeTest, WarmUpThatEndsWithinATlpLeavesItsRest) {
  time_.spend(LineUse::kData, 0, 100'000, 25'000);
  statistics_.reset(60'000);
  EXPECT_DOUBLE_EQ(look(80'000)["data_ns"], 15);
  auto after = look(100'000);
  EXPECT_DOUBLE_EQ(after["data_ns"], 30);
  EXPECT_DOUBLE_EQ(after["headers_ns"], 10);
  time_.become(LineUse::kIdle, 100'000);
  EXPECT_DOUBLE_EQ(look(130'000)["idle_ns"], 30);
}

}  // namespace
}  // namespace railyard::pcie
