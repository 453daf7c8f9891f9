// Looks now and then for a cycle of waits that has stood for `deadlock.after`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/observe/waits_for.h"
#include "tlm/sim/partition.h"

namespace railyard {

struct DeadlockConfig {
  Time after = 10 * kMillisecond;
  bool report_only = false;
};

class DeadlockMonitor {
 public:
  /// Looks as long as `partition` has anything to do; `waits` gives the waits of all partitions.
  DeadlockMonitor(const DeadlockConfig& config, Partition& partition,
                  std::function<std::vector<Wait>()> waits);

  /// Begins to look, every half of `after`. The event is a background one: when nothing else is
  /// left, the end of the run explains what waits.
  void start();
  /// The cycle that was found under report_only, explained; empty if none.
  const std::string& report() const { return report_; }

 private:
  void look();

  DeadlockConfig config_;
  Partition& partition_;
  std::function<std::vector<Wait>()> waits_;
  Event look_;
  std::string report_;
};

}  // namespace railyard
