// The clock of a block whose outputs are looked at seldom: its edges are executed when somebody
// asks, all at once, each with the inputs and the time that it would have had. Nothing that a run
// measures depends on when they are executed, so a traced run executes each at its time, that the
// trace shows it, and a free-running one executes every cycle.
//
// The owner keeps inputs with the cycle from which they stand, and says which edges there must be.
#pragma once

#include <cstdint>
#include <string>

#include "hw/congestion/blocks.h"
#include "tlm/base/ring.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// A block, and what stands round it.
class Stepped {
 public:
  virtual ~Stepped() = default;
  /// The edge `cycle`.
  virtual void step(std::uint64_t cycle) = 0;
  /// The time of a visit has come, and the edges up to it are executed.
  virtual void visited() {}
};

class LazyClock {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// `name` is the block's.
  LazyClock(Partition& partition, const std::string& name, Time period, const Blocks& blocks,
            Stepped& block);

  /// When the run begins.
  void start();

  /// Cycles are numbered from 0 at time 0. The last one that began by now.
  std::uint64_t cycle() const { return static_cast<std::uint64_t>(partition_.now() / period_); }
  /// The first edge that sees what happens now.
  std::uint64_t next_cycle() const { return cycle() + 1; }
  Time time_of(std::uint64_t cycle) const { return static_cast<Time>(cycle) * period_; }

  /// There must be an edge `cycle`, later than those executed.
  void want(std::uint64_t cycle) {
    if (cycle >= wanted_) return;
    wanted_ = cycle;
    if (live_) schedule_edge();
  }
  /// The same for a block's wake_o as given after the edge `cycle`.
  void want_wake(std::uint64_t wake, std::uint64_t cycle);
  /// A time of 48 bits that is less than half of their range from the edge `cycle`.
  static std::uint64_t unwrap(std::uint64_t wrapped, std::uint64_t cycle);
  /// Stepped::visited() at the edge `cycle`, for which a run waits. Not before earlier visits.
  void visit(std::uint64_t cycle);
  /// Executes the edges that are wanted by now.
  void run() {
    const std::uint64_t until = cycle();
    while (wanted_ <= until) {
      const std::uint64_t next = wanted_;
      wanted_ = kNever;
      executed_ = next;
      block_.step(next);
    }
  }

 private:
  void schedule_edge();
  void edge();
  void show();

  Partition& partition_;
  Stepped& block_;
  Time period_;
  const Blocks& blocks_;
  std::uint64_t wanted_ = kNever;
  std::uint64_t executed_ = 0;
  bool live_ = false;
  bool free_running_ = false;
  Event edge_;  // a run does not wait for it
  Event show_;
  Ring<std::uint64_t> visits_;  // ascending
};

}  // namespace railyard
