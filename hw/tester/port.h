// A port of the tester: what a lab puts at the end of a link. It sends any number of flows, each at
// its rate or as fast as the line takes it, and obeys PFC; it receives into a buffer from which a
// receiver takes frames, pauses its peer before the buffer is full, checks every packet, and
// answers marked ones with CNPs.
//
// Stages: PFC frame due (pfc_sender.h), CNP due, flows in turn (flow_turns.h, flow.h) ->
// transmitter; receiver -> buffer (receive_buffer.h) -> flows' ends (flow_receivers.h). Control
// frames and CNPs that arrive do not pass through the buffer. Modelled: PFC and PAUSE in both
// directions with refresh and response delay; a frame in progress is never cut. Not modelled: a
// MAC's or PHY's latency (zero); retransmission.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/congestion_control.h"
#include "hw/congestion/obeyed_pauses.h"
#include "hw/congestion/pause_log.h"
#include "hw/congestion/timed_pause_receiver.h"
#include "hw/tester/flow.h"
#include "hw/tester/flow_listener.h"
#include "hw/tester/flow_receivers.h"
#include "hw/tester/flow_turns.h"
#include "hw/tester/number_table.h"
#include "hw/tester/pfc_sender.h"
#include "hw/tester/receive_buffer.h"
#include "hw/tester/tester_config.h"
#include "tlm/link/packet_protocol.h"
#include "tlm/link/stall.h"
#include "tlm/sim/partition.h"

namespace railyard {

class TesterPort : public sc_core::sc_module, private PauseListener, private CongestionListener {
 public:
  PacketInitiatorSocket<TesterPort> tx{"tx"};
  PacketTargetSocket<TesterPort> rx{"rx"};

  /// `line_rate` is the link's. `peer` is the hierarchical name of the port at the other end, for
  /// what it waits for. `blocks` outlive it; none: it has its own, twins.
  TesterPort(sc_core::sc_module_name name, Partition& partition, const TesterConfig& config,
             const TesterAddress& address, Rate line_rate, const std::string& peer,
             Blocks* blocks = nullptr);
  ~TesterPort() override;

  /// Before the run: a flow that this port sends, or that it is to receive. Queue pairs and indices
  /// are each flow's own at a port (std::logic_error).
  void send_flow(const FlowConfig& flow);
  void expect_flow(const FlowConfig& flow);
  void set_listener(FlowListener* listener);
  /// All flows are named, and nothing is traced yet. Without this: when the run begins.
  void seal();

  /// The rate of a flow that this port sends from its next packet on, at any time; none: line rate.
  /// A packet that waits under a slower rate is sped up, one that is due goes as it is, and nothing
  /// is caught up. Flows are named by FlowConfig::index here and below; std::out_of_range if it is
  /// none of this port's.
  void set_rate(std::size_t flow, const std::optional<Rate>& rate);

  /// Payload of an expected flow, duplicates not counted.
  std::uint64_t received_bytes(std::size_t flow) const {
    return receivers_.flow(flow).sink.bytes();
  }
  /// All packets of it have arrived.
  bool complete(std::size_t flow) const { return receivers_.flow(flow).sink.complete(); }
  /// Its last packet has arrived, some before it perhaps not.
  bool ended(std::size_t flow) const { return receivers_.flow(flow).sink.saw_last(); }
  /// When the latest packet was taken of a flow that has ended; 0 before.
  Time completed_at(std::size_t flow) const { return receivers_.flow(flow).completed_at; }

  /// Pauses asked for and obeyed; the port's number in it is 0.
  const PauseLog& pause_log() const { return pause_log_; }

 private:
  struct Sender {
    explicit Sender(const FlowConfig& flow) : source(flow), index(flow.index) {}
    FlowSource source;
    std::uint32_t index;
    std::uint64_t cnps = 0;
  };

  tlm::tlm_sync_enum receive(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum line(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);

  // transmit
  void transmit_next();
  void send_data(std::uint32_t number);
  std::uint32_t next_flow();
  std::uint32_t next_due_flow(std::uint8_t priorities);
  void may_send(std::uint32_t qp) override;
  void put_on_line(const Ref<net::Packet>& packet);
  void plan_next();
  bool cnp_may_go() const;

  // pauses
  void take_cnp(const net::Frame& frame);
  void pause_heard(std::uint8_t heard) override { obeyed_.heard(heard); }
  void pause_changed(std::uint8_t paused, std::uint8_t changed) override;
  void update_waits();

  void register_all(const std::string& peer);
  void register_transmit(const std::string& prefix);
  void register_sender(std::uint32_t number);
  void start_of_simulation() override;

  TesterConfig config_;
  Partition& partition_;
  FlowListener* listener_ = nullptr;
  Blocks own_blocks_;

  std::vector<Sender> senders_;
  NumberTable sender_by_qp_;
  NumberTable sender_by_index_;
  FlowTurns turns_;
  StallGate send_gate_;
  Event act_;
  std::unique_ptr<CongestionControl> congestion_;  // queue pairs are numbered like senders
  bool sealed_ = false;
  bool started_ = false;
  bool sending_ = false;
  bool link_up_ = true;

  PauseLog pause_log_;
  ObeyedPauses obeyed_;
  TimedPauseReceiver pauses_;

  TesterPfcSender pfc_;
  FlowReceivers receivers_;
  ReceiveBuffer buffer_;

  WaitPoint link_wait_;
  Counter sent_packets_, bad_fcs_, cnp_received_;
  Probe psn_probe_, state_probe_;
};

}  // namespace railyard
