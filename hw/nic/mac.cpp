#include "hw/nic/mac.h"

#include <utility>

#include "tlm/observe/checker.h"

namespace railyard::nic {

namespace {

enum class LineState : std::uint8_t { kIdle, kSending, kPaused, kLinkDown };
constexpr std::uint64_t state_value(LineState state) { return static_cast<std::uint64_t>(state); }

constexpr std::size_t kLoggedPauses = std::size_t{1} << 15;

}  // namespace

Mac::Mac(sc_core::sc_module_name name, Units& units, Rate line_rate, const std::string& peer,
         Blocks& blocks)
    : sc_module(name),
      units_(units),
      partition_(*units.partition),
      act_(Event::of<&Mac::send_next>(
          *this, partition_.endpoint(std::string(this->name()) + ".act"), Phase::kAct)),
      transmit_(partition_.statistics(), units.name + ".transmit", units.config->stages.transmit,
                units.config->clock, units.classes(), {Cause::kPause, Cause::kLine},
                "MAC, towards the line"),
      arrival_(Event::of<&Mac::hand_on>(
          *this, partition_.endpoint(std::string(this->name()) + ".arrival"), Phase::kArrival)),
      receive_(partition_.statistics(), units.name + ".receive", units.config->stages.receive,
               units.config->clock, units.classes(), {}, "MAC and parser, from the line"),
      pause_log_(kLoggedPauses),
      obeyed_(partition_, pause_log_),
      pauses_(partition_, this->name(), line_rate, units.config->receive.response_quanta,
              units.config->clock, blocks, *this),
      pause_sender_(partition_, this->name(), units.address.mac, line_rate,
                    units.config->receive.quanta, pause_log_, [this] { send_next(); }),
      buffer_(partition_, units.name, this->name(), units.config->receive, pause_sender_) {
  tx.register_nb_transport_bw(this, &Mac::line);
  rx.register_nb_transport_fw(this, &Mac::receive);
  register_all(peer);
  register_probes();
}

Mac::~Mac() = default;

void Mac::set_source(LineSource& source) { source_ = &source; }

void Mac::set_receiver(std::function<void(net::Packet&)> receiver) {
  receiver_ = std::move(receiver);
}

void Mac::start_of_simulation() { pauses_.start(); }

// --- transmit ---

void Mac::send_next() {
  if (sending_) return;
  const Time now = partition_.now();
  if (!link_up_) {
    source_->next_packet(0);  // so that it tells what waits for the link
    return look();
  }
  if (pause_sender_.due()) return send_pause();
  if (transmit_.free_at() > now) {
    partition_.scheduler().schedule(act_, transmit_.free_at());
    return look();
  }
  sending_ = true;  // what the source does meanwhile does not come back here
  const Ref<net::Packet> packet =
      source_->next_packet(static_cast<std::uint8_t>(~pauses_.paused()));
  if (packet) {
    transmit_.enter(now, units_.class_of(priority_of(packet->frame)));
    sent_packets_.add();
    sent_bytes_.add(packet->wire_bytes);
    put_on_line(*packet);
  } else {
    sending_ = false;
  }
  look();
}

void Mac::send_pause() {
  const Time now = partition_.now();
  const PauseSender::Sent sent = pause_sender_.make();
  told_probe_.set(pause_sender_.told(), now);
  if (sent.xoff != 0) {
    xoff_sent_.add();
    xoff_moment_.raise(now);
  }
  if (sent.xon != 0) xon_sent_.add();
  sending_ = true;
  put_on_line(*sent.packet);
  look();
}

void Mac::put_on_line(net::Packet& packet) { send(tx, packet, 0, 0); }

tlm::tlm_sync_enum Mac::line(net::Packet& /*packet*/, PacketPhase& phase,
                             sc_core::sc_time& /*delay*/) {
  switch (phase.kind) {
    case PacketPhase::Kind::kTransmitDone:
      sending_ = false;
      break;
    case PacketPhase::Kind::kLinkDown:
      link_up_ = false;
      pause_sender_.forget();
      told_probe_.set(0, partition_.now());
      pauses_.forget();
      break;
    case PacketPhase::Kind::kLinkUp:
      link_up_ = true;
      pause_sender_.forget();  // a frame may have been on its way into the dead link
      break;
    case PacketPhase::Kind::kFrame:
    case PacketPhase::Kind::kRetrain:
      break_invariant(name(), partition_.now(), "a frame came on the backward path");
  }
  send_next();
  return tlm::TLM_ACCEPTED;
}

// --- what waits for the line ---

// Looks at what could leave, and says why it does not.
void Mac::look() {
  const Time now = partition_.now();
  const std::uint8_t waiting = source_->waiting();
  LineState state = LineState::kIdle;
  if (!link_up_) {
    state = LineState::kLinkDown;
  } else if (sending_) {
    state = LineState::kSending;
  } else if (waiting != 0) {
    state = LineState::kPaused;
  }
  state_probe_.set(state_value(state), now);
  if (!link_up_ && waiting != 0) {
    link_wait_.begin(now);
  } else {
    link_wait_.end();
  }
  const auto held = static_cast<std::uint8_t>(waiting & pauses_.paused());
  obeyed_.wait(held);
  obeyed_.hold(held);
  attribute(waiting, now);
}

void Mac::attribute(std::uint8_t waiting, Time now) {
  if (waiting == 0) return transmit_.unblock(now);
  const auto may_send = static_cast<std::uint8_t>(waiting & ~pauses_.paused());
  const bool paused = link_up_ && may_send == 0;
  const auto first = static_cast<std::uint8_t>(__builtin_ctz(may_send != 0 ? may_send : waiting));
  transmit_.block(paused ? Cause::kPause : Cause::kLine, units_.class_of(first), now);
}

// --- pauses ---

void Mac::pause_changed(std::uint8_t paused, std::uint8_t changed) {
  obeyed_.changed(paused, changed);
  if (sending_) return look();
  send_next();
}

// --- receive ---

tlm::tlm_sync_enum Mac::receive(net::Packet& packet, PacketPhase& /*phase*/,
                                sc_core::sc_time& /*delay*/) {
  if (packet.bad_fcs) {
    bad_fcs_.add();
  } else if (packet.frame.is_mac_control()) {
    obeyed_.take(packet.frame, pauses_);
  } else if (!packet.frame.is_roce()) {
    not_roce_.add();
  } else {
    take(packet);
  }
  return tlm::TLM_ACCEPTED;
}

void Mac::take(net::Packet& packet) {
  if (!buffer_.take(packet)) return;
  received_packets_.add();
  received_bytes_.add(packet.wire_bytes);
  const Time due = receive_.pass(partition_.now(), units_.class_of(priority_of(packet.frame)));
  arrived_.push({due, Ref<net::Packet>::share(packet)});
  if (arrived_.size() == 1) partition_.scheduler().schedule(arrival_, due);
}

void Mac::hand_on() {
  const Arrived arrived = arrived_.pop();
  if (!arrived_.empty()) partition_.scheduler().schedule(arrival_, arrived_.front().due);
  receiver_(*arrived.packet);
}

void Mac::release(const net::Packet& packet) { buffer_.release(packet); }

}  // namespace railyard::nic
