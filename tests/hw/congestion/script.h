// What a test does to a simulation, and when.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "tlm/sim/partition.h"

namespace railyard::support {

/// Actions at times, those of one time in the order in which they were given. Made before the
/// simulation is sealed, filled after.
class Script {
 public:
  explicit Script(Partition& partition)
      : partition_(partition),
        next_(Event::of<&Script::next>(*this, partition.endpoint("script"), Phase::kAct)) {}
  ~Script() {
    if (next_.pending()) partition_.scheduler().cancel(next_);
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  void at(Time time, std::function<void()> action) {
    actions_.emplace(time, std::move(action));
    if (time < next_.time()) partition_.scheduler().schedule(next_, time);
  }
  /// So that a run lasts until then.
  void last_until(Time time) {
    at(time, [] {});
  }

 private:
  void next() {
    const Time now = partition_.now();
    while (!actions_.empty() && actions_.begin()->first <= now) {
      const std::function<void()> action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action();
    }
    if (!actions_.empty()) at_first();
  }
  void at_first() { partition_.scheduler().schedule(next_, actions_.begin()->first); }

  Partition& partition_;
  std::multimap<Time, std::function<void()>> actions_;
  Event next_;
};

}  // namespace railyard::support
