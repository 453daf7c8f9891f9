// PFC out of a receive buffer: XOFF above one level, again after half of its pause time while that
// lasts, XON at or below another. The buffer is one, so all priorities of the flows expected there
// are paused together. Frames are hw/congestion/pause_sender.h's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hw/congestion/pause_sender.h"
#include "hw/tester/tester_config.h"
#include "tlm/sim/partition.h"

namespace railyard {

class TesterPfcSender {
 public:
  /// `name` is the port's; `rate` the line's. `wake` is called when a frame is due.
  TesterPfcSender(Partition& partition, const std::string& name, const PfcConfig& config,
                  const net::MacAddress& mac, Rate rate, PauseLog& log, std::function<void()> wake);

  /// Before the run: a flow of this priority is expected.
  void expect(std::uint8_t priority) {
    priorities_ = static_cast<std::uint8_t>(priorities_ | 1U << priority);
  }
  std::uint8_t priorities() const { return priorities_; }

  /// The buffer now holds so many bytes.
  void watch(std::uint64_t buffered) {
    if (!config_.enabled || priorities_ == 0) return;
    if (xoff() ? buffered <= config_.xon : buffered > config_.xoff) {
      sender_.want(xoff() ? 0 : priorities_);
    }
  }
  /// The peer is to be paused.
  bool xoff() const { return sender_.wanted() != 0; }

  /// The link is up again: the peer has forgotten what it was told.
  void tell_again() { sender_.forget(); }

  bool due() const { return sender_.due(); }
  /// The frame that is due, now that it is sent.
  Ref<net::Packet> make();

 private:
  Partition& partition_;
  PfcConfig config_;
  PauseSender sender_;
  std::uint8_t priorities_ = 0;

  Counter xoff_count_, xon_count_;
  Probe xoff_probe_;
  Moment xoff_moment_;
};

}  // namespace railyard
