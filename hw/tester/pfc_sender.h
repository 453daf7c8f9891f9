// PFC out of a receive buffer: XOFF above one level, again after half of its pause time while that
// lasts, XON at or below another. The buffer is one, so all priorities of the flows expected there
// are paused together. At most one frame is due, with the state of the moment when it leaves: what
// waited for a busy or dead line and is no longer true is never sent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hw/congestion/pause_log.h"
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
    if (!xoff_ ? buffered > config_.xoff : buffered <= config_.xon) change(!xoff_);
  }
  /// The peer is to be paused.
  bool xoff() const { return xoff_; }

  /// The link is up again: the peer has forgotten what it was told.
  void tell_again() { due_ = due_ || xoff_; }

  bool due() const { return due_; }
  /// The frame that is due, now that it is sent.
  Ref<net::Packet> make();

 private:
  void change(bool xoff);
  void refresh();

  Partition& partition_;
  PfcConfig config_;
  net::MacAddress mac_;
  Time refresh_after_;
  PauseLog& log_;
  std::function<void()> wake_;
  Event refresh_;
  std::uint8_t priorities_ = 0;
  bool xoff_ = false;
  bool due_ = false;

  Counter xoff_count_, xon_count_;
  Probe xoff_probe_;
  Moment xoff_moment_;
};

}  // namespace railyard
