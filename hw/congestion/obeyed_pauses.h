// What a station's port shows of the pauses that it obeys: who waits for whom, for how long, in
// metrics, signals, a lane of the timeline and the log of pauses. When to obey is the receiver's
// (pause_receiver.h), what is held is the port's.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/congestion/pause_log.h"
#include "hw/congestion/pause_receiver.h"

namespace railyard {

class ObeyedPauses {
 public:
  ObeyedPauses(Partition& partition, PauseLog& log) : partition_(partition), log_(log) {}

  /// `port` is the module's name, for waits, and `peer` that of the port at the other end; `prefix`
  /// that of metrics and signals, with its dot. `held_doc` says what the metric pause_us counts.
  void register_all(const std::string& port, const std::string& peer, const std::string& prefix,
                    const std::string& held_doc);

  /// A control frame came; those that are neither PFC nor PAUSE are ignored (IEEE 802.3 31.3).
  void take(const net::Frame& frame, PauseReceiver& receiver);
  /// As PauseListener has them.
  void heard(std::uint8_t heard) { heard_probe_.set(heard, partition_.now()); }
  void changed(std::uint8_t paused, std::uint8_t changed);

  /// Bit n: priority n is paused and has something to send. So it waits for the peer.
  void wait(std::uint8_t waiting);
  std::uint8_t waiting() const { return waiting_; }
  /// Bit n: priority n is paused and has data to send. So time is lost.
  void hold(std::uint8_t held);

 private:
  void show(Time end) { lane_.span("paused", since_, end, "priorities", first_); }

  Partition& partition_;
  PauseLog& log_;
  std::uint8_t waiting_ = 0;
  Time since_ = kForever;   // something is held
  std::uint8_t first_ = 0;  // the priorities with which that began

  std::array<WaitPoint, PauseReceiver::kPriorities> waits_;
  Counter xoff_received_;
  TimeWeighted held_;
  Probe paused_probe_, heard_probe_;
  SpanProbe lane_;
};

}  // namespace railyard
