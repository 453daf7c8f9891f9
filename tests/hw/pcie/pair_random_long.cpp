// A million random requests.
#include <gtest/gtest.h>

#include "tests/hw/pcie/random_runs.h"

namespace railyard::pcie::bench {
namespace {

TEST(PcieRandomLong, AMillionRequestsAreAnsweredOnceWithTheirBytes) {
  Happened all;
  for (std::uint64_t seed = 11; seed <= 20; ++seed) {
    constexpr double kRates[] = {0, 1e-6, 1e-5, 1e-4};
    const Happened happened = run_hard(seed, 100'000, kRates[seed % 4]);
    all.replays += happened.replays;
    all.retrains += happened.retrains;
  }
  EXPECT_GT(all.replays, 1000);
}

}  // namespace
}  // namespace railyard::pcie::bench
