#include "hw/nic/acknowledger.h"

#include "hw/nic/nak.h"
#include "hw/nic/read_engine.h"

namespace railyard::nic {

namespace {
// Tickets: the slot, and what it is of.
constexpr std::uint64_t kAckTicket = 0;
constexpr std::uint64_t kNakTicket = 1;
std::uint64_t ticket_of(const Qp& qp, std::uint64_t kind) {
  return std::uint64_t{qp.slot} << 1 | kind;
}
}  // namespace

Acknowledger::Acknowledger(Units& units, AcknowledgerClient& client)
    : units_(units),
      client_(client),
      stage_(units.partition->statistics(), units.name + ".acknowledge",
             units.config->stages.acknowledge, units.config->clock, units.classes(),
             {Cause::kEgress}, "ACKs and NAKs made"),
      delay_over_(Event::of<&Acknowledger::delay_over>(
          *this, units.partition->endpoint(units.name + ".acknowledge"), Phase::kTimer)) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".responder.";
  statistics.add(acks_, {p + "acks", "packets", "ACKs made"});
  statistics.add(merged_,
                 {p + "acks_merged", "packets", "ACKs that a later one took the place of"});
  statistics.add(nak_sequence_, {p + "nak_sequence", "packets", "NAKs: PSN sequence error"});
  statistics.add(nak_invalid_, {p + "nak_invalid_request", "packets", "NAKs: invalid request"});
  statistics.add(nak_access_, {p + "nak_remote_access", "packets", "NAKs: remote access error"});
  statistics.add(nak_operation_,
                 {p + "nak_remote_operation", "packets", "NAKs: remote operational error"});
  statistics.add(rnr_naks_, {p + "rnr_naks", "packets", "RNR NAKs: there was no receive WQE"});
}

void Acknowledger::acknowledge(Qp& qp) {
  AckState& ack = qp.responder.ack;
  ack.since = 0;
  if (ack.wanted) {
    merged_.add();
    return;
  }
  ack.wanted = true;
  const Time delay = units_.config->ack_delay;
  if (delay == 0) {
    respond(qp);
    return;
  }
  ack.delayed = true;
  delays_.push({units_.partition->now() + delay, &qp});
  if (!delay_over_.pending()) {
    units_.partition->scheduler().schedule(delay_over_, delays_.front().until);
  }
}

void Acknowledger::refuse(Qp& qp, std::uint8_t syndrome, std::uint32_t psn, bool fatal) {
  AckState& ack = qp.responder.ack;
  ack.nak = syndrome;
  ack.nak_psn = psn;
  ack.fatal = fatal;
  respond(qp);
}

void Acknowledger::delay_over() {
  const Time now = units_.partition->now();
  while (!delays_.empty() && delays_.front().until <= now) {
    const Delay delay = delays_.pop();
    if (delay.qp == nullptr) continue;
    delay.qp->responder.ack.delayed = false;
    respond(*delay.qp);
  }
  if (!delays_.empty()) {
    units_.partition->scheduler().schedule(delay_over_, delays_.front().until);
  }
}

void Acknowledger::respond(Qp& qp) {
  AckState& ack = qp.responder.ack;
  const bool ack_due = ack.wanted && !ack.delayed;
  const bool behind_reads = ReadEngine::outstanding(qp) != 0;
  hold(qp, (behind_reads && (ack_due || ack.nak != 0)) || (ack_due && ack.in_path));
  if (behind_reads) return;
  if (ack.nak != 0) {
    const std::uint8_t syndrome = ack.nak;
    ack.nak = 0;
    count_nak(syndrome);
    send(qp, syndrome, ack.nak_psn, ticket_of(qp, kNakTicket));
    if (ack.fatal) {
      client_.broken(qp);
      return;
    }
    // It acknowledges all before it.
    if (ack.wanted && psn::distance(ack.nak_psn, ack.psn) > 0) {
      merged_.add();
      ack.wanted = false;
      hold(qp, false);
    }
  }
  if (!ack.wanted || ack.delayed || ack.in_path) return;
  ack.wanted = false;
  ack.in_path = true;
  acks_.add();
  send(qp, nak::kAck, ack.psn, ticket_of(qp, kAckTicket));
}

void Acknowledger::send(Qp& qp, std::uint8_t syndrome, std::uint32_t psn, std::uint64_t ticket) {
  const Time now = units_.partition->now();
  const unsigned cls = units_.class_of(qp.priority());
  headers_ = qp.headers;
  headers_.bth.opcode = net::Opcode::kRcAcknowledge;
  headers_.bth.solicited_event = false;
  headers_.bth.ack_request = false;
  headers_.bth.psn = psn;
  headers_.aeth = {syndrome, qp.responder.ack.msn};
  headers_.payload_bytes = 0;
  TransmitJob job;
  job.headers = &headers_;
  job.priority = qp.priority();
  job.cls = cls;
  job.at = stage_.pass(now, cls);
  job.client = this;
  job.ticket = ticket;
  if (held_ != 0) stage_.block(Cause::kEgress, cls, now);
  units_.passed(Point::kAckSent, qp.number, job.at);
  units_.transmit->take(job);
}

void Acknowledger::hold(Qp& qp, bool held) {
  AckState& ack = qp.responder.ack;
  if (ack.held == held) return;
  ack.held = held;
  const Time now = units_.partition->now();
  if (held) {
    ++held_;
    stage_.block(Cause::kEgress, units_.class_of(qp.priority()), now);
  } else if (--held_ == 0) {
    stage_.unblock(now);
  }
}

void Acknowledger::count_nak(std::uint8_t syndrome) {
  switch (syndrome) {
    case nak::kSequence:
      nak_sequence_.add();
      break;
    case nak::kInvalidRequest:
      nak_invalid_.add();
      break;
    case nak::kRemoteAccess:
      nak_access_.add();
      break;
    case nak::kRemoteOperation:
      nak_operation_.add();
      break;
    default:
      rnr_naks_.add();
  }
}

void Acknowledger::sent(std::uint64_t ticket, const net::Packet& /*packet*/) {
  if ((ticket & 1U) != kAckTicket) return;
  Qp& qp = units_.qps->in_slot(static_cast<std::uint32_t>(ticket >> 1));
  qp.responder.ack.in_path = false;
  respond(qp);
}

void Acknowledger::stop(Qp& qp) {
  AckState& ack = qp.responder.ack;
  hold(qp, false);
  ack.wanted = false;
  ack.nak = 0;
  ack.delayed = false;
  for (std::size_t i = 0; i < delays_.size(); ++i) {
    if (delays_[i].qp == &qp) delays_[i].qp = nullptr;
  }
}

void Acknowledger::reset(Qp& qp) {
  stop(qp);
  units_.transmit->drop(*this, ticket_of(qp, kAckTicket));
  units_.transmit->drop(*this, ticket_of(qp, kNakTicket));
  qp.responder.ack = AckState();
}

}  // namespace railyard::nic
