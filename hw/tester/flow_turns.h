// Whose turn it is: the flows of a port share its line a packet each in turn, and a paced flow
// waits until its next packet is due. Plain C++ on simulated times.
//
// A flow is ready, in the line of its priority, or it waits for its time, in a heap. Ready flows
// are served in the order in which they became ready, a priority that may not send passed over.
// Pacing counts bytes of the line with a carried remainder, so that a flow's n-th packet is due at
// the exact time rounded once. A flow that others kept from the line keeps its schedule, up to
// kMostBehind packets behind; one that was held (a pause, a stall, a dead link) begins it anew.
// Cost: one step a packet for flows without a rate, log n for paced ones; no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

class FlowTurns {
 public:
  static constexpr unsigned kPriorities = 8;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Time kMostBehind = 16;

  /// A flow whose first packet is due at `start`; returns its number: 0, 1, 2... Flows that are due
  /// at one time take turns in order of `index`, whatever their number.
  std::uint32_t add(std::uint32_t index, std::uint8_t priority, Time start,
                    const std::optional<Rate>& rate);

  /// Flows that are due by now become ready.
  void wake(Time now) {
    while (!heap_.empty() && heap_.front().due <= now) wake_first();
  }
  /// When the next one is due; kForever if none waits.
  Time next_due() const { return heap_.empty() ? kForever : heap_.front().due; }
  /// Bit n: a flow of priority n is ready.
  std::uint8_t ready() const { return ready_; }
  /// Bit n: a flow of priority n has begun and has more to send.
  std::uint8_t unfinished() const { return unfinished_; }

  /// Whose turn it is among the priorities of the mask; kNone if none is ready. What it made of its
  /// turn is then said by sent(), postpone() or finish().
  std::uint32_t next(std::uint8_t priorities) const {
    const auto eligible = static_cast<unsigned>(ready_ & priorities);
    if (eligible == 0) return kNone;
    auto best = static_cast<unsigned>(__builtin_ctz(eligible));
    for (unsigned left = eligible & (eligible - 1U); left != 0; left &= left - 1U) {
      const auto p = static_cast<unsigned>(__builtin_ctz(left));
      if (flows_[lines_[p].first].turn < flows_[lines_[best].first].turn) best = p;
    }
    return lines_[best].first;
  }
  /// The flow whose turn it was sent a packet of so many bytes of the line, and has more.
  void sent(std::uint32_t number, std::uint32_t line_bytes, Time now);
  /// It may not send before.
  void postpone(std::uint32_t number, Time until);
  /// A postponed flow may send now, or when its own rate has it due.
  void expedite(std::uint32_t number, Time now);
  /// ... and has no more.
  void finish(std::uint32_t number);

  /// From the flow's next packet on; one that waits waits as long as the new rate would have had it
  /// wait. Nothing is caught up.
  void set_rate(std::uint32_t number, const std::optional<Rate>& rate, Time now);
  /// Until now those priorities could not send.
  void release(std::uint8_t priorities, Time now);

 private:
  struct Flow {
    std::uint64_t turn = 0;      // order among the ready
    std::uint32_t next = kNone;  // in its line
    std::uint32_t index = 0;
    std::uint8_t priority = 0;
    bool waiting = true;
    bool paced = false;
    bool anew = false;  // its schedule begins with its next packet
    bool begun = false;
    // of one that is paced, or has not begun
    std::uint32_t slot = 0;  // in the heap
    std::uint32_t last_bytes = 0;
    Time last_start = 0;  // of the latest packet by the schedule; at first, of the flow
    ByteClock clock;      // when the next packet is due
  };
  struct Line {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint32_t unfinished = 0;  // flows begun and not finished
    Time released = 0;
  };
  struct Waiting {
    Time due;
    std::uint32_t index;
    std::uint32_t flow;
    bool before(const Waiting& o) const { return due != o.due ? due < o.due : index < o.index; }
  };

  void wake_first();
  void make_ready(std::uint32_t number);
  void leave_line(std::uint32_t number);
  void wait_until(std::uint32_t number, Time due);
  void put(std::uint32_t slot, const Waiting& waiting) {
    heap_[slot] = waiting;
    flows_[waiting.flow].slot = slot;
  }
  void sift_up(std::uint32_t slot);
  void sift_down(std::uint32_t slot);

  std::vector<Flow> flows_;
  std::vector<Waiting> heap_;
  std::array<Line, kPriorities> lines_;
  std::uint64_t turns_ = 0;
  std::uint8_t ready_ = 0;
  std::uint8_t unfinished_ = 0;
};

}  // namespace railyard
