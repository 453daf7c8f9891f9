#include "platforms/common/save_times.h"

#include <gtest/gtest.h>

namespace railyard {
namespace {

using std::chrono::milliseconds;

class Saves : public testing::Test {
 protected:
  static SaveTimes::Clock::time_point at(int ms) {
    return SaveTimes::Clock::time_point(milliseconds(ms));
  }

  SaveTimes times_{at(0)};
};

TEST_F(Saves, AreASecondApart) {
  EXPECT_FALSE(times_.due(at(999)));
  EXPECT_TRUE(times_.due(at(1000)));
  times_.saved(at(1010), at(1020));
  EXPECT_FALSE(times_.due(at(2019)));
  EXPECT_TRUE(times_.due(at(2020)));
}

TEST_F(Saves, TakeATwentiethOfTheTimeAtMost) {
  times_.saved(at(1000), at(1500));
  EXPECT_FALSE(times_.due(at(1500 + 9499)));
  EXPECT_TRUE(times_.due(at(1500 + 9500)));
}

}  // namespace
}  // namespace railyard
