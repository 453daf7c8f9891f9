// A pipeline stage in time, and what it did with its time. What goes in comes out `latency` later,
// and may go in `interval` after what went before it: arithmetic, not events.
//
// At every moment a stage is busy with something of a traffic class, blocked with something of a
// class before it by a named cause, or starved. The times sum to the time that has passed, exactly.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/nic/nic_config.h"
#include "tlm/base/time.h"
#include "tlm/observe/statistics.h"

namespace railyard::nic {

/// Why a stage does nothing though something waits in front of it.
enum class Cause : std::uint8_t {
  kReads,         // all payload reads are outstanding
  kMemory,        // PCIe or memory has not answered
  kContextMiss,   // the queue pair's context is being read
  kKeyMiss,       // a key or a translation is being read
  kWqe,           // WQEs are being read
  kEgress,        // the buffer towards the line is full
  kPause,         // the peer has paused the priority
  kWindow,        // too much is unacknowledged, or too many READs outstanding
  kRate,          // congestion control
  kLine,          // the line is busy with other packets, or down
  kReceiveQueue,  // no receive WQE
  kCount
};
const char* name_of(Cause cause);

class Stage {
 public:
  static constexpr unsigned kClasses = 8;

  /// `name` is hierarchical. Metrics: `<name>.busy_ns`, `.starved_ns`, `.blocked_<cause>_ns` for
  /// the `causes` that it can have, and the same of each of the first `classes` classes.
  Stage(StatisticsRegistry& statistics, const std::string& name, const StageConfig& config,
        Time clock, unsigned classes, const std::vector<Cause>& causes, const std::string& doc);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Something of class `cls` comes at `at`, which may lie ahead, and not before what came last:
  /// when it leaves. It enters in its turn.
  Time pass(Time at, unsigned cls) { return enter(at, cls) + latency_; }
  /// The same of something whose bytes move through in `moving`, when all of it has: nothing else
  /// enters meanwhile.
  Time pass(Time at, unsigned cls, Time moving) {
    return enter(at, cls, std::max(interval_, moving)) + latency_ + moving;
  }
  /// As pass(), but returns when it enters.
  Time enter(Time at, unsigned cls) { return enter(at, cls, interval_); }
  /// From when on it can take something.
  Time free_at() const { return free_at_; }
  Time latency() const { return latency_; }
  Time interval() const { return interval_; }

  /// From `now`, or from when it is no longer busy, something of class `cls` cannot enter, until
  /// the next enter(), block() or unblock().
  void block(Cause cause, unsigned cls, Time now);
  void unblock(Time now);

  // Since the last reset, until `now`.
  Time busy(unsigned cls, Time now) const;
  Time blocked(Cause cause, unsigned cls, Time now) const;
  Time starved(Time now) const;

 private:
  static constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::kCount);
  static constexpr std::size_t kStarved = kCauses;  // index in waiting_ of no cause

  Time enter(Time at, unsigned cls, Time interval);
  void wait_until(Time until);
  Time ahead(Time now) const { return std::max<Time>(0, accounted_ - now); }
  void reset(Time now);

  Time latency_;
  Time interval_;
  Time free_at_ = 0;
  // Up to accounted_ all time is in the sums; behind it the stage waits for `cause_`.
  Time accounted_ = 0;
  std::size_t cause_ = kStarved;
  unsigned class_ = 0;
  unsigned last_class_ = 0;
  std::array<Time, kClasses> busy_{};
  std::array<std::array<Time, kClasses>, kCauses> blocked_{};
  Time starved_ = 0;
};

}  // namespace railyard::nic
