// The clock of a block, on one grid for all blocks of a period: an edge is executed when it is
// asked for (gated), or each is (free-running).
//
// An edge at T takes inputs as they were before T: all edges of a time come first, then what they
// show to the devices, then everything else. So what a device does at T, on the grid or off it, is
// seen by the next edge after T, whoever else has one at T.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rtl/model/cycles.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// A block, and what stands round it.
class Clocked {
 public:
  virtual ~Clocked() = default;
  /// Registers take their inputs. True: the device is to be shown what came of it.
  virtual bool edge(std::uint64_t cycle) = 0;
  virtual void show() = 0;
};

class BlockClock {
 public:
  /// `name` is the block's. A free-running clock does not keep a run from ending.
  BlockClock(Partition& partition, const std::string& name, Time period, bool free_running,
             Clocked& clocked);

  /// When the run begins.
  void start();

  /// Cycles are numbered from 0 at time 0. The last one that began at or before `time`.
  std::uint64_t cycle_at(Time time) const { return static_cast<std::uint64_t>(time / period_); }
  /// The number of the next edge that sees what happens now.
  std::uint64_t next_cycle() const { return cycle_at(partition_.now()) + 1; }

  /// Executes the next edge.
  void request() { request_at(next_cycle()); }
  /// Executes the edge `cycle`, or the next one if that is past. One request stands, the earliest:
  /// who still wants a later edge asks again when the earlier one has come.
  void request_at(std::uint64_t cycle);
  /// The same for a block's wake_o, as given after the edge `cycle`.
  void request_wake(std::uint64_t wake, std::uint64_t cycle);

 private:
  void tick();
  void show() { clocked_.show(); }
  void hold() {}
  Time time_of(std::uint64_t cycle) const { return static_cast<Time>(cycle) * period_; }

  Partition& partition_;
  Clocked& clocked_;
  Time period_;
  Event edge_;
  Event show_;
  // Of a free-running clock: stands for a requested edge, for which the run is to wait.
  std::unique_ptr<Event> hold_;
};

}  // namespace railyard
