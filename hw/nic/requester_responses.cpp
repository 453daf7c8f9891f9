// What comes back: acknowledgements, READ responses; timers; completions.
#include <algorithm>
#include <utility>

#include "hw/nic/requester.h"

namespace railyard::nic {

namespace {

// The upper three bits of an AETH's syndrome (IBTA Vol 1 9.7.5.2.1), and its codes of a NAK.
constexpr unsigned kRnrNak = 1;
constexpr unsigned kNak = 3;
constexpr std::uint8_t kCodeBits = 0x1F;
constexpr std::uint8_t kSequenceError = 0;
constexpr std::uint8_t kForEver = 7;  // of rnr_retry

abi::Syndrome syndrome_of_nak(std::uint8_t code) {
  switch (code) {
    case 1:
      return abi::Syndrome::kRemoteInvalidRequest;
    case 2:
      return abi::Syndrome::kRemoteAccess;
    case 3:
      return abi::Syndrome::kRemoteOperation;
    default:
      return abi::Syndrome::kBadResponse;
  }
}

}  // namespace

void Requester::take(ReceivedPacket packet) {
  const net::Frame& frame = packet.packet->frame;
  const Qp& qp = *packet.qp;
  SendQueue* sq = in_slot(qp.slot);
  bool kept = false;
  const Time at = transport_.pass(packet.at, units_.class_of(qp.priority()));
  units_.passed(Point::kAckReceived, qp.number, at);
  if (sq == nullptr || sq->flushing || sq->broken() || !qp.sends()) {
    metrics_.stale.add();
  } else if (net::is_read_response(frame.bth.opcode)) {
    answered(*sq, packet, at, kept);
  } else {
    acknowledged(*sq, frame, at);
  }
  if (!kept) units_.receive_buffer->release(*packet.packet);
}

// --- acknowledgements ---

void Requester::acknowledged(SendQueue& sq, const net::Frame& frame, Time at) {
  const std::uint32_t place = sq.place_of(frame.bth.psn);
  if (place == SendQueue::kNone) {
    metrics_.stale.add();
    return;
  }
  const unsigned kind = frame.aeth.syndrome >> 5;
  const auto code = static_cast<std::uint8_t>(frame.aeth.syndrome & kCodeBits);
  const bool negative = kind == kRnrNak || kind == kNak;
  const std::uint64_t ticket = ticket_of(sq);
  const std::uint32_t before = sq.oldest_psn;
  const bool all = sq.acknowledge(negative ? place : place + 1);
  if (sq.oldest_psn != before) {
    if (!negative) metrics_.acks.add();
    progress(sq, before, frame);
    complete_fronts(sq, at);
  }
  if (find(ticket) == nullptr || sq.flushing || sq.broken()) return;
  if (!all) {
    missing_response(sq, at);
  } else if (kind == kRnrNak) {
    receiver_not_ready(sq, code, at);
  } else if (kind == kNak) {
    nak(sq, code, at);
  }
}

// Something was acknowledged: patience begins anew.
void Requester::progress(SendQueue& sq, std::uint32_t from_psn, const net::Frame& frame) {
  const Time now = units_.partition->now();
  sq.retries = sq.rnr_retries = 0;
  sq.gap_seen = false;
  if (sq.sampling && ((sq.oldest_psn - sq.sample_psn - 1) & psn::kMask) < SendQueue::kWindow) {
    sq.sampling = false;
    sq.round_trip = now - sq.sample_at;
  }
  if (units_.congestion != nullptr) {
    Acknowledgement ack;
    ack.bytes = ((sq.oldest_psn - from_psn) & psn::kMask) * sq.qp->path_mtu;
    ack.rtt = sq.round_trip;
    ack.ecn_echo = frame.bth.becn;
    units_.congestion->acknowledged(sq.qp->slot, ack);
  }
  restart_timer(sq);
  show(sq);
  if (sq.state == SendState::kWindow) make_ready(sq, now);
}

void Requester::nak(SendQueue& sq, std::uint8_t code, Time at) {
  metrics_.naks.add();
  if (units_.congestion != nullptr) units_.congestion->nak(sq.qp->slot);
  if (code == kSequenceError) {
    retry(sq, at);
  } else {
    fail_oldest(sq, syndrome_of_nak(code), at);
  }
}

void Requester::receiver_not_ready(SendQueue& sq, std::uint8_t code, Time at) {
  metrics_.rnr_naks.add();
  if (sq.rnr) return;
  if (sq.qp->rnr_retry != kForEver && sq.rnr_retries >= sq.qp->rnr_retry) {
    fail_oldest(sq, abi::Syndrome::kRnrRetryExceeded, at);
    return;
  }
  ++sq.rnr_retries;
  sq.rnr = true;
  go_back(sq);
  timers_.arm(sq.qp->slot, at + rnr_delay(code));
}

// Responses come in order: if a later one has come, or the acknowledgement of a later request, the
// one that is awaited is lost. It is asked for once; if that is lost too, the timer tells.
void Requester::missing_response(SendQueue& sq, Time at) {
  if (sq.gap_seen) return;
  metrics_.gaps.add();
  const std::uint64_t ticket = ticket_of(sq);
  retry(sq, at);
  if (find(ticket) != nullptr) sq.gap_seen = true;
}

// --- READ responses ---

void Requester::answered(SendQueue& sq, ReceivedPacket& packet, Time at, bool& kept) {
  const net::Frame& frame = packet.packet->frame;
  const std::uint32_t place = sq.place_of(frame.bth.psn);
  if (place == SendQueue::kNone) {
    metrics_.stale.add();
    return;
  }
  const std::uint64_t ticket = ticket_of(sq);
  const std::uint32_t before = sq.oldest_psn;
  const bool all = sq.acknowledge(place);
  if (!all) {
    if (sq.oldest_psn != before) progress(sq, before, frame);
    complete_fronts(sq, at);
    if (find(ticket) != nullptr && !sq.flushing) missing_response(sq, at);
    return;
  }
  const Ref<SendWqe> wqe = sq.wqes[sq.acknowledged];
  const std::uint32_t offset = ((sq.oldest_psn - wqe->first_psn) & psn::kMask) * sq.qp->path_mtu;
  const std::uint32_t expected =
      wqe->is_read() ? std::min(sq.qp->path_mtu, wqe->length - offset) : ~0U;
  if (frame.payload_bytes != expected) {
    fail_oldest(sq, abi::Syndrome::kBadResponse, at);
    return;
  }
  metrics_.responses.add();
  sq.respond();
  if (expected != 0) {
    kept = true;
    ++wqe->writes;
    responses_.take({std::move(packet.packet), wqe, sq.qp, ticket, sq.cls, offset, at});
  }
  progress(sq, before, frame);
  complete_fronts(sq, at);
}

void Requester::response_written(std::uint64_t ticket, SendWqe& wqe, KeyError error) {
  --wqe.writes;
  SendQueue* sq = find(ticket);
  if (sq == nullptr || sq->flushing) return;
  if (error != KeyError::kNone) wqe.error = abi::Syndrome::kLocalProtection;
  complete_fronts(*sq, units_.partition->now());
}

// --- again ---

void Requester::retry(SendQueue& sq, Time at) {
  if (sq.rnr) return;  // all is sent again when that time has passed
  if (sq.retries >= sq.qp->retry_count) {
    fail_oldest(sq, abi::Syndrome::kRetryExceeded, at);
    return;
  }
  ++sq.retries;
  go_back(sq);
}

// What is not on the line yet is made anew, with all behind the oldest that is not acknowledged.
void Requester::go_back(SendQueue& sq) {
  units_.transmit->drop(*this, ticket_of(sq));
  sq.go_back();
  timers_.disarm(sq.qp->slot);
  if (sq.state == SendState::kTranslation) sq.abandoned = true;
  if (sq.state != SendState::kIdle && sq.state != SendState::kWindow &&
      sq.state != SendState::kWqe && sq.state != SendState::kRnr) {
    return;
  }
  if (sq.rnr) {
    set_state(sq, SendState::kRnr);
  } else {
    make_ready(sq, units_.partition->now());
  }
}

void Requester::timer_ran_out(std::uint32_t slot) {
  SendQueue* sq = in_slot(slot);
  if (sq == nullptr || sq->flushing || sq->broken()) return;
  if (sq->rnr) {
    sq->rnr = false;
    go_back(*sq);
    return;
  }
  if (sq->outstanding() == 0) return;
  metrics_.timeouts.add();
  if (units_.congestion != nullptr) units_.congestion->timed_out(slot);
  sq->gap_seen = false;
  retry(*sq, units_.partition->now());
}

void Requester::restart_timer(SendQueue& sq) {
  const Time now = units_.partition->now();
  sq.waiting_since = now;
  if (sq.rnr) return;
  const Time timeout = ack_timeout(sq.qp->timeout);
  const bool waits = sq.outstanding() != 0 && timeout != kForever;
  timers_.arm(sq.qp->slot, waits ? now + timeout : kForever);
}

// --- completions ---

void Requester::fail_oldest(SendQueue& sq, abi::Syndrome syndrome, Time at) {
  units_.transmit->drop(*this, ticket_of(sq));
  timers_.disarm(sq.qp->slot);
  sq.oldest().error = syndrome;
  complete_fronts(sq, at);
}

void Requester::complete_fronts(SendQueue& sq, Time at) {
  bool any = false;
  for (; !sq.wqes.empty(); any = true) {
    const SendWqe& front = *sq.wqes.front();
    const bool failed = front.error != abi::Syndrome::kNone && sq.begun != 0 && front.writes == 0;
    if (!failed && !sq.front_complete()) break;
    const Ref<SendWqe> wqe = sq.pop_front();
    if (wqe->is_read()) {
      metrics_.reads.set(metrics_.reads.value() - 1, units_.partition->now());
    }
    if (failed) {
      metrics_.wqe_errors.add();
      complete(sq, *wqe, wqe->error, at);
      Qp& qp = *sq.qp;
      enter_flush(sq);
      units_.control->fail(qp, abi::EventType::kCompletion);
      return;
    }
    metrics_.wqes_completed.add();
    complete(sq, *wqe, abi::Syndrome::kNone, at);
  }
  if (any && sq.state == SendState::kWindow) make_ready(sq, units_.partition->now());
  if (sq.done()) release(sq);
}

void Requester::complete(const SendQueue& sq, const SendWqe& wqe, abi::Syndrome syndrome, Time at) {
  units_.partition->close_work(wqe.blocks);
  const bool good = syndrome == abi::Syndrome::kNone;
  if (good && !sq.qp->signal_all && (wqe.flags & abi::wqe_flag::kCqUpdate) == 0) return;
  Completion completion;
  completion.cq = sq.qp->send.cq;
  completion.qp = sq.qp->number;
  completion.opcode = good ? abi::CqeOpcode::kRequester : abi::CqeOpcode::kRequesterError;
  completion.wqe_opcode = wqe.opcode;
  completion.syndrome = syndrome;
  completion.wqe_counter = wqe.index;
  completion.byte_count = wqe.length;
  completion.cls = sq.cls;
  units_.completions->complete(completion, std::max(at, units_.partition->now()));
}

}  // namespace railyard::nic
