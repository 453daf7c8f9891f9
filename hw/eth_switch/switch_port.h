// A port of an Ethernet switch: its MAC in both directions and its egress queues. Received control
// frames act here; data frames go to the switch, which brings them to the queues of their egress.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/clocked_pause_receiver.h"
#include "hw/congestion/ecn_marking.h"
#include "hw/congestion/pfc_generator.h"
#include "hw/eth_switch/eth_switch.h"
#include "hw/eth_switch/port_watchdog.h"
#include "tlm/link/packet_protocol.h"

namespace railyard {

class SwitchPort : public sc_core::sc_module,
                   private PauseListener,
                   private PfcTransmitter,
                   private PfcLevelSource,
                   private WatchedPort {
 public:
  static constexpr unsigned kClasses = EgressScheduler::kClasses;

  PacketInitiatorSocket<SwitchPort> tx{"tx"};
  PacketTargetSocket<SwitchPort> rx{"rx"};

  SwitchPort(sc_core::sc_module_name name, EthSwitch& owner, PortId id, const SwitchLine& line,
             const SwitchStages& stages);
  ~SwitchPort() override;

  PortId id() const { return id_; }
  const Rate& rate() const { return rate_; }
  const std::string& peer() const { return peer_; }

  /// A frame could leave at once: nothing is on the line, waits for it, or is paused.
  bool idle_for(unsigned priority) const;
  bool link_up() const { return link_up_; }
  /// Bytes in a queue, without the frame on the line.
  std::uint64_t queue_bytes(unsigned traffic_class) const { return queues_[traffic_class].bytes(); }
  /// Judges a frame that comes to a queue.
  WredVerdict judge_arrival(unsigned traffic_class, const net::Packet& packet, Time now) {
    return markers_[traffic_class]->at_enqueue(queue_bytes(traffic_class), packet.frame.ecn(), now);
  }
  void push(HeldFrame&& frame);
  /// The buffer's wish for a pause of this port's peer.
  void want_pause(unsigned priority, bool xoff, PortId cause);
  void count_drop() { dropped_.add(); }
  /// The link went down under a pause of the peer, which the peer has forgotten: what it sends
  /// until it is told again comes on top of what the headroom is for.
  bool pause_was_cut(unsigned priority) const { return (cut_pauses_ >> priority & 1U) != 0; }
  /// The accounts of a priority group have changed.
  void show_group(unsigned priority);

  /// The port obeys a pause of the priority.
  bool paused(unsigned priority) const { return (blocked_ >> priority & 1U) != 0; }
  /// The watchdog has frames of the priority discarded.
  bool discards(unsigned priority) const { return (discarded_ >> priority & 1U) != 0; }
  void append_waits(std::vector<Wait>& waits);
  /// Frames in the queues and on the line.
  std::uint64_t held_frames() const;
  std::uint64_t queued_bytes() const { return queued_bytes_; }
  template <class Visit>
  void for_each_held(Visit visit) const {
    for (const FrameQueue& queue : queues_) queue.for_each(visit);
    if (on_line_.packet) visit(on_line_);
  }

 private:
  tlm::tlm_sync_enum receive(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum line(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  void pause_heard(std::uint8_t heard) override {
    pause_received_probe_.set(heard, partition_.now());
  }
  void pause_changed(std::uint8_t paused, std::uint8_t changed) override;
  bool reserve_line() override {
    if (sending_ || !link_up_) return false;
    pfc_waits_ = true;
    return true;
  }
  void pfc_due() override {
    pfc_waits_ = true;
    send_next();
  }
  PfcLevels pfc_levels(unsigned priority) const override;
  std::uint8_t pfc_wanted() const override { return wanted_; }
  std::uint8_t pauses_in_effect() const override { return pauses_.paused(); }
  std::uint8_t occupied() const override;
  void storm(unsigned priority, WatchdogAction action) override;
  void storm_over(unsigned priority) override;

  void update_blocked() {
    blocked_ = static_cast<std::uint8_t>(pauses_.paused() & ~ignored_pauses_);
  }

  // receive
  void take_whole(Ref<net::Packet> packet, const EthSwitch::Path* path);
  void take_head(net::Packet& packet, const PacketPhase& phase);
  void take_deferred();

  // transmit
  void send_next();
  bool send_frame(Time now);
  std::uint8_t eligible_classes(Time now, EgressScheduler::Heads& heads, Time& next);
  void put_on_line(HeldFrame&& frame, Time now);
  void mark(HeldFrame& frame);
  void send_pfc();
  void end_transmission(Time now);
  void change_link(bool up, Time now);
  void flush(unsigned traffic_class, DropReason reason);
  void watch_last_bit();
  void show_last_bit();

  void show_queue(unsigned traffic_class, Time now);
  void register_statistics();
  void register_probes();
  void start_of_simulation() override;

  // What each frame touches comes first, close together.
  EthSwitch& owner_;
  Partition& partition_;
  Rate rate_;
  Time egress_turn_ = -1;  // when the pipeline takes a frame of this port; passed: not booked
  Time last_bit_at_ = 0;   // of the frame on the line
  std::uint64_t queued_bytes_ = 0;
  unsigned occupied_ = 0;     // bit n: class n has frames
  std::uint8_t blocked_ = 0;  // bit n: a pause of priority n is obeyed
  std::uint8_t ignored_pauses_ = 0;
  std::uint8_t discarded_ = 0;
  bool link_up_ = true;
  bool sending_ = false;
  bool pfc_waits_ = false;  // a PFC frame may be due
  bool tracing_groups_ = false;
  bool tracing_queues_ = false;
  PortId id_;
  HeldFrame on_line_;  // no packet: a PFC frame, or nothing
  Stage mac_stage_;
  std::unique_ptr<ClassScheduler> scheduler_;
  TimeWeighted queue_level_;
  Event wake_;
  std::array<FrameQueue, kClasses> queues_;
  std::array<std::unique_ptr<QueueMarker>, kClasses> markers_;
  std::array<Time, kClasses> last_move_{};  // when a frame last left the queue, or came to it empty

  // pauses
  ClockedPauseReceiver pauses_;
  PfcGenerator pfc_;
  PortWatchdog watchdog_;
  EcnMarking ecn_;
  Event last_bit_;
  std::array<Time, EthSwitch::kPriorities> obeyed_since_{};
  std::array<Time, EthSwitch::kPriorities> xoff_since_;
  unsigned cut_pauses_ = 0;
  std::uint8_t wanted_ = 0;  // bit n: the buffer wants the peer to pause priority n
  std::array<Time, EthSwitch::kPriorities> pause_time_at_reset_{};
  std::array<PortId, EthSwitch::kPriorities> xoff_cause_{};

  // cut-through
  struct Deferred {
    Ref<net::Packet> packet;
    std::optional<EthSwitch::Path> path;
  };
  Deferred deferred_;  // announced, and to be taken when it is whole
  Event whole_;

  std::string peer_;
  net::MacAddress mac_;
  Counter xoff_sent_, refresh_sent_, xon_sent_, xoff_received_, marked_, dropped_, stomped_,
      storms_;
  struct GroupProbes {
    Probe reserved, shared, headroom, xoff_wanted, xoff_cause;
  };
  std::array<std::unique_ptr<GroupProbes>, EthSwitch::kPriorities> group_probes_;  // lossless
  std::array<Probe, kClasses> queue_probes_;
  Probe pause_received_probe_, paused_probe_, draining_probe_, xoff_sent_probe_, watchdog_probe_;
  SpanProbe pause_lane_, xoff_lane_;
  Moment xoff_moment_, storm_moment_, mark_moment_;
};

}  // namespace railyard
