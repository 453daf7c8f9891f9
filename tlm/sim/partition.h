// What a device is built into: a scheduler, pools, random streams, statistics, probes, waits and
// checkers of its own. Devices of different partitions share nothing; what passes between them is
// (arrival time, packet) over a link.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/net/packet.h"
#include "tlm/observe/checker.h"
#include "tlm/observe/probe.h"
#include "tlm/observe/statistics.h"
#include "tlm/observe/waits_for.h"
#include "tlm/sim/random.h"
#include "tlm/sim/scheduler.h"

namespace railyard {

class Partition {
 public:
  Partition(const std::string& name, std::uint64_t seed, RunControl& control);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  std::string name() const { return scheduler_.name(); }
  Scheduler& scheduler() { return scheduler_; }
  Time now() const { return scheduler_.now(); }
  net::PacketPool& packets() { return packets_; }
  StatisticsRegistry& statistics() { return statistics_; }
  ProbeRegistry& probes() { return probes_; }
  WaitsFor& waits() { return waits_; }

  /// The tie-breaking identity of `name`, valid for the partition's life. Its rank is set when the
  /// simulation is sealed, where a name that stands twice is a std::logic_error; nothing may be
  /// scheduled before.
  Endpoint& endpoint(const std::string& name);
  /// The stream of the component `name`.
  RandomStream random(const std::string& name) const { return {seed_, name}; }
  std::uint64_t seed() const { return seed_; }

  /// Keeps a checker until the end of the run.
  template <class T, class... Args>
  T& add_checker(Args&&... args) {
    auto checker = std::make_unique<T>(std::forward<Args>(args)...);
    T& reference = *checker;
    checkers_.push_back(std::move(checker));
    return reference;
  }
  const std::vector<std::unique_ptr<Checker>>& checkers() const { return checkers_; }

  /// Called once when a run is over, however it ended, before its outputs are closed: for spans
  /// that are still open.
  void on_end(std::function<void(Time now)> callback) { on_end_.push_back(std::move(callback)); }

  /// One frame received by one switch or NIC port: the unit of the speed that a run reports.
  void count_frame_hop() { ++frame_hops_; }
  std::uint64_t frame_hops() const { return frame_hops_; }

  /// Work that must be done before the run may end for want of events.
  void open_work(std::uint64_t items = 1) {
    opened_work_ += items;
    outstanding_work_ += items;
  }
  void close_work(std::uint64_t items = 1) { outstanding_work_ -= items; }
  std::uint64_t outstanding_work() const { return outstanding_work_; }
  std::uint64_t opened_work() const { return opened_work_; }

 private:
  friend class Simulation;

  std::uint64_t seed_;
  // Before the scheduler: packets that events still hold go back into living pools.
  net::PacketPool packets_;
  Scheduler scheduler_;
  StatisticsRegistry statistics_;
  ProbeRegistry probes_;
  WaitsFor waits_;
  std::deque<Endpoint> endpoints_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::vector<std::function<void(Time)>> on_end_;
  std::uint64_t frame_hops_ = 0;
  std::uint64_t opened_work_ = 0;
  std::uint64_t outstanding_work_ = 0;
};

}  // namespace railyard
