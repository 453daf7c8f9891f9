// The lazy scheduler: ends of runs, who looks from outside, what steps throw.
#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/tlm/sim/lazy_bench.h"

namespace railyard::lazy_bench {
namespace {

using testing::ElementsAre;

TEST_F(LazySchedulerTest, ARunEndsWithItsLastStepAlsoIfStepsMakeSteps) {
  int left = 5;
  Act chain(p, "chain");
  chain.action = [&] {
    if (--left > 0) lazy.schedule_in(chain.event, 100);
  };
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(chain.event, 100);
  });
  simulation.seal();
  at(start, 0);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_EQ(simulation.now(), 500);
}

TEST_F(LazySchedulerTest, AStepInTheBackgroundDoesNotKeepARunAlive) {
  Act monitor(p, "monitor");
  monitor.event.set_background();
  monitor.action = [&] {
    say("monitor");
    lazy.schedule_in(monitor.event, 4);
  };
  Act work(p, "work", says("work"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(monitor.event, 4);
    lazy.schedule(work.event, 10);
  });
  simulation.seal();
  at(start, 0);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_EQ(simulation.now(), 10);
  EXPECT_THAT(log, ElementsAre("monitor 4/10", "monitor 8/10", "work 10/10"));
}

TEST_F(LazySchedulerTest, AStepInTheBackgroundBehindTheLastOneDoesNotDelayTheEnd) {
  Act monitor(p, "monitor", says("monitor"));
  monitor.event.set_background();
  Act work(p, "work", says("work"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(monitor.event, 1000);
    lazy.schedule(work.event, 10);
  });
  simulation.seal();
  at(start, 0);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_EQ(simulation.now(), 10);
  EXPECT_THAT(log, ElementsAre("work 10/10"));
}

TEST_F(LazySchedulerTest, WhoReadsMetricsSeesWhatWasDueByThen) {
  Counter counter;
  p.statistics().add(counter, {"counter", "steps", "Steps"});
  Act step(p, "step");
  step.action = [&] {
    counter.add();
    lazy.schedule_in(step.event, 10);
  };
  Act last(p, "last");
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 10);
    lazy.schedule(last.event, 1000);
  });
  std::uint64_t seen = 0;
  Act reader(p, "reader", [&] { seen = simulation.metrics().at(0).value.whole; });
  simulation.seal();
  at(start, 0);
  at(reader, 95);
  EXPECT_EQ(simulation.run(205), RunEnd::kUntil);
  EXPECT_EQ(seen, 9U);
  EXPECT_EQ(simulation.metrics().at(0).value.whole, 20U);
}

TEST_F(LazySchedulerTest, WhoLooksForWaitsSeesThoseOfStepsThatWereDue) {
  WaitPoint wait;
  p.waits().add(wait, {"a", "b", "c"});
  Act step(p, "step", [&] { wait.begin(lazy.now()); });
  Act last(p, "last");
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 10);
    lazy.schedule(last.event, 1000);
  });
  std::vector<Wait> waits;
  Act reader(p, "reader", [&] { waits = simulation.waits(); });
  simulation.seal();
  at(start, 0);
  at(reader, 95);
  simulation.run(200);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].since, 10);
}

TEST(LazyScheduler, WarmUpEndsBehindTheStepsThatWereDueByThen) {
  SimulationConfig config;
  config.warm_up = 100;
  Simulation simulation(config);
  Partition& p = simulation.partition();
  LazyScheduler lazy(p, "lazy");
  Counter counter;
  p.statistics().add(counter, {"counter", "steps", "Steps"});
  int left = 30;
  Act step(p, "step");
  step.action = [&] {
    counter.add();
    if (--left > 0) lazy.schedule_in(step.event, 10);
  };
  Act last(p, "last");  // keeps the others late
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 5);
    lazy.schedule(last.event, 1000);
  });
  simulation.seal();
  p.scheduler().schedule(start.event, 0);
  simulation.run(kSecond);
  // 5, 15, ... 95 are within.
  EXPECT_EQ(simulation.metrics().at(0).value.whole, 20U);
}

TEST_F(LazySchedulerTest, WhatAStepThrowsEndsTheRunWithItsText) {
  Act step(p, "step", [] { throw std::runtime_error("as it was"); });
  Act later(p, "z", says("later"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 5);
    lazy.schedule(later.event, 5);
  });
  simulation.seal();
  at(start, 0);
  try {
    simulation.run(kSecond);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "as it was");
  }
  // Who looks at the wreck makes nothing go on.
  simulation.metrics();
  EXPECT_EQ(simulation.control().where(), "lazy.steps");
  EXPECT_TRUE(log.empty());
}

TEST_F(LazySchedulerTest, WhatAVisitorThrowsEndsTheRunBeforeWhatItMadeDue) {
  Act step(p, "step", says("step"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 0);
    throw std::runtime_error("as it was");
  });
  simulation.seal();
  at(start, 0);
  EXPECT_THROW(simulation.run(kSecond), std::runtime_error);
  EXPECT_TRUE(log.empty());
}

TEST_F(LazySchedulerTest, WhatAStepMadeDueByAVisitThrowsEndsTheRunWithItsText) {
  Act step(p, "step", [] { throw std::runtime_error("as it was"); });
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 0);
  });
  simulation.seal();
  at(start, 0);
  EXPECT_THROW(simulation.run(kSecond), std::runtime_error);
  simulation.metrics();
  EXPECT_EQ(simulation.control().where(), "start");
}

}  // namespace
}  // namespace railyard::lazy_bench
