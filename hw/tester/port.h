// A port of the tester: what a lab puts at the end of a link. It sends one flow at line rate and
// answers PFC; it receives into a buffer that drains at a rate, pauses its peer before the buffer
// is full, and checks every packet.
//
// Stages: PFC frame due, flow source -> transmitter; receiver -> buffer -> drain -> flow sink.
// Modelled: PFC and PAUSE in both directions with refresh; a frame in progress is never cut; a
// pause takes effect at the next frame. Not modelled: the pause's response delay of IEEE 802.3
// 31B.3.7, a MAC's or PHY's latency (zero).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hw/tester/flow.h"
#include "hw/congestion/pause_timers.h"
#include "hw/tester/tester_config.h"
#include "tlm/link/packet_protocol.h"
#include "tlm/link/stall.h"
#include "tlm/sim/partition.h"

namespace railyard {

class TesterPort : public sc_core::sc_module {
 public:
  PacketInitiatorSocket<TesterPort> tx{"tx"};
  PacketTargetSocket<TesterPort> rx{"rx"};

  /// `line_rate` is the link's. `peer` is the hierarchical name of the port at the other end, for
  /// what it waits for.
  TesterPort(sc_core::sc_module_name name, Partition& partition, const TesterConfig& config,
             const TrafficConfig& traffic, Rate line_rate, const std::string& peer);
  ~TesterPort() override;

  /// Before the run: what this port sends, and what it is to receive as flow number `index`, which
  /// begins at `start`.
  void send_flow(const FlowConfig& flow);
  void expect_flow(const FlowConfig& flow, std::size_t index, Time start);

  /// The flow that was to arrive has, all of it.
  bool received_all() const { return !sink_ || sink_->complete(); }
  /// The last packet of the flow has arrived, or none was to.
  bool flow_ended() const { return !sink_ || sink_->saw_last(); }
  std::uint64_t received_bytes() const { return sink_ ? sink_->bytes() : 0; }
  /// When the last packet of the flow was taken from the buffer; 0 before.
  Time completed_at() const { return completed_at_; }

 private:
  tlm::tlm_sync_enum receive(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum line(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);

  // transmit
  void transmit_next();
  bool may_send_data();
  void put_on_line(const Ref<net::Packet>& packet);
  void take_control_frame(const net::Frame& frame);
  void update_pause();
  void show_pause(Time end);

  // receive
  void enqueue(net::Packet& packet);
  void drain_next();
  void end_drain();
  void deliver(const net::Packet& packet);
  void watch_thresholds();
  void refresh_pause();
  void ask_for_pfc(bool xoff);
  Ref<net::Packet> make_pfc();

  void register_all(const std::string& peer);
  void register_transmit(const std::string& prefix);
  void register_receive(const std::string& prefix);
  void start_of_simulation() override;

  TesterConfig config_;
  TrafficConfig traffic_;
  Partition& partition_;
  Rate line_rate_;

  std::unique_ptr<FlowSource> source_;
  StallGate send_gate_;
  Event act_;
  Event pause_end_;
  PauseTimers pause_timers_;
  bool sending_ = false;
  bool link_up_ = true;
  Time paused_since_ = kForever;

  std::unique_ptr<FlowSink> sink_;
  StallableQueue<Ref<net::Packet>> receive_queue_;
  ByteClock drain_clock_;
  Event drain_done_;
  Event refresh_;
  bool draining_ = false;
  bool xoff_wanted_ = false;
  bool pfc_due_ = false;
  std::uint64_t buffered_ = 0;
  Time completed_at_ = 0;

  WaitPoint pause_wait_, link_wait_;
  Counter sent_packets_, received_packets_, received_payload_, bad_fcs_, overflow_, stray_, lost_,
      xoff_count_, xon_count_, xoff_received_;
  Histogram latency_;
  TimeWeighted buffer_level_, paused_level_;
  Probe paused_probe_, psn_probe_, buffer_probe_, xoff_probe_, state_probe_;
  SpanProbe pause_lane_;
  Moment xoff_moment_, drop_moment_;
};

}  // namespace railyard
