#include "hw/eth_switch/wred.h"

#include <gmock/gmock.h>

#include <cmath>

#include "hw/congestion/ecn_marking.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using net::Ecn;
using testing::HasSubstr;

WredConfig profile(std::uint64_t kmin, std::uint64_t kmax, double pmax) {
  WredConfig config;
  config.kmin = kmin;
  config.kmax = kmax;
  config.pmax = pmax;
  return config;
}

/// A port's marker, and a queue of that configuration.
struct Marker {
  explicit Marker(const WredConfig& config) : rule(config.rule()) {}
  WredVerdict judge(std::uint64_t depth, Ecn ecn) { return block.judge(rule, depth, ecn, 0); }
  /// How many of `n` ECT frames are marked.
  double marked(std::uint64_t depth, std::uint64_t n) {
    double count = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (judge(depth, Ecn::kEct0) == WredVerdict::kMark) ++count;
    }
    return count;
  }

  EcnRule rule;
  Blocks twins;
  EcnMarking block{"port", RandomStream(1, "wred"), twins};
};

TEST(Wred, MarksWithTheProbabilityOfTheLawAtTwentyDepths) {
  constexpr std::uint64_t kDraws = 200'000;
  // the shipping profile; the paper's: 5 KB, 200 KB, 1 %; the HPCC simulator's at 100G
  for (const WredConfig& config :
       {WredConfig{}, profile(5'000, 200'000, 0.01), profile(400'000, 1'600'000, 0.2)}) {
    Marker marker(config);
    const double width = static_cast<double>(config.kmax - config.kmin);
    for (unsigned i = 1; i <= 20; ++i) {
      const std::uint64_t depth = config.kmin + (config.kmax - config.kmin) * i / 20;
      const double p = config.pmax * static_cast<double>(depth - config.kmin) / width;
      const double sigma = std::sqrt(kDraws * p * (1 - p));
      EXPECT_NEAR(marker.marked(depth, kDraws), kDraws * p, 3 * sigma) << depth;
    }
  }
}

TEST(Wred, TheProbabilityAtKmaxIsPmaxToTheNearestStep) {
  RandomStream random(1, "profiles");
  for (unsigned i = 0; i < 100'000; ++i) {
    const std::uint64_t kmin = random.below(std::uint64_t{1} << random.below(31));
    const std::uint64_t width = 1 + random.below(std::uint64_t{1} << random.below(31));
    const double pmax = i % 3 == 0 ? 1.0 : random.uniform();
    const rtl::EcnCurve curve = profile(kmin, kmin + width, pmax).rule().curve;
    EXPECT_EQ(curve.kmin, kmin);
    EXPECT_EQ(curve.kmax, kmin + width);
    EXPECT_NEAR(curve.pmax * 0x1p-24, pmax, 0x1p-25);
    EXPECT_GE(width * curve.slope >> curve.shift, curve.pmax);
  }
}

TEST(Wred, EdgesAreExact) {
  Marker marker(profile(1000, 2000, 0.5));
  EXPECT_EQ(marker.marked(0, 1000), 0);
  EXPECT_EQ(marker.marked(1000, 1000), 0);
  EXPECT_EQ(marker.twins.cycles(BlockKind::kEcnMarker), 0U) << "up to kmin nothing is asked";
  EXPECT_EQ(marker.marked(2001, 1000), 1000);
  EXPECT_EQ(marker.marked(~std::uint64_t{0}, 1000), 1000);

  Marker never_on_the_slope(profile(1000, 2000, 0));
  EXPECT_EQ(never_on_the_slope.marked(2000, 1000), 0);
  EXPECT_EQ(never_on_the_slope.marked(2001, 1000), 1000);

  Marker step(profile(1000, 1000, 0.5));
  EXPECT_EQ(step.marked(1000, 1000), 0);
  EXPECT_EQ(step.marked(1001, 1000), 1000);
}

TEST(Wred, OnlyEctIsMarked) {
  WredConfig config;
  const std::uint64_t deep = config.kmax + 1;
  Marker marker(config);
  EXPECT_EQ(marker.judge(deep, Ecn::kEct0), WredVerdict::kMark);
  EXPECT_EQ(marker.judge(deep, Ecn::kEct1), WredVerdict::kMark);
  EXPECT_EQ(marker.judge(deep, Ecn::kCe), WredVerdict::kPass);
  EXPECT_EQ(marker.judge(deep, Ecn::kNotEct), WredVerdict::kPass);
  config.drop_non_ect = true;
  Marker dropping(config);
  EXPECT_EQ(dropping.judge(deep, Ecn::kNotEct), WredVerdict::kDrop);
  EXPECT_EQ(dropping.judge(config.kmin, Ecn::kNotEct), WredVerdict::kPass);
  EXPECT_EQ(dropping.judge(deep, Ecn::kCe), WredVerdict::kPass);
  config.enabled = false;
  EXPECT_EQ(Marker(config).judge(~std::uint64_t{0}, Ecn::kEct0), WredVerdict::kPass);
  EXPECT_EQ(Marker(config).judge(~std::uint64_t{0}, Ecn::kNotEct), WredVerdict::kPass);
}

TEST(AverageDepth, StepResponseIsThatOfTheExactAverage) {
  constexpr std::uint64_t kDepth = 1'000'000;
  for (unsigned weight = 0; weight <= AverageDepth::kMostWeight; ++weight) {
    AverageDepth average(weight, 1000);
    const double kept = 1 - std::ldexp(1, -static_cast<int>(weight));
    const unsigned steps = 6U << weight;
    for (unsigned n = 1; n <= steps; ++n) {
      const double exact = kDepth * (1 - std::pow(kept, n));
      ASSERT_NEAR(static_cast<double>(average.sample(kDepth, n)), exact, 2) << weight << ' ' << n;
    }
    const double top = static_cast<double>(average.value());
    for (unsigned n = 1; n <= steps; ++n) {
      const double exact = top * std::pow(kept, n);
      ASSERT_NEAR(static_cast<double>(average.sample(0, n)), exact, 2) << weight << ' ' << n;
    }
  }
}

TEST(AverageDepth, WeightZeroIsThePresentDepth) {
  AverageDepth average = WredConfig{}.average(Rate::gbps(400));
  for (const std::uint64_t depth : {5ULL, 1'000'000ULL, 0ULL, 77ULL}) {
    EXPECT_EQ(average.sample(depth, 0), depth);
  }
}

TEST(AverageDepth, AnEmptyQueueAgesByWholeSlots) {
  constexpr std::uint64_t kDepth = 1ULL << 30;
  for (const unsigned weight : {1U, 4U, 9U, 16U}) {
    const double kept = 1 - std::ldexp(1, -static_cast<int>(weight));
    for (const unsigned slots : {0U, 1U, 2U, 3U, 100U, 511U, 512U, 77'777U}) {
      AverageDepth average(weight, 20'480);
      while (average.value() < kDepth - 1) average.sample(2 * kDepth, 0);
      const double before = static_cast<double>(average.value());
      average.empty(1'000'000);
      const double after =
          static_cast<double>(average.sample(0, 1'000'000 + 20'480 * Time{slots} + 20'479));
      EXPECT_NEAR(after, before * std::pow(kept, slots + 1), 2) << weight << ' ' << slots;
    }
  }
}

TEST(AverageDepth, NothingIsLeftAfterALongTimeAndTheClockStartsAnew) {
  AverageDepth average(9, 1);
  for (unsigned n = 0; n < 10'000; ++n) average.sample(1ULL << 39, 0);
  average.empty(0);
  EXPECT_EQ(average.sample(0, 1000 * kSecond), 0U);
  EXPECT_EQ(average.sample(512, 2000 * kSecond), 1U);  // not empty meanwhile: it does not age
  EXPECT_EQ(average.sample(512, 3000 * kSecond), 1U);
  EXPECT_EQ(average.sample(0, 3000 * kSecond), 1U);
}

TEST(WredConfig, SlotIsTheTimeOfTheConfiguredFrame) {
  WredConfig config;
  config.average_weight = 1;
  config.average_frame = 500;  // 10 ns at 400G
  AverageDepth average = config.average(Rate::gbps(400));
  average.sample(2'048'000, 0);
  average.empty(0);
  EXPECT_EQ(average.sample(0, 30 * kNanosecond), 1'024'000U >> 4);
}

TEST(WredConfig, DefaultsAreTheShippingProfileAndComeBackFromTheirDump) {
  WredConfig config;
  bind_config(map({}), config);
  EXPECT_TRUE(config.enabled);
  EXPECT_EQ(config.kmin, 150'000U);
  EXPECT_EQ(config.kmax, 1'430'000U);
  EXPECT_EQ(config.pmax, 1.0);
  WredConfig read;
  read.kmin = 1;
  bind_config(dump_config(config), read);
  EXPECT_EQ(read.kmin, 150'000U);
}

TEST(WredConfig, KminAboveKmaxIsRefusedAtItsPlace) {
  WredConfig config;
  try {
    bind_config(map({{"kmax", text("400KB")}, {"kmin", text("401KB")}}), config);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "f.yaml:2:10");
    EXPECT_THAT(error.problem(), HasSubstr("kmin at 401KB lies above kmax at 400KB"));
  }
}

// The deepest queue that the block can be told of is above any kmax.
TEST(WredConfig, ThresholdsAreWhatTheBlockHolds) {
  WredConfig config;
  bind_config(map({{"kmax", text("4GB")}, {"kmin", text("4GB")}}), config);
  Marker marker(config);
  EXPECT_EQ(marker.judge(4'000'000'000, Ecn::kEct0), WredVerdict::kPass);
  EXPECT_EQ(marker.judge(std::uint64_t{1} << 32, Ecn::kEct0), WredVerdict::kMark);
  for (const char* key : {"kmin", "kmax"}) {
    try {
      bind_config(map({{key, text("4000001KB")}}), config);
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.problem(), HasSubstr("is too large")) << key;
      EXPECT_THAT(error.remedy(), HasSubstr("4GB")) << key;
    }
  }
}

}  // namespace
}  // namespace railyard
