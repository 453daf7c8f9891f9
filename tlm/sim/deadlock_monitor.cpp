#include "tlm/sim/deadlock_monitor.h"

#include <algorithm>
#include <utility>

#include "tlm/base/format.h"
#include "tlm/observe/checker.h"

namespace railyard {

DeadlockMonitor::DeadlockMonitor(const DeadlockConfig& config, Partition& partition,
                                 std::function<std::vector<Wait>()> waits)
    : config_(config),
      partition_(partition),
      waits_(std::move(waits)),
      look_(Event::of<&DeadlockMonitor::look>(
          *this, partition.endpoint(partition.name() + ".deadlock"), Phase::kObserve)) {
  look_.set_background();
}

void DeadlockMonitor::start() {
  partition_.scheduler().schedule_in(look_, std::max<Time>(config_.after / 2, 1));
}

void DeadlockMonitor::look() {
  const Time now = partition_.now();
  const std::vector<Wait> cycle = find_cycle(waits_(), now - config_.after);
  if (!cycle.empty() && report_.empty()) {
    const std::string text =
        "deadlock, unbroken for " + format_time(config_.after) + ":\n" + explain(cycle);
    if (!config_.report_only) break_invariant(cycle.front().info.waiter, now, text);
    report_ = text;
  }
  start();
}

}  // namespace railyard
