#include "hw/eth_switch/egress_scheduler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

using testing::HasSubstr;
constexpr unsigned kClasses = EgressScheduler::kClasses;
constexpr std::uint32_t kLargest = 9216;
using Heads = EgressScheduler::Heads;
using Sums = std::array<double, kClasses>;

EgressSchedulerConfig weights(const std::vector<std::uint32_t>& values) {
  EgressSchedulerConfig config;
  config.classes.clear();
  for (std::size_t c = 0; c < values.size(); ++c) {
    config.classes.push_back({static_cast<std::uint8_t>(c), false, values[c]});
  }
  return config;
}

std::uint32_t any_size(RandomStream& random) {
  return static_cast<std::uint32_t>(64 + random.below(kLargest - 64 + 1));
}

Heads any_heads(RandomStream& random) {
  Heads heads{};
  for (std::uint32_t& head : heads) head = any_size(random);
  return heads;
}

TEST(EgressScheduler, BackloggedClassesShareBytesByWeightWhateverTheirFrames) {
  const std::vector<std::uint32_t> weight = {1, 2, 3, 5, 10, 20, 29, 30};
  for (const Bytes quantum : {Bytes(kLargest), Bytes(1000)}) {
    EgressSchedulerConfig config = weights(weight);
    config.quantum = quantum;
    EgressScheduler scheduler(config);
    RandomStream random(1, "sizes");
    // each class has frames of its own size range, the heaviest the smallest frames
    const auto size = [&](unsigned c) {
      if (c == 0) return kLargest;
      if (c == 7) return std::uint32_t{64};
      return any_size(random) >> (c / 2);
    };
    Heads heads{};
    for (unsigned c = 0; c < kClasses; ++c) heads[c] = size(c);
    Sums sent{};
    double total = 0;
    for (unsigned i = 0; i < 10'000'000; ++i) {
      const unsigned c = *scheduler.pick(0xFF, heads);
      sent[c] += heads[c];
      total += heads[c];
      heads[c] = size(c);
    }
    for (unsigned c = 0; c < kClasses; ++c) {
      EXPECT_NEAR(sent[c] / total / (weight[c] / 100.0), 1, 0.001) << c;
    }
  }
}

