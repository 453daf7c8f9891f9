#include "tlm/sim/lazy_scheduler.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "tests/tlm/sim/lazy_bench.h"
#include "tlm/base/error.h"

namespace railyard::lazy_bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(LazySchedulerTest, StepsFireLateInTheirOrderAndEachInItsTime) {
  Act z(p, "z", says("z"), Phase::kArrival);
  Act b(p, "b", says("b"), Phase::kTimer);
  Act a(p, "a", says("a"), Phase::kTimer);
  Act last(p, "last", says("last"), Phase::kArrival);
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    for (Act* act : {&last, &b, &z, &a}) lazy.schedule(act->event, act == &last ? 16 : 15);
  });
  simulation.seal();
  at(start, 10);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_THAT(log, ElementsAre("z 15/16", "a 15/16", "b 15/16", "last 16/16"));
  EXPECT_EQ(simulation.now(), 16);
  EXPECT_EQ(lazy.fired(), 4U);
  EXPECT_EQ(lazy.pending(), 0U);
  EXPECT_EQ(simulation.kernel_events(), 2U);  // the start, the last step
}

TEST_F(LazySchedulerTest, StepsOfOneEndpointAndTimeGoInTheOrderInWhichTheyWereGiven) {
  Endpoint& endpoint = p.endpoint("both");
  struct Step {
    Step(LazySchedulerTest& test, Endpoint& e, std::string what)
        : event(Event::of<&Step::go>(*this, e, Phase::kAct)), name(std::move(what)), owner(test) {}
    void go() { owner.say(name); }
    Event event;
    std::string name;
    LazySchedulerTest& owner;
  };
  Step first(*this, endpoint, "first");
  Step second(*this, endpoint, "second");
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(second.event, 5);
    lazy.schedule(first.event, 5);
    lazy.schedule(second.event, 5);  // moved behind
  });
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("first 5/5", "second 5/5"));
}

TEST_F(LazySchedulerTest, AVisitFiresWhatIsDueFirstAndWhatItMakesDueNowBeforeItEnds) {
  Act early(p, "early", says("early"));
  Act now_due(p, "now_due", says("due"));
  Act same_time(p, "same_time", says("same"), Phase::kObserve);
  Act late(p, "late", says("late"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(early.event, 3);
    lazy.schedule(same_time.event, 10);
    lazy.schedule(late.event, 50);
  });
  // Earlier in its time than any step's phase.
  Act visitor(
      p, "visitor",
      [&] {
        {
          const LazyScheduler::Visit visit(lazy);
          say("visit");
          lazy.schedule(now_due.event, 10);
          {
            const LazyScheduler::Visit nested(lazy);
            say("nested");
          }
          say("still");
        }
        say("after");
      },
      Phase::kClock);
  simulation.seal();
  at(start, 0);
  at(visitor, 10);
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("early 3/10", "same 10/10", "visit 10/10", "nested 10/10",
                               "still 10/10", "due 10/10", "after 10/10", "late 50/50"));
}

TEST_F(LazySchedulerTest, StepsMayVisitScheduleMoveAndCancel) {
  Act cancelled(p, "cancelled", says("cancelled"));
  Act moved(p, "moved", says("moved"));
  Act chained(p, "chained", says("chained"));
  Act step(p, "step", [&] {
    say("step");
    const LazyScheduler::Visit visit(lazy);
    lazy.cancel(cancelled.event);
    lazy.cancel(cancelled.event);
    lazy.schedule(moved.event, 8);
    lazy.schedule_in(chained.event, 0);
  });
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 5);
    lazy.schedule(cancelled.event, 6);
    lazy.schedule(moved.event, 90);
  });
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  // Nothing was awaited, so the kernel woke for what was last when the visit ended.
  // then.
  EXPECT_THAT(log, ElementsAre("step 5/90", "chained 5/90", "moved 8/90"));
}

TEST_F(LazySchedulerTest, ThePastIsRefused) {
  Act other(p, "other");
  Act step(p, "step", [&] { lazy.schedule(other.event, lazy.now() - 1); });
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(step.event, 5);
  });
  simulation.seal();
  at(start, 0);
  try {
    simulation.run(kSecond);
    FAIL();
  } catch (const InvariantError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a step was scheduled for the past, 4ps"));
    EXPECT_EQ(error.where(), "lazy");
    EXPECT_EQ(error.when(), 5);
  }
}

