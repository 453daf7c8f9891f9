#include "hw/tester/port.h"

#include <utility>

#include "tlm/base/error.h"

namespace railyard {

namespace {

enum class SendState : std::uint8_t { kIdle, kSending, kPaused, kLinkDown, kStalled };
const std::vector<std::string> kSendStateNames = {"IDLE", "SENDING", "PAUSED", "LINK_DOWN",
                                                  "STALLED"};

constexpr std::uint64_t state_value(SendState state) { return static_cast<std::uint64_t>(state); }

}  // namespace

TesterPort::TesterPort(sc_core::sc_module_name name, Partition& partition,
                       const TesterConfig& config, const TrafficConfig& traffic, Rate line_rate,
                       const std::string& peer)
    : sc_module(name),
      config_(config),
      traffic_(traffic),
      partition_(partition),
      line_rate_(line_rate),
      send_gate_(partition, std::string(this->name()) + ".send", config.send_stall,
                 [this] { transmit_next(); }),
      act_(Event::of<&TesterPort::transmit_next>(
          *this, partition.endpoint(std::string(this->name()) + ".act"), Phase::kAct)),
      pause_end_(Event::of<&TesterPort::update_pause>(
          *this, partition.endpoint(std::string(this->name()) + ".pause"), Phase::kTimer)),
      pause_timers_(line_rate),
      receive_queue_(partition, std::string(this->name()) + ".receive", config.receive_stall,
                     [this] { drain_next(); }),
      drain_clock_(config.drain_rate.value_or(line_rate)),
      drain_done_(Event::of<&TesterPort::end_drain>(
          *this, partition.endpoint(std::string(this->name()) + ".drain"), Phase::kTimer)),
      refresh_(Event::of<&TesterPort::refresh_pause>(
          *this, partition.endpoint(std::string(this->name()) + ".refresh"), Phase::kTimer)) {
  tx.register_nb_transport_bw(this, &TesterPort::line);
  rx.register_nb_transport_fw(this, &TesterPort::receive);
  register_all(peer);
}

TesterPort::~TesterPort() = default;

void TesterPort::send_flow(const FlowConfig& flow) {
  source_ = std::make_unique<FlowSource>(flow);
  partition_.open_work(flow.packets());
}

void TesterPort::expect_flow(const FlowConfig& flow, std::size_t index, Time start) {
  sink_ = std::make_unique<FlowSink>(flow);
  const std::string prefix = "flow" + std::to_string(index) + ".";
  partition_.statistics().add_derived(
      {prefix + "completion_us", "us",
       "When the flow's last byte was received, warm-up or not; 0: not yet"},
      [this](Time, Time) {
        return MetricValue::of(static_cast<double>(completed_at_) / kMicrosecond);
      });
  partition_.statistics().add_derived(
      {prefix + "goodput_gbps", "Gb/s",
       "Payload received over the time from start to completion, warm-up or not"},
      [this, start](Time now, Time) {
        const Time end = completed_at_ != 0 ? completed_at_ : now;
        const double ps = static_cast<double>(end - start);
        return MetricValue::of(ps <= 0 ? 0.0 : static_cast<double>(sink_->bytes()) * 8000 / ps);
      });
}

void TesterPort::start_of_simulation() {
  if (source_) partition_.scheduler().schedule(act_, config_.start);
}

// --- transmit ---

void TesterPort::transmit_next() {
  if (sending_) return;
  const Time now = partition_.now();
  if (!link_up_) {
    if (source_ && !source_->done()) link_wait_.begin(now);
    state_probe_.set(state_value(SendState::kLinkDown), now);
    return;
  }
  if (pfc_due_) {
    put_on_line(make_pfc());
  } else if (may_send_data()) {
    const Ref<net::Packet> packet = source_->make(partition_.packets(), now);
    psn_probe_.set(packet->frame.bth.psn, now);
    sent_packets_.add();
    partition_.close_work();
    put_on_line(packet);
  }
}

bool TesterPort::may_send_data() {
  const Time now = partition_.now();
  SendState state = SendState::kIdle;
  if (source_ && !source_->done() && now >= config_.start) {
    if (pause_timers_.paused(traffic_.priority, now)) {
      state = SendState::kPaused;
    } else if (!send_gate_.open()) {
      state = SendState::kStalled;
    } else {
      return true;
    }
  }
  state_probe_.set(state_value(state), now);
  return false;
}

void TesterPort::put_on_line(const Ref<net::Packet>& packet) {
  sending_ = true;
  state_probe_.set(state_value(SendState::kSending), partition_.now());
  send(tx, *packet, 0, 0);
}

tlm::tlm_sync_enum TesterPort::line(net::Packet& /*packet*/, PacketPhase& phase,
                                    sc_core::sc_time& /*delay*/) {
  switch (phase.kind) {
    case PacketPhase::Kind::kTransmitDone:
      sending_ = false;
      break;
    case PacketPhase::Kind::kLinkDown:
      link_up_ = false;
      break;
    case PacketPhase::Kind::kLinkUp:
      link_up_ = true;
      link_wait_.end();
      break;
    case PacketPhase::Kind::kFrame:
    case PacketPhase::Kind::kRetrain:
      break_invariant(name(), partition_.now(), "a frame came on the backward path");
  }
  transmit_next();
  return tlm::TLM_ACCEPTED;
}

void TesterPort::take_control_frame(const net::Frame& frame) {
  pause_timers_.receive(frame, partition_.now());
  if (pause_timers_.paused(traffic_.priority, partition_.now())) xoff_received_.add();
  update_pause();
}

// After a control frame, and when a pause runs out.
void TesterPort::update_pause() {
  const Time now = partition_.now();
  if (pause_timers_.paused(traffic_.priority, now)) {
    partition_.scheduler().schedule(pause_end_, pause_timers_.until(traffic_.priority));
    if (paused_since_ != kForever) return;
    paused_since_ = now;
    paused_level_.set(1, now);
    paused_probe_.set(1, now);
    if (source_ && !source_->done()) pause_wait_.begin(now);
    return;
  }
  partition_.scheduler().cancel(pause_end_);
  if (paused_since_ == kForever) return;
  paused_level_.set(0, now);
  show_pause(now);
  paused_since_ = kForever;
  paused_probe_.set(0, now);
  pause_wait_.end();
  transmit_next();
}

void TesterPort::show_pause(Time end) {
  pause_lane_.span("paused", paused_since_, end, "priority", traffic_.priority);
}

// --- receive ---

tlm::tlm_sync_enum TesterPort::receive(net::Packet& packet, PacketPhase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) {
  if (packet.bad_fcs) {
    bad_fcs_.add();
  } else if (packet.frame.is_mac_control()) {
    take_control_frame(packet.frame);
  } else {
    enqueue(packet);
  }
  return tlm::TLM_ACCEPTED;
}

void TesterPort::enqueue(net::Packet& packet) {
  const Time now = partition_.now();
  if (buffered_ + packet.wire_bytes > config_.receive_buffer) {
    overflow_.add();
    drop_moment_.raise(now);
    return;
  }
  buffered_ += packet.wire_bytes;
  buffer_level_.set(buffered_, now);
  buffer_probe_.set(buffered_, now);
  partition_.open_work();
  receive_queue_.push(Ref<net::Packet>::share(packet));
  watch_thresholds();
  drain_next();
}

void TesterPort::drain_next() {
  while (!draining_ && receive_queue_.ready()) {
    draining_ = true;
    if (!config_.drain_rate) {
      end_drain();
      continue;
    }
    const Time now = partition_.now();
    if (now != drain_clock_.now()) drain_clock_.start(now);
    partition_.scheduler().schedule(drain_done_,
                                    drain_clock_.advance(receive_queue_.front()->wire_bytes));
  }
}

void TesterPort::end_drain() {
  const Time now = partition_.now();
  const Ref<net::Packet> packet = receive_queue_.pop();
  draining_ = false;
  buffered_ -= packet->wire_bytes;
  buffer_level_.set(buffered_, now);
  buffer_probe_.set(buffered_, now);
  partition_.close_work();
  deliver(*packet);
  watch_thresholds();
  if (config_.drain_rate) drain_next();
}

void TesterPort::deliver(const net::Packet& packet) {
  const Time now = partition_.now();
  const std::uint64_t lost_before = sink_ ? sink_->lost() : 0;
  const FlowSink::Verdict verdict = sink_ ? sink_->take(packet) : FlowSink::Verdict::kStray;
  if (verdict == FlowSink::Verdict::kStray) {
    stray_.add();
    return;
  }
  if (verdict == FlowSink::Verdict::kWrong) {
    break_invariant(name(), now,
                    "packet " + std::to_string(packet.id) + " is not what its source sent");
  }
  lost_.add(sink_->lost() - lost_before);
  received_packets_.add();
  received_payload_.add(packet.frame.payload_bytes);
  latency_.record(static_cast<std::uint64_t>(now - packet.created));
  if (sink_->saw_last()) completed_at_ = now;
}

// Hysteresis: XOFF above one level, XON at or below another.
void TesterPort::watch_thresholds() {
  if (!config_.pfc.enabled) return;
  if (!xoff_wanted_ && buffered_ > config_.pfc.xoff) {
    ask_for_pfc(true);
  } else if (xoff_wanted_ && buffered_ <= config_.pfc.xon) {
    partition_.scheduler().cancel(refresh_);
    ask_for_pfc(false);
  }
}

void TesterPort::refresh_pause() { ask_for_pfc(true); }

// One frame is due at most, with the state of the moment when it leaves: what waited for a busy or
// dead line and is no longer true is never sent.
void TesterPort::ask_for_pfc(bool xoff) {
  xoff_wanted_ = xoff;
  pfc_due_ = true;
  transmit_next();
}

Ref<net::Packet> TesterPort::make_pfc() {
  const Time now = partition_.now();
  pfc_due_ = false;
  std::array<std::uint16_t, PauseTimers::kPriorities> quanta{};
  quanta[traffic_.priority] = xoff_wanted_ ? config_.pfc.quanta : std::uint16_t{0};
  Ref<net::Packet> packet = partition_.packets().packets.acquire();
  const auto classes = static_cast<std::uint8_t>(1U << traffic_.priority);
  packet->frame = net::pfc_frame(config_.mac, classes, quanta);
  packet->created = now;
  packet->seal();
  xoff_probe_.set(xoff_wanted_ ? 1 : 0, now);
  if (!xoff_wanted_) {
    xon_count_.add();
    return packet;
  }
  xoff_count_.add();
  xoff_moment_.raise(now);
  constexpr std::uint64_t kBytesAQuantum = 64;
  const Time pause = line_rate_.time_of(kBytesAQuantum * config_.pfc.quanta);
  partition_.scheduler().schedule_in(refresh_, pause / 2);
  return packet;
}

// --- what it shows ---

void TesterPort::register_all(const std::string& peer) {
  const std::string me = name();
  // A pause depends on the peer's receiver, which waits for nobody: two that pause each other are
  // no deadlock.
  const std::string pause =
      "the pause of priority " + std::to_string(traffic_.priority) + " to end";
  partition_.waits().add(pause_wait_, {me, peer + ".receive", pause});
  partition_.waits().add(link_wait_, {me, me + ".tx", "the link to come up"});
  register_transmit(me + ".");
  register_receive(me + ".");
}

void TesterPort::register_transmit(const std::string& prefix) {
  StatisticsRegistry& s = partition_.statistics();
  s.add(sent_packets_, {prefix + "sent_packets", "packets", "Packets of the flow put on the line"});
  s.add(xoff_received_, {prefix + "pfc_xoff_received", "frames",
                         "PFC and PAUSE frames received that pause the traffic's priority"});
  s.add_derived(
      {prefix + "pause_us", "us", "Time that the traffic's priority was paused"},
      [this](Time now, Time) { return MetricValue::of(paused_level_.area(now) / kMicrosecond); });
  s.on_reset([this](Time now) { paused_level_.reset(now); });
  ProbeRegistry& probes = partition_.probes();
  probes.add(paused_probe_, {prefix + "paused",
                             ProbeKind::kUnsigned,
                             1,
                             "",
                             "The traffic's priority is paused by the peer",
                             {}});
  probes.add(psn_probe_,
             {prefix + "psn", ProbeKind::kUnsigned, 24, "", "PSN of the latest packet sent", {}});
  probes.add(state_probe_, {prefix + "send_state", ProbeKind::kEnum, 3, "",
                            "What the transmitter does", kSendStateNames});
  partition_.on_end([this](Time now) {
    if (paused_since_ != kForever) show_pause(now);
  });
  probes.add(pause_lane_, {prefix + "pause", "Times when the traffic's priority was paused"});
}

void TesterPort::register_receive(const std::string& prefix) {
  StatisticsRegistry& s = partition_.statistics();
  s.add(received_packets_, {prefix + "received_packets", "packets",
                            "Packets of the expected flow taken from the buffer"});
  s.add(received_payload_, {prefix + "received_payload", "bytes",
                            "Payload of the expected flow taken from the buffer"});
  s.add(lost_, {prefix + "lost_packets", "packets",
                "Packets missing before a packet that arrived, by PSN"});
  s.add(bad_fcs_, {prefix + "bad_fcs", "frames", "Frames discarded for their FCS"});
  s.add(overflow_, {prefix + "overflow", "frames", "Frames dropped for want of receive buffer"});
  s.add(stray_, {prefix + "stray_packets", "packets", "Packets of no expected flow"});
  s.add(xoff_count_,
        {prefix + "pfc_xoff_sent", "frames", "XOFF put on the line, refreshes included"});
  s.add(xon_count_, {prefix + "pfc_xon_sent", "frames", "XON put on the line"});
  s.add(latency_,
        {prefix + "latency_ns", "ns", "From the start of a packet's transmission to its delivery"},
        1000);
  s.add(buffer_level_, {prefix + "receive_buffer_bytes", "bytes", "Receive buffer in use"});
  ProbeRegistry& probes = partition_.probes();
  probes.add(buffer_probe_, {prefix + "receive_buffer_bytes",
                             ProbeKind::kUnsigned,
                             32,
                             "bytes",
                             "Receive buffer in use",
                             {}});
  probes.add(xoff_probe_, {prefix + "xoff_sent",
                           ProbeKind::kUnsigned,
                           1,
                           "",
                           "The peer was told to pause, and not yet to go on",
                           {}});
  probes.add(xoff_moment_, {prefix + "xoff", "An XOFF was sent"});
  probes.add(drop_moment_, {prefix + "drop", "A frame was dropped for want of buffer"});
}

}  // namespace railyard
