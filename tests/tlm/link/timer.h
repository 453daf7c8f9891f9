// Calls a function of a test once, at a time.
#pragma once

#include <functional>
#include <utility>

#include "tlm/sim/partition.h"

namespace railyard::support {

class Timer {
 public:
  /// After Simulation::seal().
  Timer(Partition& partition, Time at, std::function<void()> action)
      : action_(std::move(action)), event_(Event::of<&Timer::fire>(*this, endpoint_, Phase::kAct)) {
    partition.scheduler().schedule(event_, at);
  }

 private:
  void fire() { action_(); }

  std::function<void()> action_;
  Endpoint endpoint_;
  Event event_;
};

}  // namespace railyard::support