TEST(EgressScheduler, EligibleClassesShareByWeightThroughRandomPauses) {
  const std::vector<std::uint32_t> weight = {10, 10, 20, 20, 30, 30, 50, 50};
  EgressScheduler scheduler(weights(weight));
  RandomStream random(1, "pauses");
  Heads heads = any_heads(random);
  Sums sent{};
  Sums due{};
  for (unsigned phase = 0; phase < 1000; ++phase) {
    const auto eligible = static_cast<std::uint8_t>(1 + random.below(255));
    double sum = 0;
    for (unsigned c = 0; c < kClasses; ++c) sum += (eligible >> c & 1) * weight[c];
    double total = 0;
    for (std::uint64_t i = random.below(10'000); i != 0; --i) {
      const unsigned c = *scheduler.pick(eligible, heads);
      sent[c] += heads[c];
      total += heads[c];
      heads[c] = any_size(random);
    }
    for (unsigned c = 0; c < kClasses; ++c) due[c] += (eligible >> c & 1) * total * weight[c] / sum;
  }
  for (unsigned c = 0; c < kClasses; ++c) EXPECT_NEAR(sent[c] / due[c], 1, 0.001) << c;
}

// Shreedhar and Varghese 1996, theorem 3: over any interval in which two classes are backlogged,
// bytes by weight differ by less than Q + 2 * Max, Q the quantum of a weight of one.
TEST(EgressScheduler, NoIntervalIsUnfairByMoreThanTheBoundOfDrr) {
  const std::vector<std::uint32_t> weight = {1, 1, 2, 3, 4, 5, 7, 9};
  EgressScheduler scheduler(weights(weight));
  RandomStream random(1, "sizes");
  Heads heads = any_heads(random);
  std::array<std::int64_t, kClasses> sent{};
  // The largest difference over any interval is that between the extremes of the running one.
  struct Extremes {
    double low = 0;
    double high = 0;
  };
  std::array<std::array<Extremes, kClasses>, kClasses> extremes{};
  for (unsigned i = 0; i < 200'000; ++i) {
    const unsigned c = *scheduler.pick(0xFF, heads);
    sent[c] += heads[c];
    heads[c] = i % 7 == 0 ? kLargest : any_size(random);
    for (unsigned a = 0; a < kClasses; ++a) {
      for (unsigned b = 0; b < a; ++b) {
        const double difference =
            static_cast<double>(sent[a]) / weight[a] - static_cast<double>(sent[b]) / weight[b];
        Extremes& e = extremes[a][b];
        e.low = std::min(e.low, difference);
        e.high = std::max(e.high, difference);
      }
    }
  }
  for (unsigned a = 0; a < kClasses; ++a) {
    for (unsigned b = 0; b < a; ++b) {
      EXPECT_LT(extremes[a][b].high - extremes[a][b].low, kLargest + 2 * kLargest) << a << ' ' << b;
    }
  }
}

// Between a class's becoming backlogged and its first frame each other class has at most one turn:
// its quantum and what it had left, which is less than a frame.
TEST(EgressScheduler, AClassWaitsForAtMostOneTurnOfEachOther) {
  const std::vector<std::uint32_t> weight = {10, 20, 30, 40, 50, 60, 70, 80};
  EgressScheduler scheduler(weights(weight));
  RandomStream random(1, "arrivals");
  for (unsigned trial = 0; trial < 20'000; ++trial) {
    const unsigned late = static_cast<unsigned>(random.below(kClasses));
    Heads heads = any_heads(random);
    heads[late] = 0;
    const auto others = static_cast<std::uint8_t>(0xFF & ~(1U << late));
    for (std::uint64_t i = random.below(50); i != 0; --i) {
      heads[*scheduler.pick(others, heads)] = any_size(random);
    }
    heads[late] = kLargest;
    std::array<std::uint64_t, kClasses> sent{};
    for (unsigned c = 0; (c = *scheduler.pick(0xFF, heads)) != late;) {
      sent[c] += heads[c];
      heads[c] = any_size(random);
    }
    for (unsigned c = 0; c < kClasses; ++c) {
      EXPECT_LT(sent[c], scheduler.quantum(c) + kLargest) << c;
    }
  }
}

TEST(EgressScheduler, NothingIsPickedOnlyIfNothingMayBe) {
  EgressSchedulerConfig config = weights({1, 100, 7, 30});
  config.classes.push_back({5, true, {}});
  config.classes.push_back({6, true, {}});
  config.quantum = 1500;
  EgressScheduler scheduler(config);
  RandomStream random(1, "work");
  for (unsigned i = 0; i < 1'000'000; ++i) {
    const auto eligible = static_cast<std::uint8_t>(random.next());
    Heads heads{};
    const std::uint64_t backlogged = random.next() | eligible;
    for (unsigned c = 0; c < kClasses; ++c) {
      if ((backlogged >> c & 1) != 0) heads[c] = any_size(random);
    }
    const auto pick = scheduler.pick(eligible, heads);
    ASSERT_EQ(pick.has_value(), eligible != 0);
    if (!pick) continue;
    ASSERT_NE(eligible >> *pick & 1, 0);
    if ((eligible & 0b1100000) != 0) {
      ASSERT_EQ(*pick, (eligible & 0b1000000) != 0 ? 6U : 5U);
    }
    for (unsigned c = 0; c < kClasses; ++c) {
      const std::uint32_t quantum = scheduler.quantum(c);
      ASSERT_LE(scheduler.deficit(c), quantum + std::max(quantum, kLargest));
    }
  }
}

TEST(EgressScheduler, AStrictClassTakesTheNextFrameAndNoTurnIsLost) {
  EgressScheduler scheduler({});  // class 6 is strict
  Heads heads;
  heads.fill(4000);
  std::vector<unsigned> order;
  for (unsigned i = 0; i < 6; ++i) {
    if (i % 2 == 1) {
      EXPECT_EQ(scheduler.pick(0b1001001, heads), 6U);
      EXPECT_EQ(scheduler.pick(0b1001001, heads), 6U);
    }
    order.push_back(*scheduler.pick(0b0001001, heads));
  }
  // quantum 9216: two frames a turn, 1216 left; after three turns there would be a frame more
  EXPECT_THAT(order, testing::ElementsAre(0, 0, 3, 3, 0, 0));
  EXPECT_EQ(scheduler.deficit(0), 2U * 9216 - 4 * 4000);
}

TEST(EgressScheduler, APausedClassKeepsTheRestOfItsTurnAndGetsNoMore) {
  EgressScheduler scheduler({});
  Heads heads;
  heads.fill(1000);
  EXPECT_EQ(scheduler.pick(0b0011, heads), 0U);
  const std::uint32_t rest = scheduler.deficit(0);
  EXPECT_EQ(rest, 8216U);
  for (unsigned i = 0; i < 10'000; ++i) EXPECT_EQ(scheduler.pick(0b0010, heads), 1U);
  EXPECT_EQ(scheduler.deficit(0), rest);
  while (scheduler.pick(0b0011, heads) == 1U) {
  }
  unsigned in_turn = 1;
  while (scheduler.pick(0b0011, heads) == 0U) ++in_turn;
  EXPECT_EQ(in_turn, (rest + 9216) / 1000);
}

TEST(EgressScheduler, APausedClassHoldsAQuantumAtMost) {
  EgressScheduler scheduler({});
  Heads heads;
  heads.fill(5000);
  EXPECT_EQ(scheduler.pick(0b0001, heads), 0U);  // 4216 are left
  heads[0] = 9216;
  EXPECT_EQ(scheduler.pick(0b0001, heads), 0U);  // 13432 less 9216
  heads[0] = 64;
  RandomStream random(1, "pauses");
  for (unsigned i = 0; i < 1'000'000; ++i) {
    const auto eligible = static_cast<std::uint8_t>(random.next() & 0b10111111);
    const auto pick = scheduler.pick(eligible, heads);
    if (pick) heads[*pick] = any_size(random);
    for (unsigned c = 0; pick && c < kClasses; ++c) {
      if ((eligible >> c & 1) == 0) {
        ASSERT_LE(scheduler.deficit(c), scheduler.quantum(c));
      }
    }
  }
}

TEST(EgressScheduler, AClassThatRanEmptyHasNoCredit) {
  EgressScheduler scheduler({});
  Heads heads{};
  heads[2] = 64;
  EXPECT_EQ(scheduler.pick(0b100, heads), 2U);
  EXPECT_EQ(scheduler.deficit(2), 9216U - 64);
  heads[2] = 0;
  EXPECT_EQ(scheduler.pick(0, heads), std::nullopt);
  EXPECT_EQ(scheduler.deficit(2), 0U);
}

TEST(EgressScheduler, TheLeastWeightGetsTheQuantumAndStrictClassesNone) {
  EgressSchedulerConfig config = weights({20, 30, 50});
  config.classes.push_back({7, true, {}});
  const EgressScheduler scheduler(config);
  EXPECT_EQ(scheduler.quantum(0), 9216U);
  EXPECT_EQ(scheduler.quantum(1), 13824U);
  EXPECT_EQ(scheduler.quantum(2), 23040U);
  EXPECT_EQ(scheduler.quantum(3), 23040U);  // not listed: 50
  EXPECT_EQ(scheduler.quantum(7), 0U);
  EXPECT_TRUE(scheduler.is_strict(7));
  EXPECT_FALSE(scheduler.is_strict(6));
}

TEST(EgressScheduler, AllClassesMayBeStrict) {
  EgressSchedulerConfig config;
  config.classes.clear();
  for (std::uint8_t c = 0; c < kClasses; ++c) config.classes.push_back({c, true, {}});
  EgressScheduler scheduler(config);
  Heads heads;
  heads.fill(64);
  for (unsigned c = kClasses; c-- > 0;) {
    EXPECT_EQ(scheduler.pick(static_cast<std::uint8_t>((2U << c) - 1), heads), c);
  }
  EXPECT_EQ(scheduler.pick(0, heads), std::nullopt);
}

TEST(EgressSchedulerConfig, ReadsClassesAndComesBackFromItsDump) {
  EgressSchedulerConfig config;
  bind_config(
      map({{"classes", list({map({{"traffic_class", text("3")}, {"weight", text("50")}}),
                             map({{"traffic_class", text("6")}, {"strict", text("true")}})})}}),
      config);
  EgressSchedulerConfig again;
  again.classes.clear();
  bind_config(dump_config(config), again);
  ASSERT_EQ(again.classes.size(), 2U);
  EXPECT_EQ(again.classes[0].traffic_class, 3);
  EXPECT_EQ(again.classes[0].weight, 50U);
  EXPECT_FALSE(again.classes[0].strict);
  EXPECT_TRUE(again.classes[1].strict);
  EXPECT_EQ(again.classes[1].weight, std::nullopt);
}

TEST(EgressSchedulerConfig, ContradictionsAreRefused) {
  const auto refusal = [](std::vector<Node> classes) {
    EgressSchedulerConfig config;
    try {
      bind_config(map({{"classes", list(std::move(classes))}}), config);
    } catch (const ConfigError& error) {
      return error.problem();
    }
    return std::string();
  };
  const Node three = map({{"traffic_class", text("3")}});
  EXPECT_THAT(refusal({three, three}), HasSubstr("traffic class 3 is listed twice"));
  EXPECT_THAT(
      refusal(
          {map({{"traffic_class", text("6")}, {"strict", text("true")}, {"weight", text("5")}})}),
      HasSubstr("classes[0].weight: a strict class has no weight"));
  EXPECT_THAT(refusal({map({{"weight", text("5")}})}), HasSubstr("traffic_class: is required"));
  EXPECT_THAT(refusal({map({{"traffic_class", text("8")}})}), HasSubstr("\"8\""));
  EXPECT_THAT(refusal({map({{"traffic_class", text("0")}, {"weight", text("0")}})}),
              HasSubstr("out of range"));
  EXPECT_EQ(refusal({three}), "");
}

}  // namespace
}  // namespace railyard
