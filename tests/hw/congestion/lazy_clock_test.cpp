// A clock whose edges are executed when somebody asks: which, when, and how often.
#include "hw/congestion/lazy_clock.h"

#include <gmock/gmock.h>

#include <functional>
#include <utility>
#include <vector>

#include "rtl/model/cycles.h"
#include "tests/hw/congestion/script.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kPeriod = 4 * kNanosecond;
/// An edge, and the time at which it was executed.
using Edge = std::pair<std::uint64_t, Time>;

const BlocksConfig kFree{BlockEngine::kModel, BlockClocking::kFreeRunning};

struct Bench : Stepped {
  explicit Bench(const BlocksConfig& config = {BlockEngine::kModel}, bool traces = false,
                 Time period = kPeriod)
      : blocks(config, nullptr),
        clock(simulation.partition(), "block", period, blocks, *this),
        script(simulation.partition()) {
    if (traces) blocks.set_traces();
    simulation.seal();
    clock.start();
  }

  void step(std::uint64_t cycle) override {
    edges.emplace_back(cycle, simulation.now());
    if (on_step) on_step(cycle);
  }
  void visited() override { visits.emplace_back(clock.cycle(), simulation.now()); }

  Simulation simulation{{}};
  Blocks blocks;
  LazyClock clock;
  std::function<void(std::uint64_t cycle)> on_step;
  std::vector<Edge> edges, visits;
  support::Script script;
};

TEST(LazyClock, AnEdgeIsExecutedWhenSomebodyAsksNotBeforeItsTime) {
  Bench bench;
  bench.clock.want(5);
  bench.script.at(5 * kPeriod - 1, [&] { bench.clock.run(); });
  bench.script.at(7 * kPeriod + 3, [&] {
    EXPECT_THAT(bench.edges, IsEmpty());
    EXPECT_EQ(bench.clock.cycle(), 7U);
    EXPECT_EQ(bench.clock.next_cycle(), 8U);
    bench.clock.run();
    bench.clock.run();
  });
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(5, 7 * kPeriod + 3)));
}

TEST(LazyClock, TheTimeOfAnEdgeIsInTime) {
  Bench bench;
  bench.clock.want(5);
  bench.script.at(5 * kPeriod, [&] { bench.clock.run(); });
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(5, 5 * kPeriod)));
}

TEST(LazyClock, EdgesThatAStepWantsAreExecutedInTheSameRunInOrder) {
  Bench bench;
  bench.on_step = [&](std::uint64_t cycle) {
    if (cycle < 8) bench.clock.want(cycle + 2);
    bench.clock.want(cycle + 100);  // the earliest counts
  };
  bench.clock.want(4);
  bench.script.at(20 * kPeriod, [&] { bench.clock.run(); });
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges,
              ElementsAre(Edge(4, 20 * kPeriod), Edge(6, 20 * kPeriod), Edge(8, 20 * kPeriod)));
}

TEST(LazyClock, TheEarliestOfWantedEdgesCounts) {
  Bench bench;
  bench.clock.want(9);
  bench.clock.want(3);
  bench.clock.want(6);
  bench.script.at(kMicrosecond, [&] { bench.clock.run(); });
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(3, kMicrosecond)));
}

TEST(LazyClock, WhatIsWantedWhenTheRunIsOverIsExecutedAtItsEnd) {
  Bench bench;
  bench.clock.want(3);
  bench.script.last_until(kMicrosecond);
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, IsEmpty());
  bench.simulation.conclude();
  EXPECT_THAT(bench.edges, ElementsAre(Edge(3, kMicrosecond)));
}

TEST(LazyClock, ATracedOneExecutesEdgesAtTheirTimes) {
  Bench bench({BlockEngine::kModel}, true);
  bench.on_step = [&](std::uint64_t cycle) {
    if (cycle == 3) bench.clock.want(5);
  };
  bench.clock.want(9);
  bench.clock.want(3);
  bench.script.at(5 * kPeriod, [&] { bench.clock.run(); });  // after the edge of that time
  bench.script.at(6 * kPeriod + 1, [&] { bench.clock.want(7); });
  bench.script.last_until(kMicrosecond);
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges,
              ElementsAre(Edge(3, 3 * kPeriod), Edge(5, 5 * kPeriod), Edge(7, 7 * kPeriod)));
}

TEST(LazyClock, AFreeRunningOneExecutesEveryCycleOnce) {
  Bench bench(kFree);
  bench.script.at(2 * kPeriod, [&] { bench.clock.run(); });
  bench.script.at(2 * kPeriod + 1, [&] { bench.clock.want(3); });
  bench.script.at(4 * kPeriod + 1, [&] { bench.clock.run(); });
  bench.script.last_until(5 * kPeriod + 1);
  bench.simulation.run(kSecond);
  std::vector<Edge> all;
  for (std::uint64_t n = 1; n <= 5; ++n) all.emplace_back(n, static_cast<Time>(n) * kPeriod);
  EXPECT_EQ(bench.edges, all);
}

