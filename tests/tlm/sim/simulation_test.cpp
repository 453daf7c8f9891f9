#include "tlm/sim/simulation.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;

/// Does something at a time.
struct At {
  At(Partition& partition, const std::string& name, std::function<void()> what)
      : action(std::move(what)),
        event(Event::of<&At::go>(*this, partition.endpoint(name), Phase::kAct)) {}
  void go() { action(); }
  std::function<void()> action;
  Event event;
};

TEST(Simulation, WhatACallbackThrowsLeavesRunWhole) {
  Simulation simulation{{}};
  struct Special : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  At at(simulation.partition(), "x", [] { throw Special("as it was"); });
  simulation.seal();
  simulation.partition().scheduler().schedule(at.event, 5);
  EXPECT_THROW(simulation.run(kSecond), Special);
}

TEST(Simulation, StopsWhenAskedAndSaysSo) {
  Simulation simulation{{}};
  At at(simulation.partition(), "x", [&] { simulation.control().request_stop(); });
  At never(simulation.partition(), "y", [] { FAIL(); });
  simulation.seal();
  simulation.partition().scheduler().schedule(at.event, 5);
  simulation.partition().scheduler().schedule(never.event, 6);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kInterrupted);
}

TEST(Simulation, AModuleMayStopIt) {
  Simulation simulation{{}};
  At at(simulation.partition(), "x", [] { sc_core::sc_stop(); });
  At never(simulation.partition(), "y", [] { FAIL(); });
  simulation.seal();
  simulation.partition().scheduler().schedule(at.event, 5);
  simulation.partition().scheduler().schedule(never.event, 6);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kStopped);
}

TEST(Simulation, UntilEndsARunThatGoesOn) {
  Simulation simulation{{}};
  At at(simulation.partition(), "x", [] {});
  simulation.seal();
  simulation.partition().scheduler().schedule(at.event, 10 * kMicrosecond);
  EXPECT_EQ(simulation.run(3 * kMicrosecond), RunEnd::kUntil);
  EXPECT_EQ(simulation.now(), 3 * kMicrosecond);
}

TEST(Simulation, NoEventLeftWhileWorkIsOutstandingIsExplained) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  WaitPoint wait;
  p.waits().add(wait, {"a.port", "a.link", "the link to come up"});
  p.open_work(1);
  At at(p, "x", [&] { wait.begin(p.now()); });
  simulation.seal();
  p.scheduler().schedule(at.event, 5 * kNanosecond);
  try {
    simulation.run(kSecond);
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("a.port at 5ns: no event is left"));
    EXPECT_THAT(report.get_msg(),
                HasSubstr("a.port waits for a.link: the link to come up, since 5ns"));
  }
}

/// Two waits in a ring from 1 us on, and traffic for ever.
struct Ring2 {
  explicit Ring2(Simulation& s) : simulation(s), tick(s.partition(), "tick", [this] { beat(); }) {
    s.partition().waits().add(ab, {"a", "b", "a pause to end"});
    s.partition().waits().add(ba, {"b", "a", "a pause to end"});
    s.seal();
    s.partition().scheduler().schedule(tick.event, kMicrosecond);
  }
  void beat() {
    const Time now = simulation.now();
    ab.begin(now);
    if (now < 20 * kMicrosecond && broken_once) ba.end();
    ba.begin(now);
    simulation.partition().scheduler().schedule_in(tick.event, kMicrosecond);
  }
  Simulation& simulation;
  At tick;
  WaitPoint ab, ba;
  bool broken_once = false;
};

TEST(Simulation, ACycleOfWaitsThatStandsIsADeadlock) {
  SimulationConfig config;
  config.deadlock.after = 10 * kMicrosecond;
  Simulation simulation{config};
  Ring2 ring(simulation);
  EXPECT_THROW(simulation.run(kMillisecond), sc_core::sc_report);
  EXPECT_LE(simulation.now(), 20 * kMicrosecond);
}

TEST(Simulation, ACycleThatIsBrokenNowAndThenIsNone) {
  SimulationConfig config;
  config.deadlock.after = 10 * kMicrosecond;
  Simulation simulation{config};
  Ring2 ring(simulation);
  ring.broken_once = true;
  EXPECT_THROW(simulation.run(kMillisecond), sc_core::sc_report);
  EXPECT_GE(simulation.now(), 29 * kMicrosecond);
}

TEST(Simulation, ReportOnlyGoesOnAndSaysIt) {
  SimulationConfig config;
  config.deadlock = {10 * kMicrosecond, true};
  Simulation simulation{config};
  Ring2 ring(simulation);
  EXPECT_EQ(simulation.run(kMillisecond), RunEnd::kUntil);
  EXPECT_THAT(simulation.deadlock_report(), HasSubstr("a waits for b: a pause to end"));
}

TEST(Simulation, WarmUpResetsWhatWasCounted) {
  SimulationConfig config;
  config.warm_up = 10;
  Simulation simulation{config};
  Counter counter;
  simulation.partition().statistics().add(counter, {"x.count", "events", "Events"});
  At before(simulation.partition(), "x", [&] { counter.add(5); });
  At after(simulation.partition(), "y", [&] { counter.add(2); });
  simulation.seal();
  simulation.partition().scheduler().schedule(before.event, 9);
  simulation.partition().scheduler().schedule(after.event, 10);  // the reset goes first
  simulation.run(kSecond);
  EXPECT_EQ(simulation.metrics().at(0).value.whole, 2U);
}

TEST(Simulation, CheckersLookOnceMoreAtTheEnd) {
  struct Unhappy : Checker {
    void at_end(Time now, bool drained) override {
      if (drained) break_invariant("x", now, "something is missing");
    }
  };
  Simulation simulation{{}};
  simulation.partition().add_checker<Unhappy>();
  simulation.seal();
  EXPECT_THROW(simulation.run(kSecond), sc_core::sc_report);
}

TEST(Simulation, TwoEndpointsOfOneNameAreRefused) {
  Simulation simulation{{}};
  simulation.partition().endpoint("x");
  simulation.partition().endpoint("x");
  EXPECT_THROW(simulation.seal(), std::logic_error);
}

}  // namespace
}  // namespace railyard
