// A point-to-point link as two half-objects. All that passes between them is (times, packet) and
// LineSignal, never earlier than now + propagation, so the halves may live in different partitions.
//
// Modelled: serialisation at the exact line rate with preamble and inter-frame gap, propagation,
// bit errors (a frame with one or more has a bad FCS), loss, and times when the link is down:
// - outages, configured, at both ends at once;
// - retraining, asked for by a device (kRetrain): its end goes down at once, the other when it sees
//   no signal, a propagation later, and each comes up `lasts` after it went down, or a round trip
//   if that is longer (no signal of the other end is there before).
// An end is up when nothing holds it down. When it goes down, all that has not arrived to its last
// bit is lost, a frame whose first bit has been announced is cut short and has a bad FCS, and what
// is sent meanwhile is lost at the transmitter. A frame that arrives at a dead end, or was under
// way into it when it came up, is lost.
//
// A frame is cut on the packet that its receiver was given, so a cut-through device that relays the
// same object sends it on with a bad FCS; if it is on an egress link already, the other end of that
// link learns of it before the last bit. A packet that somebody else holds too is copied when its
// first bit is announced: its sender never sees it cut. A sender that lets go of what it sends
// saves the copy.
//
// Not modelled: auto-negotiation, the steps of training, FEC blocks, lane skew; line coding is part
// of the rate.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/base/ring.h"
#include "tlm/link/bit_errors.h"
#include "tlm/link/link_config.h"
#include "tlm/link/packet_protocol.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// When a packet is announced to the receiver behind a link's end.
enum class Announce : std::uint8_t {
  kFirstBit,  // cut-through
  kLastBit,   // store-and-forward
};

/// A packet under way. Times at the receiving end, but for `launch`: when its preamble left.
struct FrameInFlight {
  Time launch = 0;
  Time first_bit = 0;
  Time last_bit = 0;
  bool corrupted = false;  // has a bad FCS when its last bit arrives
  Ref<net::Packet> packet;
};

/// What one half tells the other beside frames.
struct LineSignal {
  enum class Kind : std::uint8_t {
    kLoss,   // there is no signal from `at` to `time`
    kStomp,  // the frame whose last bit arrives at `time` ends with a bad FCS
  };
  Kind kind = Kind::kLoss;
  Time at = 0;  // when it reaches the receiving end
  Time time = 0;
};

/// Takes frames and signals to the other half.
class LinkCarrier {
 public:
  virtual ~LinkCarrier() = default;
  virtual void carry(FrameInFlight frame) = 0;
  virtual void carry(LineSignal signal) = 0;
};

/// Sees what a half does; a link checker is one. One branch when there is none.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  struct Transmission {
    Time now;
    Time first_bit;  // at the transmitter
    Time last_bit;
    Time line_free;
    bool carried;  // false: dropped or lost at the transmitter
  };
  virtual void transmitted(const net::Packet& packet, const Transmission& transmission) = 0;
  virtual void delivered(const FrameInFlight& frame, Time now) = 0;
  virtual void lost(const FrameInFlight& frame, Time now) = 0;
};

class LinkEnd : public sc_core::sc_module {
 public:
  PacketInitiatorSocket<LinkEnd> tx{"tx"};  // to the device: what arrives
  PacketTargetSocket<LinkEnd> rx{"rx"};     // from the device: what it sends

  LinkEnd(sc_core::sc_module_name name, Partition& partition, const LinkConfig& config,
          Announce announce);
  ~LinkEnd() override;

  /// Joins two halves of one configuration. Over a partition's border the propagation must not be
  /// zero (ConfigError): it is the time that one may run ahead of the other.
  static void connect(LinkEnd& a, LinkEnd& b);

  const LinkConfig& config() const { return config_; }
  Partition& partition() { return partition_; }
  bool up() const { return up_; }

  void set_observers(LinkObserver* out, LinkObserver* in) {
    out_observer_ = out;
    in_observer_ = in;
  }

  /// The other half hands over; called by a carrier.
  void accept(FrameInFlight frame);
  void accept(LineSignal signal);

 private:
  tlm::tlm_sync_enum transmit(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum ignore(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  void launch(net::Packet& packet, Time now, Time first, Time last);

  void end_transmission();
  void arrive();
  void schedule_arrival();
  void settle(FrameInFlight& frame);
  void register_all();

  // link_state.cpp
  void retrain(Time lasts);
  void change_state();
  void take_signals(Time now);
  bool outage_holds(Time now);
  void tell_state(Time now);
  void schedule_state_change();
  void lose(const FrameInFlight& frame, Time now);
  void lose_frames_in_flight(Time now);
  void cut_announced(Time now);
  void stomp(Time last_bit, Time now);
  void stomp_relays(const net::Packet& packet, Time now) const;

  void start_of_simulation() override;

  // What each frame touches stands behind the event that touches it (Event::kNear).
  // transmitter
  Event transmit_done_;
  ByteClock clock_;
  Ref<net::Packet> on_line_;
  Time last_bit_leaves_ = 0;  // that of on_line_
  std::uint64_t drop_threshold_;
  BitErrors bit_errors_;
  std::unique_ptr<LinkCarrier> carrier_;
  LinkObserver* out_observer_ = nullptr;
  bool up_ = true;
  Announce announce_;
  Time propagation_;
  Partition& partition_;
  Counter tx_frames_, tx_bytes_;
  Probe busy_probe_;
  SpanProbe lane_;
  FrameTap tap_;

  // receiver
  Event arrival_;
  Ring<FrameInFlight> in_flight_;
  Counter rx_frames_, rx_bytes_;
  LinkObserver* in_observer_ = nullptr;
  FrameInFlight announced_;  // kFirstBit: whose last bit may be still to come

  LinkConfig config_;
  const LinkEnd* near_peer_ = nullptr;  // the other half, if it is in this partition
  RandomStream random_;
  Time carried_over_ = 0;  // of the frame that was on the line when warm-up ended

  // state
  Event state_change_;
  std::size_t next_outage_ = 0;
  Ring<LineSignal> signals_;
  Time retrain_until_ = 0;    // asked for now; 0: not
  Time no_signal_until_ = 0;  // by retraining
  Time up_since_ = 0;
  Ref<net::Packet> no_packet_;  // what a state change is told with

  Counter corrupted_, dropped_, lost_down_;
  Probe up_probe_;
  Moment drop_moment_, down_moment_;
};

}  // namespace railyard
