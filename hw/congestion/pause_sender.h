// PFC frames out of a set of priorities that the peer is to pause: XOFF when one joins, again after
// half of the pause time while any is in it, XON when one leaves. At most one frame is due, and it
// is made with the state of the moment when it leaves: what waited for a busy or dead line and was
// overtaken is never sent. Every pause asked for is logged, from the decision on, as one whose
// cause is the device itself: it is for a device that receives, not for one that forwards.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "hw/congestion/pause_log.h"
#include "hw/congestion/pause_timers.h"
#include "tlm/sim/partition.h"

namespace railyard {

class PauseSender {
 public:
  struct Sent {
    Ref<net::Packet> packet;
    std::uint8_t xoff = 0;  // priorities that it pauses, anew or still
    std::uint8_t xon = 0;   // priorities that it lets go
  };

  /// `name` is the port's; `rate` the line's. `wake` is called when a frame is due.
  PauseSender(Partition& partition, const std::string& name, const net::MacAddress& mac, Rate rate,
              std::uint16_t quanta, PauseLog& log, std::function<void()> wake);

  /// Bit n: the peer is to pause priority n, from now on.
  void want(std::uint8_t priorities);
  std::uint8_t wanted() const { return wanted_; }
  /// What the peer was told.
  std::uint8_t told() const { return told_; }
  /// The link went down: the peer has forgotten what it was told, and is told again when it is up.
  void forget() { told_ = 0; }

  bool due() const { return wanted_ != told_ || (refresh_due_ && wanted_ != 0); }
  /// The frame that is due, now that it is sent.
  Sent make();

 private:
  void refresh();

  Partition& partition_;
  net::MacAddress mac_;
  std::uint16_t quanta_;
  Time refresh_after_;
  PauseLog& log_;
  std::function<void()> wake_;
  Event refresh_;
  std::uint8_t wanted_ = 0;
  std::uint8_t told_ = 0;
  bool refresh_due_ = false;
};

}  // namespace railyard
