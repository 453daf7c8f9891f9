#include "tlm/link/bit_errors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace railyard {
namespace {

TEST(BitErrors, HitAsManyPacketsAsTheRateSays) {
  for (const double rate : {1e-6, 1e-4, 1e-2}) {
    for (const std::uint32_t bytes : {1U, 20U, 280U}) {
      RandomStream random(7, "errors");
      BitErrors errors;
      errors.start(random, rate);
      constexpr int kPackets = 2'000'000;
      int hits = 0;
      for (int i = 0; i < kPackets; ++i) hits += errors.hit(bytes) ? 1 : 0;
      const double p = 1 - std::pow(1 - rate, 8.0 * bytes);
      const double deviation = std::sqrt(kPackets * p * (1 - p));
      EXPECT_NEAR(hits, kPackets * p, 4 * deviation + 1) << rate << " " << bytes;
    }
  }
}

// Bit by bit: the gaps between wrong bits are those that the same stream draws.
TEST(BitErrors, AreAtTheBitsThatTheGapsSayWhateverThePacketsAre) {
  constexpr double kRate = 0.003;
  RandomStream random(3, "errors");
  RandomStream same(3, "errors");
  RandomStream sizes(4, "sizes");
  BitErrors errors;
  errors.start(random, kRate);
  std::uint64_t wrong = same.geometric(kRate);  // the next wrong bit of the line
  std::uint64_t begin = 0;
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto bytes = static_cast<std::uint32_t>(sizes.below(200));
    const std::uint64_t end = begin + 8 * bytes;
    const bool hit = wrong < end;
    while (wrong < end) wrong += 1 + same.geometric(kRate);
    ASSERT_EQ(errors.hit(bytes), hit) << i;
    hits += hit ? 1 : 0;
    begin = end;
  }
  EXPECT_GT(hits, 50'000);
  EXPECT_LT(hits, 100'000);
}

TEST(BitErrors, ARateOfZeroDrawsNothingAndHitsNobody) {
  RandomStream random(3, "errors");
  RandomStream untouched(3, "errors");
  BitErrors errors;
  EXPECT_FALSE(errors.hit(4096));  // not started
  errors.start(random, 0);
  for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(errors.hit(0xFFFFFFFF));
  EXPECT_EQ(random.next(), untouched.next());
}

TEST(BitErrors, ARateOfOneHitsEveryPacketOfAByte) {
  RandomStream random(3, "errors");
  BitErrors errors;
  errors.start(random, 1);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(errors.hit(1));
  EXPECT_FALSE(errors.hit(0));
}

}  // namespace
}  // namespace railyard