TEST_F(LazySchedulerTest, WhileSomethingIsAttendedEachStepIsOnTime) {
  Act one(p, "one", says("one"));
  Act two(p, "two", [&] {
    say("two");
    lazy.on_time("test");
    lazy.relax();
  });
  Act three(p, "three", says("three"));
  Act four(p, "four", says("four"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.attend();
    EXPECT_TRUE(lazy.eager());
    lazy.schedule(one.event, 1);
    lazy.schedule(two.event, 2);
    lazy.schedule(three.event, 3);
    lazy.schedule(four.event, 4);
  });
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  EXPECT_FALSE(lazy.eager());
  EXPECT_THAT(log, ElementsAre("one 1/1", "two 2/2", "three 3/4", "four 4/4"));
}

TEST_F(LazySchedulerTest, WhatIsSeenWakesAtItsBoundAndThenFarAhead) {
  LazyScheduler::Sight sight = 0;
  Act one(p, "one", says("one"));
  Act two(p, "two", says("two"));
  Act known(p, "known", [&] {
    say("known");
    lazy.expect(sight, 30, 0);
  });
  Act three(p, "three", says("three"));
  Act seen(p, "seen", [&] {
    say("seen");
    lazy.on_time("test");
    lazy.seen(sight);
  });
  Act last(p, "last", says("last"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    sight = lazy.expect(10, 5);
    EXPECT_TRUE(lazy.eager());
    lazy.schedule(one.event, 2);
    lazy.schedule(two.event, 12);
    lazy.schedule(known.event, 16);
    lazy.schedule(three.event, 20);
    lazy.schedule(seen.event, 30);
    lazy.schedule(last.event, 40);
  });
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  EXPECT_FALSE(lazy.eager());
  // Woken at 10, each 5 from there on, and, once the time is known, then.
  EXPECT_THAT(log, ElementsAre("one 2/10", "two 12/15", "known 16/20", "three 20/20", "seen 30/30",
                               "last 40/40"));
}

TEST_F(LazySchedulerTest, EagerEachStepIsOnTimeForEver) {
  Act one(p, "one", says("one"));
  Act two(p, "two", says("two"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(one.event, 1);
    lazy.schedule(two.event, 2);
  });
  lazy.set_eager();
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("one 1/1", "two 2/2"));
}

TEST_F(LazySchedulerTest, AnExactBoundOfAnAwaiterCostsOneWake) {
  Bound bound;
  Bound nothing;
  Act one(p, "one", says("one"));
  Act call(p, "call", [&] {
    say("call");
    lazy.on_time("test");
    bound.at = kForever;
  });
  Act three(p, "three", says("three"));
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(one.event, 1);
    lazy.schedule(call.event, 20);
    lazy.schedule(three.event, 30);
    bound.at = 20;
  });
  lazy.add(bound);
  lazy.add(nothing);
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("one 1/20", "call 20/20", "three 30/30"));
  EXPECT_EQ(simulation.kernel_events(), 3U);
}

TEST_F(LazySchedulerTest, TooEarlyABoundCostsAWakeForEachStepButChangesNothing) {
  Bound bound;
  Act one(p, "one", says("one"));
  Act call(p, "call", [&] {
    say("call");
    lazy.on_time("test");
    bound.at = kForever;
  });
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(one.event, 10);
    lazy.schedule(call.event, 20);
    bound.at = 0;  // no step is due before 10, so there is no wake before
  });
  lazy.add(bound);
  simulation.seal();
  at(start, 0);
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("one 10/10", "call 20/20"));
  EXPECT_EQ(simulation.kernel_events(), 3U);
}

TEST_F(LazySchedulerTest, TooLateABoundIsFound) {
  Bound bound;
  Act call(p, "call", [&] { lazy.on_time("someone"); });
  Act last(p, "last");
  Act start(p, "start", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.schedule(call.event, 20);
    lazy.schedule(last.event, 40);
    bound.at = 21;
  });
  lazy.add(bound);
  simulation.seal();
  at(start, 0);
  try {
    simulation.run(kSecond);
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("someone at 20ps: what others see came late, at 21ps"));
  }
}

TEST_F(LazySchedulerTest, OutsideOfStepsEverythingIsOnTime) {
  Act outside(p, "outside", [&] {
    const LazyScheduler::Visit visit(lazy);
    lazy.on_time("test");
    say("fine");
  });
  simulation.seal();
  at(outside, 7);
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("fine 7/7"));
}

}  // namespace
}  // namespace railyard::lazy_bench
