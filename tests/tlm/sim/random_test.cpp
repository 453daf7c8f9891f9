#include "tlm/sim/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace railyard {
namespace {

TEST(RandomStream, IsAFunctionOfSeedAndName) {
  RandomStream a(1, "sw0"), again(1, "sw0"), other_seed(2, "sw0"), other_name(1, "sw1");
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, other_seed.next());
  EXPECT_NE(first, other_name.next());
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream random(1, "x");
  constexpr int kBins = 10;
  constexpr int kDraws = 1000000;
  int bins[kBins] = {};
  for (int i = 0; i < kDraws; ++i) ++bins[random.below(kBins)];
  const double expected = kDraws / double{kBins};
  double chi_squared = 0;
  for (const int n : bins) chi_squared += (n - expected) * (n - expected) / expected;
  EXPECT_LT(chi_squared, 27.9);  // 9 degrees of freedom, p = 0.001
}

TEST(RandomStream, ChanceHasItsProbability) {
  RandomStream random(1, "x");
  constexpr int kDraws = 1000000;
  for (const double p : {0.0, 0.001, 0.3, 0.5, 0.999}) {
    int hits = 0;
    for (int i = 0; i < kDraws; ++i) hits += random.chance(RandomStream::threshold(p)) ? 1 : 0;
    EXPECT_NEAR(hits, p * kDraws, 4 * std::sqrt(kDraws * p * (1 - p)) + 1e-9);
  }
}

TEST(RandomStream, GeometricHasItsMean) {
  RandomStream random(3, "x");
  constexpr int kDraws = 200000;
  for (const double p : {1.0, 0.5, 0.01, 1e-6}) {
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(random.geometric(p));
    const double mean = (1 - p) / p;
    const double deviation = std::sqrt((1 - p) / (p * p) / kDraws);
    EXPECT_NEAR(sum / kDraws, mean, 4 * deviation + 1e-9);
  }
}

TEST(RandomStream, UniformStaysBelowOne) {
  RandomStream random(1, "x");
  for (int i = 0; i < 100000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
  }
}

}  // namespace
}  // namespace railyard
