#include "hw/tester/number_table.h"

#include <gtest/gtest.h>

namespace railyard {
namespace {

TEST(NumberTable, FindsWhatWasPutInAndNothingElse) {
  NumberTable table;
  EXPECT_EQ(table.find(7), NumberTable::kNone);
  constexpr std::uint32_t kCount = 5000;
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_TRUE(table.insert(i * 4096 + 3, i));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(table.find(i * 4096 + 3), i);
    EXPECT_EQ(table.find(i * 4096 + 4), NumberTable::kNone);
  }
}

TEST(NumberTable, AKeyStandsOnce) {
  NumberTable table;
  EXPECT_TRUE(table.insert(0, 1));
  EXPECT_FALSE(table.insert(0, 2));
  EXPECT_EQ(table.find(0), 1U);
}

}  // namespace
}  // namespace railyard
