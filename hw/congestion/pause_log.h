// Who paused whom, and why: a device's record of the pauses that it asked for and of those that it
// obeyed. Joined over a fabric by port names and times, the records give the congestion trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/base/time.h"

namespace railyard {

/// A pause that a port asked of its peer, from the decision for XOFF to that for XON.
struct PauseSent {
  Time begin = 0;
  Time end = kForever;  // kForever: it stands
  std::uint16_t port = 0;
  std::uint8_t priority = 0;
  /// The egress that held most of the paused group's cells; kNoPort: the device itself is slow (a
  /// receiver).
  std::uint16_t cause_port = 0;
  /// That egress was itself paused by its peer at `begin`: the cause lies further on.
  bool cause_paused = false;
};

/// A pause that a port obeyed, from taking effect to its end.
struct PauseObeyed {
  Time begin = 0;
  Time end = kForever;
  std::uint16_t port = 0;
  std::uint8_t priority = 0;
};

/// Bounded: memory is reserved once, and pauses beyond it are counted only.
class PauseLog {
 public:
  static constexpr std::uint16_t kNoPort = 0xFFFF;

  explicit PauseLog(std::size_t capacity);

  /// The latest unfinished pause of that port and priority is ended by the end_ call.
  void begin_sent(const PauseSent& pause);
  void end_sent(std::uint16_t port, std::uint8_t priority, Time now);
  void begin_obeyed(std::uint16_t port, std::uint8_t priority, Time now);
  void end_obeyed(std::uint16_t port, std::uint8_t priority, Time now);

  /// In order of `begin`.
  const std::vector<PauseSent>& sent() const { return sent_; }
  const std::vector<PauseObeyed>& obeyed() const { return obeyed_; }
  /// Pauses that found no room.
  std::uint64_t unlogged() const { return unlogged_; }
  /// Calls so far: equal to an earlier value as long as the log is as it was.
  std::uint64_t revision() const { return revision_; }

 private:
  std::size_t capacity_;
  std::vector<PauseSent> sent_;
  std::vector<PauseObeyed> obeyed_;
  /// [port][priority]: index + 1 of the pause that stands, or 0.
  std::vector<std::uint32_t> open_sent_;
  std::vector<std::uint32_t> open_obeyed_;
  std::uint64_t unlogged_ = 0;
  std::uint64_t revision_ = 0;
};

}  // namespace railyard
