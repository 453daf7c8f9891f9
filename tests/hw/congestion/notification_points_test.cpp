// When marked packets are answered, whether edges are executed lazily, at their times or all.
#include "hw/congestion/notification_points.h"

#include <gmock/gmock.h>

#include <ostream>
#include <utility>
#include <vector>

#include "tests/hw/congestion/script.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using Cnp = std::pair<Time, std::uint32_t>;

enum class Way : std::uint8_t { kLazy, kTraced, kFreeRunning };

std::ostream& operator<<(std::ostream& out, Way way) {
  return out << (way == Way::kLazy ? "lazy" : way == Way::kTraced ? "traced" : "free_running");
}

BlocksConfig blocks_of(Way way) {
  BlocksConfig config;
  config.engine = BlockEngine::kModel;
  if (way == Way::kFreeRunning) config.clocking = BlockClocking::kFreeRunning;
  return config;
}

struct PointsBench {
  PointsBench(Way way, const NotificationPoints::Config& config, std::size_t contexts = 16)
      : blocks(blocks_of(way), nullptr),
        points(simulation.partition(), "port", config, blocks,
               [this](std::uint32_t context) { cnps.emplace_back(simulation.now(), context); }),
        script(simulation.partition()) {
    if (way == Way::kTraced) blocks.set_traces();
    points.make(contexts);
    simulation.seal();
    points.start();
  }

  void mark(Time at, std::uint32_t context) {
    script.at(at, [this, context] { points.marked(context); });
  }
  void run() { simulation.run(kSecond); }

  Simulation simulation{{}};
  Blocks blocks;
  std::vector<Cnp> cnps;
  NotificationPoints points;
  support::Script script;
};

NotificationPoints::Config config_of(Time interval, Time delay = 0) {
  NotificationPoints::Config config;
  config.interval = interval;
  config.delay = delay;
  return config;
}

constexpr Time kNs = kNanosecond;

class NotificationPointsBy : public testing::TestWithParam<Way> {};

TEST_P(NotificationPointsBy, AMarkIsAnsweredThreeCyclesAfterItIsTaken) {
  PointsBench bench(GetParam(), config_of(kMicrosecond));
  bench.mark(10 * kNs + 300, 5);  // taken at 11 ns
  bench.mark(200 * kNs, 6);       // at the time of an edge: taken by the next
  bench.run();
  EXPECT_THAT(bench.cnps, ElementsAre(Cnp(14 * kNs, 5), Cnp(204 * kNs, 6)));
  EXPECT_EQ(bench.simulation.now(), 204 * kNs);
}

TEST_P(NotificationPointsBy, TheDelayIsFromTheCycleAfterItWasTaken) {
  PointsBench bench(GetParam(), config_of(kMicrosecond, 30 * kNs));
  bench.mark(10 * kNs + 300, 5);
  bench.mark(25 * kNs, 6);  // while the first is delayed
  bench.run();
  EXPECT_THAT(bench.cnps, ElementsAre(Cnp(42 * kNs, 5), Cnp(57 * kNs, 6)));
}

TEST_P(NotificationPointsBy, TimesAreCyclesOfItsClock) {
  NotificationPoints::Config config = config_of(kMicrosecond, 50 * kNs);
  config.clock = 10 * kNs;
  PointsBench bench(GetParam(), config);
  bench.mark(101 * kNs, 0);   // taken at 110 ns
  bench.mark(1109 * kNs, 0);  // 1110 ns: a microsecond later
  bench.mark(2109 * kNs, 0);
  bench.mark(3099 * kNs, 0);  // 3100 ns: a cycle early
  bench.run();
  EXPECT_THAT(bench.cnps, ElementsAre(Cnp(170 * kNs, 0), Cnp(1170 * kNs, 0), Cnp(2170 * kNs, 0)));
}

TEST_P(NotificationPointsBy, ContextsHaveIntervalsOfTheirOwn) {
  PointsBench bench(GetParam(), config_of(50 * kNs));
  for (Time at = 100 * kNs; at < 300 * kNs; at += 10 * kNs) bench.mark(at, 2);
  bench.mark(115 * kNs, 3);
  bench.run();
  EXPECT_THAT(bench.cnps, ElementsAre(Cnp(104 * kNs, 2), Cnp(119 * kNs, 3), Cnp(154 * kNs, 2),
                                      Cnp(204 * kNs, 2), Cnp(254 * kNs, 2)));
}

TEST_P(NotificationPointsBy, WithoutAnIntervalEveryMarkIsAnswered) {
  PointsBench bench(GetParam(), config_of(0));
  for (Time at = 100 * kNs; at < 110 * kNs; at += kNs) bench.mark(at, 2);
  bench.run();
  EXPECT_THAT(bench.cnps, SizeIs(10));
  EXPECT_EQ(bench.cnps.back(), Cnp(113 * kNs, 2));
}

