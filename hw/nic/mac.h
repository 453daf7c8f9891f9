// The port of a NIC: the line in both directions, PFC in both directions, the receive buffer.
//
// Transmit: PFC frame due (hw/congestion/pause_sender.h), packets of the source that are not paused
// -> line. The latency of the stage `transmit` is that of a packet before it may leave, and the
// source's to keep; its interval bounds the packets a second. PFC frames pass both by. What the
// peer pauses begins no frame (hw/congestion/clocked_pause_receiver.h); nothing is taken from the
// source while the link is down.
//
// Receive: bad FCS, control frames, all that is not RoCE v2 go no further. A RoCE packet takes its
// place in the buffer when its last bit has come, one a `receive` interval goes through the stage,
// and its consumer gives the place back (line_buffer.h: how a full buffer pauses the peer).
#pragma once

#include <array>
#include <functional>
#include <string>

#include "hw/congestion/blocks.h"
#include "hw/congestion/clocked_pause_receiver.h"
#include "hw/congestion/obeyed_pauses.h"
#include "hw/congestion/pause_log.h"
#include "hw/congestion/pause_sender.h"
#include "hw/nic/line_buffer.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "tlm/link/packet_protocol.h"

namespace railyard::nic {

/// What the line is fed from.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The packet that goes next, of priorities whose bit in `may_send` is set; it begins to leave
  /// now. Null: there is none now; the source calls Mac::wake() when there is.
  virtual Ref<net::Packet> next_packet(std::uint8_t may_send) = 0;
  /// Bit n: a packet of priority n could leave now, if it may.
  virtual std::uint8_t waiting() const = 0;
};

class Mac : public sc_core::sc_module, public ReceiveBuffer, private PauseListener {
 public:
  PacketInitiatorSocket<Mac> tx{"tx"};
  PacketTargetSocket<Mac> rx{"rx"};

  /// `line_rate` is the link's, `peer` the hierarchical name of the port at the other end.
  Mac(sc_core::sc_module_name name, Units& units, Rate line_rate, const std::string& peer,
      Blocks& blocks);
  ~Mac() override;

  /// Before the run.
  void set_source(LineSource& source);
  /// Who takes RoCE packets that have arrived whole with a good FCS and have a place in the buffer.
  void set_receiver(std::function<void(net::Packet&)> receiver);

  /// The source has a packet.
  void wake() { send_next(); }
  /// From a packet's being made to the line, at least.
  Time transmit_latency() const { return transmit_.latency(); }
  void release(const net::Packet& packet) override;
  /// Bit n: the peer has paused priority n, in effect.
  std::uint8_t paused() const { return pauses_.paused(); }
  const PauseLog& pause_log() const { return pause_log_; }

 private:
  struct Arrived {
    Time due = 0;  // when it leaves the stage
    Ref<net::Packet> packet;
  };

  tlm::tlm_sync_enum receive(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum line(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);

  void send_next();
  void send_pause();
  void put_on_line(net::Packet& packet);
  void look();
  void attribute(std::uint8_t waiting, Time now);

  void take(net::Packet& packet);
  void hand_on();

  void pause_heard(std::uint8_t heard) override { obeyed_.heard(heard); }
  void pause_changed(std::uint8_t paused, std::uint8_t changed) override;

  void register_all(const std::string& peer);
  void register_probes();
  void start_of_simulation() override;

  Units& units_;
  Partition& partition_;
  LineSource* source_ = nullptr;
  std::function<void(net::Packet&)> receiver_;

  Event act_;
  Stage transmit_;
  bool sending_ = false;
  bool link_up_ = true;

  Event arrival_;
  Stage receive_;
  Ring<Arrived> arrived_;

  PauseLog pause_log_;
  ObeyedPauses obeyed_;
  ClockedPauseReceiver pauses_;
  PauseSender pause_sender_;
  LineBuffer buffer_;

  WaitPoint link_wait_;
  Counter sent_packets_, sent_bytes_, received_packets_, received_bytes_, bad_fcs_, not_roce_;
  Counter xoff_sent_, xon_sent_;
  Probe told_probe_, state_probe_;
  Moment xoff_moment_;
};

}  // namespace railyard::nic
