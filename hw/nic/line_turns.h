// Whose turn it is on the line. A lane is a queue of one priority and one kind of packet; here are
// only the lanes' heads. Plain C++.
//
// - CNPs, and acknowledgements at the head of their lane, go ahead of all that carries payload, as
//   NICs have it: they are small, and others wait for them. Priorities take turns, a packet each.
// - All else shares the line by the weights of the traffic classes, in bytes; within a class lanes
//   take turns, a packet each. Who cannot send saves nothing up for later.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tlm/base/time.h"

namespace railyard::nic {

class LineTurns {
 public:
  static constexpr unsigned kPriorities = 8;
  enum Kind : std::uint8_t {
    kNotices,    // CNPs
    kResponses,  // acknowledgements and READ responses, in their order
    kRequests,
    kKinds
  };
  static constexpr unsigned kLanes = kKinds * kPriorities;
  static constexpr unsigned kNone = kLanes;

  static constexpr unsigned lane_of(Kind kind, unsigned priority) {
    return kind * kPriorities + priority;
  }
  static constexpr unsigned priority_of(unsigned lane) { return lane % kPriorities; }

  struct Head {
    Time ready = kForever;    // when it may leave; kForever: nobody knows yet, or there is none
    std::uint32_t bytes = 0;  // of the line
    bool payload = false;
  };

  /// `weights` of the classes; a priority beyond the last class is of that.
  explicit LineTurns(const std::vector<std::uint32_t>& weights);

  void set_head(unsigned lane, const Head& head);

  /// The lane whose head goes next, which the caller sends; kNone: none may go now.
  unsigned next(std::uint8_t may_send, Time now);
  /// Bit n: a head of priority n is ready.
  std::uint8_t waiting(Time now) const;
  /// When the first head gets ready that is not now; kForever: none.
  Time next_ready(Time now) const;

 private:
  std::uint32_t ready_lanes(std::uint8_t may_send, Time now) const;
  unsigned next_class(std::uint32_t ready) const;
  std::uint64_t place(unsigned cls) const;

  std::array<Head, kLanes> heads_;
  std::uint32_t known_ = 0;  // bit n: heads_[n].ready is known
  std::uint32_t ahead_ = 0;  // bit n: heads_[n] goes ahead
  unsigned last_ahead_ = 0;

  // Fair queueing: a class is served whose bytes over its weight are the least.
  std::vector<std::uint32_t> weights_;
  std::vector<std::uint32_t> lanes_of_;  // a class's lanes
  std::vector<std::uint64_t> served_;    // a class's bytes over its weight
  std::vector<unsigned> last_lane_;      // of a class
  std::uint64_t floor_ = 0;              // where a class begins that had nothing
  unsigned last_class_ = 0;
};

}  // namespace railyard::nic
