// Random transfers under few credits, stalls and wrong bits; pair_random_long.cpp has more of them.
#include <gtest/gtest.h>

#include "tests/hw/pcie/random_runs.h"

namespace railyard::pcie::bench {
namespace {

TEST(PcieRandom, EveryRequestIsAnsweredOnceWithItsBytesUnderBackPressure) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Happened happened = run_hard(seed, 8'500, 0);
    EXPECT_GT(happened.credits, 0) << seed;
    EXPECT_EQ(happened.corrupted, 0) << seed;
  }
}

TEST(PcieRandom, EveryRequestIsAnsweredOnceWithItsBytesOverALineWithErrors) {
  Happened all;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    // From a wrong packet in thousands to most of them.
    constexpr double kRates[] = {1e-6, 1e-5, 1e-4};
    const Happened happened = run_hard(seed, 8'500, kRates[seed % 3]);
    EXPECT_GT(happened.corrupted, 0) << seed;
    all.replays += happened.replays;
    all.naks += happened.naks;
    all.duplicates += happened.duplicates;
  }
  EXPECT_GT(all.replays, 100);
  EXPECT_GT(all.naks, 100);
  EXPECT_GT(all.duplicates, 10);
}

TEST(PcieRandom, EveryRequestIsAnsweredOnceWithItsBytesThoughTheLinkRetrains) {
  Happened all;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Happened happened = run_hard(seed, 1'000, 6e-4);
    all.retrains += happened.retrains;
  }
  EXPECT_GT(all.retrains, 10);
}

}  // namespace
}  // namespace railyard::pcie::bench