TEST(LazyClock, AlsoIfSomebodyAsksBeforeTheEdgeOfThatTime) {
  Bench bench(kFree);
  bench.script.at(2 * kPeriod + 1, [&] { bench.clock.want(3); });
  bench.script.last_until(4 * kPeriod);
  bench.simulation.run(3 * kPeriod);
  bench.clock.run();  // between two runs
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(1, kPeriod), Edge(2, 2 * kPeriod), Edge(3, 3 * kPeriod),
                                       Edge(4, 4 * kPeriod)));
}

TEST(LazyClock, ARunDoesNotWaitForAnEdge) {
  Bench bench({BlockEngine::kModel}, true);
  bench.clock.want(1000);
  bench.script.last_until(kPeriod);
  EXPECT_EQ(bench.simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_EQ(bench.simulation.now(), kPeriod);
  EXPECT_THAT(bench.edges, IsEmpty());
}

TEST(LazyClock, NorForThoseOfAFreeRunningOne) {
  Bench bench(kFree);
  bench.script.last_until(kPeriod);
  EXPECT_EQ(bench.simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(1, kPeriod)));
}

TEST(LazyClock, ButForAVisit) {
  Bench bench;
  bench.clock.want(10);
  bench.clock.visit(1000);
  EXPECT_EQ(bench.simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_EQ(bench.simulation.now(), 1000 * kPeriod);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(10, 1000 * kPeriod)));
  EXPECT_THAT(bench.visits, ElementsAre(Edge(1000, 1000 * kPeriod)));
}

TEST(LazyClock, VisitsComeInOrderAtTheirTimesBehindTheEdges) {
  Bench bench;
  bench.clock.want(3);
  bench.on_step = [&](std::uint64_t cycle) {
    EXPECT_EQ(bench.visits.size(), cycle <= 3 ? 0U : 1U) << cycle;
    if (cycle < 7) bench.clock.want(cycle + 4);
  };
  bench.clock.visit(3);
  bench.clock.visit(7);
  bench.clock.visit(7);
  bench.script.at(3 * kPeriod + 1, [&] { bench.clock.visit(9); });
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(3, 3 * kPeriod), Edge(7, 7 * kPeriod)));
  EXPECT_THAT(bench.visits,
              ElementsAre(Edge(3, 3 * kPeriod), Edge(7, 7 * kPeriod), Edge(9, 9 * kPeriod)));
}

TEST(LazyClock, AVisitMayAskForAnother) {
  Bench bench;
  bench.clock.want(2);
  bench.on_step = [&](std::uint64_t cycle) {
    if (cycle == 2) bench.clock.visit(4);
  };
  bench.clock.visit(2);
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.visits, ElementsAre(Edge(2, 2 * kPeriod), Edge(4, 4 * kPeriod)));
}

TEST(LazyClock, TimesOf48BitsAreTheNearestOfTheirCycle) {
  constexpr std::uint64_t kRange = rtl::kTimeMask + 1;
  EXPECT_EQ(LazyClock::unwrap(7, 5), 7U);
  EXPECT_EQ(LazyClock::unwrap(5, 7), 5U);
  EXPECT_EQ(LazyClock::unwrap(5, kRange - 10), kRange + 5);
  EXPECT_EQ(LazyClock::unwrap(kRange - 10, kRange + 5), kRange - 10);
  EXPECT_EQ(LazyClock::unwrap(5, 3 * kRange + 5), 3 * kRange + 5);
  const std::uint64_t half = kRange / 2;
  EXPECT_EQ(LazyClock::unwrap(half - 1, 0), half - 1);
  EXPECT_EQ(LazyClock::unwrap(100, kRange + 99 + half), kRange + 100);
}

TEST(LazyClock, AWakeAcrossTheWrapIsExecutedBehindIt) {
  constexpr Time kRange = static_cast<Time>(rtl::kTimeMask) + 1;
  Bench bench({BlockEngine::kModel}, false, 1);  // cycles are picoseconds
  bench.on_step = [&](std::uint64_t cycle) {
    if (cycle < kRange) bench.clock.want_wake(5, cycle);
  };
  bench.clock.want(kRange - 10);
  bench.script.at(kRange + 4, [&] { bench.clock.run(); });
  bench.script.at(kRange + 5, [&] {
    EXPECT_THAT(bench.edges, ElementsAre(Edge(kRange - 10, kRange + 4)));
    bench.clock.run();
  });
  bench.simulation.run(kRange + 6);
  ASSERT_EQ(bench.edges.size(), 2U);
  EXPECT_EQ(bench.edges[1], Edge(kRange + 5, kRange + 5));
}

TEST(LazyClock, AWakeThatIsPastMeansTheNextEdge) {
  Bench bench;
  bench.on_step = [&](std::uint64_t cycle) {
    if (cycle == 20) bench.clock.want_wake(11, cycle);
  };
  bench.clock.want(20);
  bench.script.at(kMicrosecond, [&] { bench.clock.run(); });
  bench.simulation.run(kSecond);
  EXPECT_THAT(bench.edges, ElementsAre(Edge(20, kMicrosecond), Edge(21, kMicrosecond)));
}

}  // namespace
}  // namespace railyard
