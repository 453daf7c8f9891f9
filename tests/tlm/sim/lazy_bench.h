// Steps and events of tests of the lazy scheduler, which say when they fired.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/sim/lazy_scheduler.h"
#include "tlm/sim/simulation.h"

namespace railyard::lazy_bench {

/// Does something at a time: a step if it is scheduled on the lazy scheduler, an event from outside
/// on the partition's.
struct Act {
  Act(Partition& partition, const std::string& name, std::function<void()> what = {},
      Phase phase = Phase::kAct)
      : action(std::move(what)),
        event(Event::of<&Act::go>(*this, partition.endpoint(name), phase)) {}
  void go() {
    if (action) action();
  }
  std::function<void()> action;
  Event event;
};

class Bound : public Awaiter {
 public:
  Time earliest() const override { return at; }
  Time at = kForever;
};

class LazySchedulerTest : public testing::Test {
 public:
  std::function<void()> says(const std::string& what) {
    return [this, what] { say(what); };
  }
  void say(const std::string& what) {
    log.push_back(what + " " + std::to_string(lazy.now()) + "/" + std::to_string(p.now()));
  }
  /// From outside, at a time.
  void at(Act& outside, Time time) { p.scheduler().schedule(outside.event, time); }

  Simulation simulation{{}};
  Partition& p = simulation.partition();
  LazyScheduler lazy{p, "lazy"};
  std::vector<std::string> log;
};

}  // namespace railyard::lazy_bench
