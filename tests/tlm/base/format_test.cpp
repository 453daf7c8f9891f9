#include "tlm/base/format.h"

#include <gtest/gtest.h>

#include <string>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

TEST(FormatHex, IsLowerCaseWithoutLeadingZeros) {
  EXPECT_EQ(format_hex(0), "0x0");
  EXPECT_EQ(format_hex(9), "0x9");
  EXPECT_EQ(format_hex(0x1f), "0x1f");
  EXPECT_EQ(format_hex(0xABCDEF), "0xabcdef");
  EXPECT_EQ(format_hex(~std::uint64_t{0}), "0xffffffffffffffff");
  EXPECT_EQ(format_hex(std::uint64_t{1} << 63), "0x8000000000000000");
}

TEST(FormatHex, ReadsBackAsTheSameNumber) {
  RandomStream random(1, "hex");
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t number = random.next() >> random.below(64);
    ASSERT_EQ(std::stoull(format_hex(number), nullptr, 16), number);
  }
}

}  // namespace
}  // namespace railyard
