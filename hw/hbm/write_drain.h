// Whether a pseudo-channel serves reads or writes: writes wait until there are many, or nothing
// else to do, or one is old, or a read waits for one; then they are served in a row, so that the
// data bus turns round seldom.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/hbm/bank_queues.h"
#include "hw/hbm/command.h"

namespace railyard::hbm {

/// WriteDrainConfig in ticks.
struct DrainLimits {
  unsigned high = 48;
  unsigned low = 16;
  Tick idle = 0;
  Tick age = kNever;
};

class WriteDrain {
 public:
  explicit WriteDrain(const DrainLimits& limits) : limits_(limits) {}

  bool writing() const { return writing_; }
  /// When update() would change its mind if nothing comes or goes; kNever if it would not.
  Tick next() const { return next_; }

  /// A request of that kind came to the queue, or left it, at `now`.
  void came(bool write, Tick now) {
    if (!write) return;
    idle_since_ = now;
    if (!waits_) oldest_since_ = now;
    waits_ = true;
  }
  void left(bool write, Tick now) {
    if (!write) {
      idle_since_ = now;
    } else if (batch_ > 0) {
      --batch_;
    }
  }

  /// Decides anew; true if it changed its mind.
  bool update(const BankQueues& queues, Tick now) {
    if (!writing_ && queues.count(true) == 0) {
      next_ = kNever;
      return false;
    }
    return decide(queues, now);
  }

 private:
  bool decide(const BankQueues& queues, Tick now) {
    const bool was = writing_;
    const unsigned reads = queues.eligible(false);
    const unsigned writes = queues.eligible(true);
    if (writing_) {
      const bool enough =
          queues.count(true) <= limits_.low && batch_ == 0 && queues.held(false) == 0;
      if (writes == 0 || (reads > 0 && enough)) stop(queues, now);
    } else if (writes > 0) {
      const bool old = now - oldest_since_ >= limits_.age;
      if (old) batch_ = queues.count(true);
      writing_ = old || queues.count(true) >= limits_.high || queues.held(false) > 0 ||
                 (reads == 0 && now - idle_since_ >= limits_.idle);
    }
    next_ = kNever;
    if (!writing_ && writes > 0) {
      next_ = limits_.age < kNever ? oldest_since_ + limits_.age : kNever;
      if (reads == 0) next_ = std::min(next_, idle_since_ + limits_.idle);
    }
    return writing_ != was;
  }

  void stop(const BankQueues& queues, Tick now) {
    writing_ = false;
    batch_ = 0;
    waits_ = queues.count(true) > 0;
    oldest_since_ = now;
  }

  DrainLimits limits_;
  bool writing_ = false;
  bool waits_ = false;  // writes, since oldest_since_
  // Their coming or, of those that a drain left, its end: their own times would have the next drain
  // follow at once.
  Tick oldest_since_ = 0;
  Tick idle_since_ = 0;
  Tick next_ = kNever;
  unsigned batch_ = 0;  // writes that are to be served before reads, as one of them was old
};

}  // namespace railyard::hbm