TEST_P(NotificationPointsBy, MarksOfOneCycleAreTakenInTurn) {
  PointsBench bench(GetParam(), config_of(kMicrosecond));
  for (const std::uint32_t context : {4U, 1U, 4U, 3U}) bench.mark(10 * kNs + 300, context);
  bench.run();
  EXPECT_THAT(bench.cnps, ElementsAre(Cnp(14 * kNs, 4), Cnp(15 * kNs, 1), Cnp(17 * kNs, 3)));
}

// Those that wait to be taken are answered in time, whoever is marked while CNPs are delayed.
TEST_P(NotificationPointsBy, ALaterMarkDoesNotHoldUpThoseThatWait) {
  PointsBench bench(GetParam(), config_of(kMicrosecond, 100 * kNs));
  for (std::uint32_t context = 0; context < 6; ++context) bench.mark(10 * kNs + 300, context);
  bench.mark(12 * kNs + 300, 10);  // while four wait: taken at 17 ns
  bench.mark(60 * kNs + 300, 11);
  bench.run();
  std::vector<Cnp> expected;
  for (std::uint32_t i = 0; i < 6; ++i) expected.emplace_back((112 + i) * kNs, i);
  expected.emplace_back(118 * kNs, 10);
  expected.emplace_back(162 * kNs, 11);
  EXPECT_EQ(bench.cnps, expected);
}

TEST_P(NotificationPointsBy, AStormOfMarksIsAnsweredOneACycle) {
  PointsBench bench(GetParam(), config_of(kMicrosecond), 256);
  for (std::uint32_t context = 0; context < 200; ++context) {
    bench.mark((10 + context / 10) * kNs, context);  // ten a cycle
  }
  bench.run();
  ASSERT_EQ(bench.cnps.size(), 200U);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(bench.cnps[i], Cnp((14 + i) * kNs, i));
}

// The smallest FIFO holds 16 CNPs, and one more is at its output.
TEST_P(NotificationPointsBy, MarksThatFindTooManyCnpsDelayedAreLetGo) {
  PointsBench bench(GetParam(), config_of(0, 50 * kNs));
  for (int i = 0; i < 40; ++i) bench.mark(10 * kNs + 300, 7);
  bench.mark(100 * kNs, 8);  // when the first have left
  bench.run();
  ASSERT_THAT(bench.cnps, SizeIs(18));
  EXPECT_EQ(bench.cnps[0], Cnp(62 * kNs, 7));
  EXPECT_EQ(bench.cnps[16], Cnp(78 * kNs, 7));
  EXPECT_EQ(bench.cnps[17], Cnp(152 * kNs, 8));
}

// With a delay beyond the interval more CNPs are due than can wait: those that are made come in
// time all the same, also after a storm of marks.
TEST_P(NotificationPointsBy, NoCnpComesLaterThanItsDelayHoweverManyMarksCome) {
  constexpr Time kLast = 20 * kMicrosecond;
  PointsBench bench(GetParam(), config_of(50 * kNs, kMicrosecond));
  std::uint32_t context = 0;
  for (Time at = 100 * kNs; at <= kLast; at += 5 * kNs) bench.mark(at, context++ % 8);
  bench.run();
  EXPECT_GT(bench.cnps.size(), 17U * 19);  // 17 in a microsecond, but for the first
  EXPECT_LE(bench.cnps.size(), 17U * 20);
  EXPECT_LE(bench.simulation.now(), kLast + kMicrosecond + 10 * kNs);
}

INSTANTIATE_TEST_SUITE_P(Ways, NotificationPointsBy,
                         testing::Values(Way::kLazy, Way::kTraced, Way::kFreeRunning),
                         [](const auto& way) { return testing::PrintToString(way.param); });

TEST(NotificationPoints, TheSizeIsTheSmallestThatHoldsTheContexts) {
  PointsBench bench(Way::kLazy, config_of(kMicrosecond), 17);
  bench.mark(10 * kNs, 16);
  bench.mark(20 * kNs, 0);  // 16 in four bits
  bench.run();
  EXPECT_THAT(bench.cnps, ElementsAre(Cnp(14 * kNs, 16), Cnp(24 * kNs, 0)));
  EXPECT_EQ(bench.blocks.dcqcn_np("a", 16)->contexts(), 16U);
  EXPECT_EQ(bench.blocks.dcqcn_np("b", 17)->contexts(), 256U);
  EXPECT_EQ(bench.blocks.dcqcn_np("c", 257)->contexts(), 4096U);
  EXPECT_EQ(bench.blocks.dcqcn_np("d", 4096)->contexts(), 4096U);
  EXPECT_THROW(bench.blocks.dcqcn_np("e", 4097), std::length_error);
}

}  // namespace
}  // namespace railyard
