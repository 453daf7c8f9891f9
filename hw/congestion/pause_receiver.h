// Reception of PFC and PAUSE in time: what a station's transmitter obeys. A control frame acts
// after the response delay, XOFF and XON alike, so a pause lasts as long as its sender meant; until
// then the transmitter may begin frames (IEEE 802.3 31B.3.7).
//
// A device has the clocked block for it (clocked_pause_receiver.h), an instrument exact timers
// (timed_pause_receiver.h). Here is what both know: who is paused since when, and for how long.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/congestion/pause_timers.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// Who obeys.
class PauseListener {
 public:
  virtual ~PauseListener() = default;
  /// Bit n of `heard`: by what the peer has said, priority n is paused, in effect or not yet.
  virtual void pause_heard(std::uint8_t /*heard*/) {}
  /// Bit n of `paused`: priority n may not begin a frame now. `changed`: the bits that are new.
  virtual void pause_changed(std::uint8_t paused, std::uint8_t changed) = 0;
};

class PauseReceiver {
 public:
  static constexpr unsigned kPriorities = PauseTimers::kPriorities;

  virtual ~PauseReceiver() = default;
  PauseReceiver(const PauseReceiver&) = delete;
  PauseReceiver& operator=(const PauseReceiver&) = delete;

  /// Takes a PFC or PAUSE frame, now that it has arrived whole with a good FCS. Bit n: it pauses
  /// priority n.
  std::uint8_t receive(const net::Frame& frame);
  /// The link went down: its pauses, and those on their way to take effect, are over.
  void forget();

  /// Bit n: priority n is paused, response delay over.
  std::uint8_t paused() const { return paused_; }
  /// Since when; kForever if it is not paused.
  Time paused_since(unsigned priority) const { return since_[priority]; }
  /// All time so far in which the priority was paused, the present pause included.
  Time paused_time(unsigned priority, Time now) const {
    return total_[priority] + (since_[priority] == kForever ? 0 : now - since_[priority]);
  }
  Time response_delay() const { return response_; }

 protected:
  /// `name` is the port's. `response_quanta` in 512 bit times of `rate`. `at_once`: without a
  /// response time, what is heard is in effect.
  PauseReceiver(Partition& partition, const std::string& name, Rate rate,
                std::uint64_t response_quanta, bool at_once, PauseListener& listener);

  /// A frame came, to act after the response delay.
  virtual void take(const net::Frame& frame) = 0;
  /// All is over, frames included that have not acted yet.
  virtual void drop_all() = 0;

  /// Bit n: from now on priority n is paused.
  void set_paused(std::uint8_t paused);
  Partition& partition() { return partition_; }

 private:
  void listen();
  void hear(std::uint8_t heard);

  Partition& partition_;
  PauseListener& listener_;
  Time response_;
  bool heard_is_paused_;
  PauseTimers heard_timers_;  // of frames as they arrive; not used if heard_is_paused_
  Event heard_expiry_;
  std::uint8_t heard_ = 0;
  std::uint8_t paused_ = 0;
  std::array<Time, kPriorities> since_;
  std::array<Time, kPriorities> total_{};
};

}  // namespace railyard
