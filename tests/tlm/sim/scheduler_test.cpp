#include "tlm/sim/scheduler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/allocations.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

using testing::ElementsAre;

/// Writes its name into a log each time its event fires.
class Ticker {
 public:
  Ticker(Partition& partition, const std::string& name, Phase phase, std::vector<std::string>& log)
      : event(Event::of<&Ticker::tick>(*this, partition.endpoint(name), phase)),
        partition_(partition),
        name_(name),
        log_(log) {}

  Event event;
  Time period = 0;
  int left = 0;

 private:
  void tick() {
    EXPECT_EQ(partition_.now(), static_cast<Time>(sc_core::sc_time_stamp().value()));
    log_.push_back(name_ + "@" + std::to_string(partition_.now()));
    if (left-- > 0) partition_.scheduler().schedule_in(event, period);
  }
  Partition& partition_;
  std::string name_;
  std::vector<std::string>& log_;
};

TEST(Scheduler, TiesBreakByPhaseThenNameThenSequenceNeverBySchedulingOrder) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  std::vector<std::string> log;
  Ticker z(p, "z", Phase::kArrival, log);
  Ticker b(p, "b", Phase::kTimer, log);
  Ticker a(p, "a", Phase::kTimer, log);
  Ticker late(p, "late", Phase::kArrival, log);
  simulation.seal();
  for (Ticker* t : {&late, &b, &z, &a}) {
    p.scheduler().schedule(t->event, t == &late ? 6 : 5);
  }
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("z@5", "a@5", "b@5", "late@6"));
}

TEST(Scheduler, FiresInTimeOrderAsAReferenceListDoesUnderRandomScheduleMoveAndCancel) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  std::vector<std::string> log;
  std::vector<std::unique_ptr<Ticker>> tickers;
  for (int i = 0; i < 200; ++i) {
    tickers.push_back(
        std::make_unique<Ticker>(p, "t" + std::to_string(1000 + i), Phase::kTimer, log));
  }
  simulation.seal();
  RandomStream random(7, "test");
  std::vector<Time> due(tickers.size(), kForever);
  for (int step = 0; step < 5000; ++step) {
    const std::size_t i = random.below(tickers.size());
    if (random.below(4) == 0) {
      p.scheduler().cancel(tickers[i]->event);
      due[i] = kForever;
    } else {
      due[i] = static_cast<Time>(random.below(50));
      p.scheduler().schedule(tickers[i]->event, due[i]);
    }
    ASSERT_EQ(tickers[i]->event.time(), due[i]);
  }
  std::vector<std::pair<Time, std::string>> expected;
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (due[i] != kForever) expected.emplace_back(due[i], "t" + std::to_string(1000 + i));
  }
  std::sort(expected.begin(), expected.end());
  simulation.run(kSecond);
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i], expected[i].second + "@" + std::to_string(expected[i].first));
  }
}

TEST(Scheduler, ThePastIsRefused) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  struct Backwards {
    explicit Backwards(Partition& partition)
        : p(partition), event(Event::of<&Backwards::go>(*this, p.endpoint("x"), Phase::kAct)) {}
    void go() { p.scheduler().schedule(event, p.now() - 1); }
    Partition& p;
    Event event;
  } backwards(p);
  simulation.seal();
  p.scheduler().schedule(backwards.event, 10);
  EXPECT_THROW(simulation.run(kSecond), InvariantError);
}

TEST(Scheduler, ABackgroundEventDoesNotKeepARunAlive) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  std::vector<std::string> log;
  Ticker monitor(p, "monitor", Phase::kObserve, log);
  Ticker work(p, "work", Phase::kAct, log);
  monitor.event.set_background();
  monitor.period = 4;
  monitor.left = 1000;
  simulation.seal();
  p.scheduler().schedule(monitor.event, 4);
  p.scheduler().schedule(work.event, 10);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_THAT(log, ElementsAre("monitor@4", "monitor@8", "work@10"));
  EXPECT_EQ(simulation.now(), 10);
}

TEST(Scheduler, ABackgroundEventFiresAtItsTimeWhileAnotherPartitionIsAlive) {
  SimulationConfig config;
  config.partitions = 2;
  Simulation simulation(config);
  Partition& watched = simulation.partition(0);
  Partition& busy = simulation.partition(1);
  std::vector<std::string> log;
  Ticker monitor(watched, "monitor", Phase::kObserve, log);
  Ticker work(busy, "work", Phase::kAct, log);
  monitor.event.set_background();
  monitor.period = 4;
  monitor.left = 1000;
  simulation.seal();
  watched.scheduler().schedule(monitor.event, 4);
  busy.scheduler().schedule(work.event, 10);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_THAT(log, ElementsAre("monitor@4", "monitor@8", "work@10"));
  EXPECT_EQ(simulation.now(), 10);
}

TEST(Scheduler, ACancelledEventDoesNotHoldTheEndOfTheRun) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  std::vector<std::string> log;
  Ticker ticker(p, "ticker", Phase::kAct, log);
  simulation.seal();
  p.scheduler().schedule(ticker.event, 10);
  p.scheduler().cancel(ticker.event);
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  EXPECT_EQ(simulation.now(), 0);
}

TEST(Scheduler, WorksBesideAnOrdinarySystemCProcess) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  std::vector<std::string> log;
  Ticker ticker(p, "ticker", Phase::kAct, log);
  struct Thread : sc_core::sc_module {
    SC_HAS_PROCESS(Thread);
    Thread(sc_core::sc_module_name n, Partition& partition, Event& e)
        : sc_module(n), p(partition), event(e) {
      SC_THREAD(run);
    }
    void run() {
      wait(100, sc_core::SC_PS);
      p.scheduler().schedule_in(event, 50);
      wait(20, sc_core::SC_PS);
      p.scheduler().schedule_in(event, 5);  // earlier than before: moved
    }
    Partition& p;
    Event& event;
  } thread("thread", p, ticker.event);
  simulation.seal();
  simulation.run(kSecond);
  EXPECT_THAT(log, ElementsAre("ticker@125"));
}

TEST(Scheduler, AllocatesNothingAnEventOnceWarm) {
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  struct Loop {
    explicit Loop(Partition& partition)
        : p(partition), event(Event::of<&Loop::go>(*this, p.endpoint("x"), Phase::kAct)) {}
    void go() {
      if (++count == 1000) before = support::allocations();
      if (count == 100000) {
        after = support::allocations();
        return;
      }
      p.scheduler().schedule_in(event, 7);
    }
    Partition& p;
    Event event;
    int count = 0;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
  } loop(p);
  simulation.seal();
  p.scheduler().schedule(loop.event, 1);
  simulation.run(kSecond);
  EXPECT_EQ(loop.count, 100000);
  EXPECT_GT(loop.before, 0U);
  EXPECT_EQ(loop.after, loop.before);
}

}  // namespace
}  // namespace railyard
