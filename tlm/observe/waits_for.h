// Who waits for whom. When nothing is left to happen while work is outstanding, this says why; a
// cycle of waits that nothing breaks is a deadlock.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/base/time.h"

namespace railyard {

class WaitsFor;

/// One possible wait of `waiter` for something that only `holder` can give; both are hierarchical
/// names, and a holder that waits itself is found by its name. A member of the model that waits.
class WaitPoint {
 public:
  /// Begins to wait; one that waits already goes on since its first time.
  void begin(Time now);
  void end() { since_ = kForever; }
  bool waiting() const { return since_ != kForever; }
  Time since() const { return since_; }

 private:
  friend class WaitsFor;
  Time since_ = kForever;
};

struct WaitInfo {
  std::string waiter;
  std::string holder;
  std::string what;  // "the PFC pause of priority 3 to end"
};

/// A wait as it stands.
struct Wait {
  WaitInfo info;
  Time since = 0;
};

class WaitsFor {
 public:
  void add(WaitPoint& point, WaitInfo info) { points_.push_back({&point, std::move(info)}); }
  /// For a device with too many possible waits to register each: `append_active` appends those that
  /// are on, in any order, whenever they are asked for.
  void add_source(std::function<void(std::vector<Wait>&)> append_active) {
    sources_.push_back(std::move(append_active));
  }
  /// Called before waits are read: for who keeps them late.
  void before_look(std::function<void()> catch_up) { looks_.push_back(std::move(catch_up)); }
  /// The waits that are on, since the earliest first, then by name.
  std::vector<Wait> active() const;
  bool any() const { return !active().empty(); }

 private:
  struct Item {
    WaitPoint* point;
    WaitInfo info;
  };
  std::vector<Item> points_;
  std::vector<std::function<void(std::vector<Wait>&)>> sources_;
  std::vector<std::function<void()>> looks_;
};

/// A cycle among waits that began at or before `latest`, each waiting for the next, or empty. The
/// cycle starts at its first name, so that it does not depend on the order of `waits`.
std::vector<Wait> find_cycle(const std::vector<Wait>& waits, Time latest);

/// One line a wait: "a.port waits for b.port: the PFC pause of priority 3 to end, since 12us".
std::string explain(const std::vector<Wait>& waits);

}  // namespace railyard
