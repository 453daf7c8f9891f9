#include "tlm/base/rate.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

__extension__ using Wide = unsigned __int128;

struct Named {
  const char* name;
  Rate rate;
};

// PCIe Gen5 x16: 32 GT/s * 16 lanes * 128b/130b.
const Named kRates[] = {
    {"25G", Rate::gbps(25)},    {"100G", Rate::gbps(100)},
    {"400G", Rate::gbps(400)},  {"800G", Rate::gbps(800)},
    {"1.6T", Rate::gbps(1600)}, {"PCIe Gen5 x16", Rate(32'000'000'000ULL * 16 * 128, 130)}};

// bits * 10^12 / rate, rounded to nearest, straight from the definition
Time exact(const Rate& rate, std::uint64_t bytes) {
  const Wide num = Wide{bytes} * 8'000'000'000'000ULL * rate.denominator();
  return static_cast<Time>((num * 2 + rate.numerator()) / (Wide{rate.numerator()} * 2));
}

TEST(ByteClock, GigabytesDoNotDriftAtAnyRate) {
  for (const Named& named : kRates) {
    SCOPED_TRACE(named.name);
    RandomStream random(1, named.name);
    ByteClock clock(named.rate);
    clock.start(12345);
    std::uint64_t bytes = 0;
    while (bytes < 1'000'000'000) {
      const std::uint64_t step = 1 + random.below(9216);
      bytes += step;
      ASSERT_EQ(clock.advance(step), 12345 + exact(named.rate, bytes));
    }
  }
}

TEST(ByteClock, AByteAtATimeIsAsExactAsAFrame) {
  const Rate rate = Rate(32'000'000'000ULL * 16 * 128, 130);
  ByteClock clock(rate);
  clock.start(0);
  for (std::uint64_t bytes = 1; bytes <= 1'000'000; ++bytes) {
    ASSERT_EQ(clock.advance(1), exact(rate, bytes));
  }
}

TEST(Rate, KnownTimes) {
  EXPECT_EQ(Rate::gbps(400).time_of(1), 20);                    // ps
  EXPECT_EQ(Rate::gbps(400).time_of(4096 + 82), 83'560);        // a full RoCE packet
  EXPECT_EQ(Rate::gbps(100).time_of(64 * 65535), 335'539'200);  // the longest PFC pause
  EXPECT_EQ(Rate::gbps(1600).time_of(1'000'000'000), 5 * kMillisecond);
}

TEST(Rate, IsHeldInLowestTerms) {
  EXPECT_EQ(Rate(10'000'000, 4), Rate(5'000'000, 2));
  EXPECT_EQ(Rate(32'000'000'000ULL * 16 * 128, 130).numerator(), 32'000'000'000ULL * 16 * 128 / 10);
}

TEST(Rate, WhatAByteClockCannotCarryIsRefused) {
  EXPECT_THROW(Rate(0, 1), std::invalid_argument);
  EXPECT_THROW(Rate(1, 0), std::invalid_argument);
  EXPECT_THROW(Rate(1, 1'000'000), std::invalid_argument);
}

TEST(Rate, OrdersByValue) {
  EXPECT_LT(Rate::gbps(100), Rate::gbps(400));
  EXPECT_FALSE(Rate::gbps(400) < Rate(400'000'000'000ULL, 1));
  EXPECT_LT(Rate(20'000'000, 7), Rate(20'000'000, 3));
}

}  // namespace
}  // namespace railyard
