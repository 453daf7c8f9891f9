// The PFC generator of a port: from the buffer's wishes to the frames that tell the peer. A wish is
// sampled at the next clock edge and acts `latency` cycles later; a frame is formed when the line
// is free for it, with the state of that moment, so what was overtaken is never sent. While a
// priority is paused its XOFF is repeated after half of its pause time.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tlm/base/rate.h"
#include "tlm/base/ring.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// The port that the frames leave by.
class PfcTransmitter {
 public:
  virtual ~PfcTransmitter() = default;
  /// A PFC frame is due.
  virtual void pfc_due() = 0;
};

class PfcGenerator {
 public:
  struct Timing {
    Time clock = 1000;
    std::uint32_t latency = 0;  // cycles
    std::uint16_t quanta = 0xFFFF;
  };
  struct Sent {
    std::uint8_t xoff = 0;  // priorities that are paused by the frame, anew or still
    std::uint8_t xon = 0;   // priorities that it lets go
    bool refresh = false;   // it only repeats
  };

  PfcGenerator(Partition& partition, const std::string& name, Rate rate, const Timing& timing,
               PfcTransmitter& transmitter);

  /// The buffer wants `priority` paused, or no longer.
  void want(unsigned priority, bool xoff);
  /// A frame should go as soon as the line is free.
  bool due() const { return decided_ != told_ || refresh_due_; }
  /// The frame to send now.
  Sent form(net::Frame& frame, const net::MacAddress& source);
  /// The link went down: the peer has forgotten what it was told, and will be told when it is up.
  void forget();

  /// Bit n: the peer has been told to pause priority n, and not yet to go on.
  std::uint8_t told() const { return told_; }

 private:
  struct Decision {
    Time due = 0;
    std::uint8_t wanted = 0;
  };

  void decide();
  void refresh();

  Partition& partition_;
  PfcTransmitter& transmitter_;
  Timing timing_;
  Time refresh_after_;
  Ring<Decision> decisions_;
  Event decide_;
  Event refresh_;
  std::uint8_t wanted_ = 0;
  std::uint8_t decided_ = 0;
  std::uint8_t told_ = 0;
  bool refresh_due_ = false;
};

}  // namespace railyard
