// A run: its partitions, and how it goes from the first event to an end that is explained.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/sim/deadlock_monitor.h"
#include "tlm/sim/partition.h"
#include "tlm/sim/run_control.h"

namespace railyard {

struct SimulationConfig {
  std::uint64_t seed = 1;
  std::size_t partitions = 1;
  Time warm_up = 0;
  DeadlockConfig deadlock;
};

enum class RunEnd : std::uint8_t {
  kDrained,      // nothing is left to happen and no work is outstanding
  kUntil,        // the time asked for was reached
  kInterrupted,  // request_stop()
  kStopped,      // a module called sc_stop()
};

class Simulation {
 public:
  explicit Simulation(const SimulationConfig& config);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  RunControl& control() { return control_; }
  std::size_t partition_count() const { return partitions_.size(); }
  /// Partition number `index`, modulo their count: a device list can be dealt out.
  Partition& partition(std::size_t index = 0) { return *partitions_[index % partitions_.size()]; }

  /// After the last device is made: endpoints get their ranks, registries are put in order.
  void seal();

  /// Runs to `until`, to the end of events, or until asked to stop. `between` is called outside the
  /// kernel about every `slice_wall_ms` of wall time: progress, flushing. What a callback threw is
  /// thrown again; outstanding work with no event left, a deadlock, or a checker's finding is an
  /// InvariantError (or the sc_report that it was reported through).
  RunEnd run(Time until, const std::function<void()>& between = {});

  /// Tells the models that the run is over; see Partition::on_end.
  void conclude();

  Time now() const;
  /// All partitions' metrics at the current time, by name.
  std::vector<Metric> metrics() const;
  /// Waits of all partitions.
  std::vector<Wait> waits() const;
  std::uint64_t frame_hops() const;
  std::uint64_t events_fired() const;
  /// Wakes of the schedulers: events as the kernel counts them.
  std::uint64_t kernel_events() const;
  std::uint64_t outstanding_work() const;
  /// The share of the work opened so far that is done, 0 to 1; for an estimate.
  double work_done() const;
  /// What deadlock.report_only let pass, or empty.
  std::string deadlock_report() const;

 private:
  class WarmUp;
  void run_slices(Time until, const std::function<void()>& between);
  void finish(bool drained);

  SimulationConfig config_;
  RunControl control_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<std::unique_ptr<DeadlockMonitor>> monitors_;
  std::vector<std::unique_ptr<WarmUp>> warm_ups_;
  bool sealed_ = false;
};

}  // namespace railyard
