#include "hw/tester/port.h"

#include <stdexcept>
#include <utility>

#include "hw/congestion/algorithms.h"

namespace railyard {

namespace {

enum class LineState : std::uint8_t { kIdle, kSending, kPaused, kLinkDown, kStalled };
const std::vector<std::string> kLineStateNames = {"IDLE", "SENDING", "PAUSED", "LINK_DOWN",
                                                  "STALLED"};

constexpr std::uint64_t state_value(LineState state) { return static_cast<std::uint64_t>(state); }

constexpr std::uint8_t kAllPriorities = 0xFF;
constexpr std::size_t kLoggedPauses = std::size_t{1} << 15;

}  // namespace

TesterPort::TesterPort(sc_core::sc_module_name name, Partition& partition,
                       const TesterConfig& config, const TesterAddress& address, Rate line_rate,
                       const std::string& peer, Blocks* blocks)
    : sc_module(name),
      config_(config),
      partition_(partition),
      send_gate_(partition, std::string(this->name()) + ".send", config.send_stall,
                 [this] {
                   turns_.release(kAllPriorities, partition_.now());
                   transmit_next();
                 }),
      act_(Event::of<&TesterPort::transmit_next>(
          *this, partition.endpoint(std::string(this->name()) + ".act"), Phase::kAct)),
      congestion_(make_congestion_control(
          config.congestion,
          {partition, this->name(), line_rate, blocks != nullptr ? *blocks : own_blocks_})),
      pause_log_(kLoggedPauses),
      obeyed_(partition, pause_log_),
      pauses_(partition, this->name(), line_rate, config.response_quanta, *this),
      pfc_(partition, this->name(), config.pfc, address.mac, line_rate, pause_log_,
           [this] { transmit_next(); }),
      receivers_(partition, this->name(), config, blocks != nullptr ? *blocks : own_blocks_,
                 [this] { transmit_next(); }),
      buffer_(partition, this->name(), config, pfc_,
              [this](const net::Packet& packet) { receivers_.take(packet); }) {
  if (congestion_) congestion_->set_listener(this);
  tx.register_nb_transport_bw(this, &TesterPort::line);
  rx.register_nb_transport_fw(this, &TesterPort::receive);
  register_all(peer);
}

TesterPort::~TesterPort() = default;

void TesterPort::send_flow(const FlowConfig& flow) {
  const std::uint32_t number = turns_.add(flow.index, flow.priority, flow.start, flow.rate);
  if (!sender_by_qp_.insert(flow.source_qp, number) ||
      !sender_by_index_.insert(flow.index, number)) {
    throw std::logic_error(std::string(name()) + ": flow " + std::to_string(flow.index) +
                           ", or its queue pair, sends already");
  }
  senders_.emplace_back(flow);
  if (congestion_) congestion_->open({"flow" + std::to_string(flow.index), flow.priority});
  partition_.open_work(flow.packets());
  register_sender(number);
}

void TesterPort::expect_flow(const FlowConfig& flow) {
  receivers_.expect(flow);
  pfc_.expect(flow.priority);
}

void TesterPort::set_listener(FlowListener* listener) {
  listener_ = listener;
  receivers_.set_listener(listener);
}

void TesterPort::set_rate(std::size_t flow, const std::optional<Rate>& rate) {
  const std::uint32_t number = sender_by_index_.find(static_cast<std::uint32_t>(flow));
  if (number == NumberTable::kNone) {
    throw std::out_of_range(std::string(name()) + " sends no flow " + std::to_string(flow));
  }
  turns_.set_rate(number, rate, partition_.now());
  if (started_ && !sending_) plan_next();
}

void TesterPort::seal() {
  sealed_ = true;
  if (congestion_ && !senders_.empty()) congestion_->seal();
  receivers_.seal();
}

void TesterPort::start_of_simulation() {
  if (!sealed_) seal();
  started_ = true;
  if (congestion_ && !senders_.empty()) congestion_->start();
  receivers_.start();
  plan_next();
  buffer_.start();
}

// --- transmit ---

void TesterPort::transmit_next() {
  if (sending_) return;
  const Time now = partition_.now();
  turns_.wake(now);
  if ((pauses_.paused() | obeyed_.waiting()) != 0) update_waits();
  if (!link_up_) {
    if (turns_.unfinished() != 0 || receivers_.cnp_due()) link_wait_.begin(now);
    state_probe_.set(state_value(LineState::kLinkDown), now);
    plan_next();
  } else if (pfc_.due()) {
    put_on_line(pfc_.make());
  } else if (cnp_may_go()) {
    put_on_line(receivers_.next_cnp());
  } else if (const std::uint32_t flow = next_flow(); flow != FlowTurns::kNone) {
    send_data(flow);
  } else {
    plan_next();
  }
}

bool TesterPort::cnp_may_go() const {
  return receivers_.cnp_due() && (pauses_.paused() >> config_.cnp.priority & 1U) == 0;
}

std::uint32_t TesterPort::next_flow() {
  const auto may_send = static_cast<std::uint8_t>(~pauses_.paused());
  LineState state = LineState::kIdle;
  const std::uint32_t flow = next_due_flow(may_send);
  if (flow != FlowTurns::kNone) {
    if (send_gate_.open()) return flow;
    state = LineState::kStalled;
  } else if (turns_.ready() != 0) {
    state = LineState::kPaused;
  }
  state_probe_.set(state_value(state), partition_.now());
  return FlowTurns::kNone;
}

// Whose turn it is, those passed over that congestion control keeps from sending yet.
std::uint32_t TesterPort::next_due_flow(std::uint8_t priorities) {
  std::uint32_t flow = turns_.next(priorities);
  while (congestion_ && flow != FlowTurns::kNone) {
    const Time due = congestion_->next_packet(flow);
    if (due <= partition_.now()) break;
    turns_.postpone(flow, due);
    flow = turns_.next(priorities);
  }
  return flow;
}

void TesterPort::may_send(std::uint32_t qp) {
  turns_.expedite(qp, partition_.now());
  if (started_ && !sending_) plan_next();
}

void TesterPort::send_data(std::uint32_t number) {
  const Time now = partition_.now();
  Sender& sender = senders_[number];
  const Ref<net::Packet> packet = sender.source.make(partition_.packets(), now);
  const std::uint32_t bytes = packet->wire_bytes;
  psn_probe_.set(packet->frame.bth.psn, now);
  sent_packets_.add();
  partition_.close_work();
  put_on_line(packet);
  if (congestion_) congestion_->sent(number, net::line_bytes(bytes));
  if (listener_ != nullptr) listener_->on_sent(sender.index, bytes, now);
  if (sender.source.done()) {
    turns_.finish(number);
  } else {
    turns_.sent(number, net::line_bytes(bytes), now);
  }
}

void TesterPort::put_on_line(const Ref<net::Packet>& packet) {
  sending_ = true;
  state_probe_.set(state_value(LineState::kSending), partition_.now());
  send(tx, *packet, 0, 0);
}

// An idle line is woken by the next packet that is due; a busy one asks when it is free.
void TesterPort::plan_next() {
  const Time due = turns_.next_due();
  if (due != act_.time() && due != kForever) partition_.scheduler().schedule(act_, due);
}

tlm::tlm_sync_enum TesterPort::line(net::Packet& /*packet*/, PacketPhase& phase,
                                    sc_core::sc_time& /*delay*/) {
  switch (phase.kind) {
    case PacketPhase::Kind::kTransmitDone:
      sending_ = false;
      break;
    case PacketPhase::Kind::kLinkDown:
      link_up_ = false;
      pauses_.forget();
      break;
    case PacketPhase::Kind::kLinkUp:
      link_up_ = true;
      link_wait_.end();
      pfc_.tell_again();
      turns_.release(kAllPriorities, partition_.now());
      break;
    case PacketPhase::Kind::kFrame:
    case PacketPhase::Kind::kRetrain:
      break_invariant(name(), partition_.now(), "a frame came on the backward path");
  }
  transmit_next();
  return tlm::TLM_ACCEPTED;
}

// --- pauses ---

void TesterPort::pause_changed(std::uint8_t paused, std::uint8_t changed) {
  const Time now = partition_.now();
  obeyed_.changed(paused, changed);
  turns_.release(static_cast<std::uint8_t>(changed & ~paused), now);
  update_waits();
  transmit_next();
}

// What is paused, and has something to send, waits.
void TesterPort::update_waits() {
  const auto flows = static_cast<std::uint8_t>(pauses_.paused() & turns_.unfinished());
  auto held = flows;
  if (receivers_.cnp_due() && !cnp_may_go()) {
    held = static_cast<std::uint8_t>(held | 1U << config_.cnp.priority);
  }
  obeyed_.wait(held);
  obeyed_.hold(flows);
}

// --- receive ---

tlm::tlm_sync_enum TesterPort::receive(net::Packet& packet, PacketPhase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) {
  const net::Frame& frame = packet.frame;
  if (packet.bad_fcs) {
    bad_fcs_.add();
  } else if (frame.is_mac_control()) {
    obeyed_.take(frame, pauses_);
  } else if (frame.is_roce() && frame.bth.opcode == net::Opcode::kCnp) {
    take_cnp(frame);
  } else if (buffer_.passes_through()) {
    receivers_.take(packet);
  } else {
    buffer_.push(packet);
  }
  return tlm::TLM_ACCEPTED;
}

void TesterPort::take_cnp(const net::Frame& frame) {
  const std::uint32_t number = sender_by_qp_.find(frame.bth.destination_qp);
  if (number == NumberTable::kNone) return receivers_.count_stray();
  Sender& sender = senders_[number];
  ++sender.cnps;
  cnp_received_.add();
  if (congestion_) congestion_->cnp(number);
  if (listener_ != nullptr) listener_->on_cnp(sender.index, partition_.now());
}

// --- what it shows ---

void TesterPort::register_all(const std::string& peer) {
  const std::string me = name();
  obeyed_.register_all(
      me, peer, me + ".",
      "Time that a priority was paused of which a flow had begun and had more to send");
  partition_.waits().add(link_wait_, {me, me + ".tx", "the link to come up"});
  register_transmit(me + ".");
}

void TesterPort::register_transmit(const std::string& prefix) {
  StatisticsRegistry& s = partition_.statistics();
  s.add(sent_packets_, {prefix + "sent_packets", "packets", "Packets of flows put on the line"});
  s.add(bad_fcs_, {prefix + "bad_fcs", "frames", "Frames discarded for their FCS"});
  s.add(cnp_received_,
        {prefix + "cnp_received", "packets", "CNPs received for flows of this port"});
  ProbeRegistry& probes = partition_.probes();
  probes.add(psn_probe_,
             {prefix + "psn", ProbeKind::kUnsigned, 24, "", "PSN of the latest packet sent", {}});
  probes.add(state_probe_, {prefix + "send_state", ProbeKind::kEnum, 3, "",
                            "What the transmitter does", kLineStateNames});
}

void TesterPort::register_sender(std::uint32_t number) {
  partition_.statistics().add_derived(
      {"flow" + std::to_string(senders_[number].index) + ".cnp_received", "packets",
       "CNPs that the flow's sender received, warm-up or not"},
      [this, number](Time, Time) { return MetricValue::of(senders_[number].cnps); });
}

}  // namespace railyard
