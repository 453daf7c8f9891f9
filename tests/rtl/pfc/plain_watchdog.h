// The plain rule of a PFC watchdog, as SONiC's and in picoseconds, beside which the block is put:
// finds a queue that a storm of PFC frames holds back for too long, and tells when the storm is
// over. Plain C++; its owner polls it and acts on what it finds.
//
// A storm: for the whole detection time the queue is occupied, nothing is dequeued from it, and it
// is paused more than 99 % of each poll: gaps between refreshes are forgiven up to 1 % of a poll,
// each and together. SONiC counts down whole polls, so when detection is no multiple of the poll it
// is off by their remainder. Here time counts from the onset of the pause: a storm is found at the
// first poll that is not earlier than the detection time after it, so at most one poll later, and
// earlier by no more than a gap that was forgiven.
//
// A storm is over at the first poll at which no XOFF has arrived for the restoration time; dequeues
// do not count, because a queue under `forward` dequeues.
//
// Source: SONiC, PFC Watchdog design (github.com/sonic-net/SONiC/wiki/PFC-Watchdog), whose ranges
// are 100 to 5000 ms. Not modelled: which priorities are watched (the owner polls those).
#pragma once

#include <array>
#include <cstdint>

#include "hw/congestion/watchdog_config.h"

namespace railyard {

class PlainWatchdog {
 public:
  static constexpr unsigned kPriorities = 8;

  /// What the owner knows of a priority's egress queue now.
  struct QueueView {
    bool occupied = false;
    std::uint64_t dequeued = 0;  // frames taken out to be sent, since the start
    Time paused_time = 0;        // in which it was paused, since the start, this pause included
    Time last_xoff = -1;         // when a frame that pauses it last arrived; -1: none has
  };
  enum class Finding : std::uint8_t { kNone, kStorm, kRestored };

  explicit PlainWatchdog(const WatchdogConfig& config) : config_(config) {}

  /// Polls lie on one grid for all ports: the first of its times after `now`.
  Time next_poll(Time now) const { return (now / config_.poll + 1) * config_.poll; }

  /// A pause takes effect, or a frame comes into an empty queue that is paused. Without the latter
  /// call, time counts from the poll that finds the queue occupied.
  void blocked(unsigned priority, const QueueView& view, Time now);

  /// Looks at a priority at a time of the grid. To be called at each, from blocked() until a poll
  /// that finds no priority paused and leaves none in a storm; no timer is needed before and after.
  Finding poll(unsigned priority, const QueueView& view, Time now);

  /// Bit n: priority n is in a storm.
  std::uint8_t storms() const { return storms_; }

 private:
  /// A time, and how long the queue had been paused at it.
  struct Instant {
    Time at = 0;
    Time paused_time = 0;
  };
  struct Watch {
    Time onset = kForever;  // kForever: the queue was empty
    std::uint64_t dequeued = 0;
    Instant blocked;  // the latest begin of a pause: one gap at most has followed
    Instant polled;
  };

  bool goes_on(const Watch& watch, const QueueView& view, Time now) const;
  static void begin(Watch& watch, const QueueView& view, Time now);

  WatchdogConfig config_;
  std::array<Watch, kPriorities> watches_;
  std::uint8_t storms_ = 0;
};

}  // namespace railyard
