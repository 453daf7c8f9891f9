// From a WQE to its packets.
#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/nic/request_packet.h"
#include "hw/nic/requester.h"

namespace railyard::nic {

namespace {

abi::Syndrome local_syndrome_of(KeyError error) {
  return error == KeyError::kMemory ? abi::Syndrome::kLocalQpOperation
                                    : abi::Syndrome::kLocalProtection;
}

}  // namespace

// The WQE at the cursor enters the stage wqe; the front end may decide again when the next can.
Time Requester::enter_wqe(SendQueue& sq) {
  const Time now = units_.partition->now();
  const Time at = wqe_stage_.pass(now + sq.lead, sq.cls);
  units_.passed(Point::kWqe, sq.qp->number, at);
  gate_ = std::max(gate_, wqe_stage_.free_at() - sq.lead);
  sq.entered = true;
  sq.came_at = std::max(sq.came_at, at);
  return at;
}

void Requester::begin_wqe(SendQueue& sq) {
  if (sq.cursor != sq.begun) return;
  sq.begin_wqe();
  if (sq.at_cursor().is_read()) {
    metrics_.reads.set(metrics_.reads.value() + 1, units_.partition->now());
  }
  fetch_more(sq);
}

void Requester::send_packet(SendQueue& sq) {
  const Time now = units_.partition->now();
  const Time at = sq.entered ? now + sq.lead : enter_wqe(sq);
  begin_wqe(sq);
  if (sq.at_cursor().opcode == abi::Opcode::kNop) {
    sq.turn_left -= kLeastCharge;
    sq.step();
    complete_fronts(sq, at);
    return;
  }
  sq.segments.clear();
  sq.gathered = 0;
  sq.came_at = sq.gathered_at = std::max(at, sq.came_at);
  sq.abandoned = false;
  if (gather(sq)) transmit(sq);
}

// What of the packet's payload is to be translated next; of a READ, which segment is to be checked.
bool Requester::next_piece(const SendQueue& sq, KeyedRange& range) const {
  const SendWqe& wqe = *sq.wqes[sq.cursor];
  const std::uint32_t mtu = sq.qp->path_mtu;
  SendWqe::Data piece;
  if (wqe.is_read()) {
    if (sq.gathered == wqe.data.size()) return false;
    piece = wqe.data[sq.gathered];
    range.right = abi::access::kLocalWrite;
  } else {
    const std::uint32_t bytes = request_payload(wqe, sq.offset, mtu);
    if (wqe.is_inline || sq.gathered == bytes) return false;
    piece = wqe.piece(sq.offset * mtu + sq.gathered, bytes - sq.gathered);
    range.right = 0;
  }
  range.key = piece.key;
  range.address = piece.address;
  range.bytes = piece.bytes;
  range.pd = sq.qp->pd;
  return true;
}

// True: the packet may go. False: it waits for a translation, or the WQE has failed. Pieces follow
// each other into the stage by its interval; the packet goes when the last has left it.
bool Requester::gather(SendQueue& sq) {
  KeyedRange range;
  const Time latency =
      units_.config->clock * static_cast<Time>(units_.config->stages.translation.latency);
  while (next_piece(sq, range)) {
    Mapping mapping;
    const Time out =
        units_.translation->translate(range, sq.came_at, sq.cls, *this, ticket_of(sq), mapping);
    if (out == kForever) {
      leave(sq, SendState::kTranslation);
      return false;
    }
    // What waits in front of the stage keeps the front end from deciding more.
    const Time queued = out - sq.came_at - latency;
    if (queued > 0) gate_ = std::max(gate_, units_.partition->now() + queued);
    sq.gathered_at = std::max(sq.gathered_at, out);
    if (mapping.error != KeyError::kNone) {
      local_error(sq, local_syndrome_of(mapping.error));
      return false;
    }
    use(sq, mapping);
  }
  return true;
}

void Requester::use(SendQueue& sq, const Mapping& mapping) {
  if (sq.at_cursor().is_read()) {
    ++sq.gathered;
    return;
  }
  for (std::uint32_t i = 0; i < mapping.count; ++i) {
    sq.segments.push_back(mapping.segments[i]);
    sq.gathered += mapping.segments[i].bytes;
  }
}

void Requester::translated(std::uint64_t ticket, const Mapping& mapping) {
  SendQueue* sq = find(ticket);
  if (sq == nullptr || sq->state != SendState::kTranslation) return;
  if (sq->abandoned) {
    resume(*sq);
    return;
  }
  sq->lead = 0;
  sq->came_at = std::max(sq->came_at, units_.partition->now());
  sq->gathered_at = std::max(sq->gathered_at, sq->came_at);
  if (mapping.error != KeyError::kNone) {
    local_error(*sq, local_syndrome_of(mapping.error));
    return;
  }
  use(*sq, mapping);
  if (!gather(*sq)) return;
  transmit(*sq);
  if (sq->turn_left > 0) {
    resume(*sq);
  } else {
    end_turn(*sq);
  }
}

void Requester::transmit(SendQueue& sq) {
  const SendWqe& wqe = sq.at_cursor();
  frame_ = sq.qp->headers;
  make_request(wqe, sq.offset, sq.qp->path_mtu, frame_);
  TransmitJob job;
  job.headers = &frame_;
  job.priority = sq.priority;
  job.cls = sq.cls;
  job.segments = sq.segments.data();
  job.count = static_cast<std::uint32_t>(sq.segments.size());
  if (wqe.is_inline && frame_.payload_bytes != 0) {
    job.inlined = units_.partition->packets().payloads.acquire();
    job.inlined->resize(frame_.payload_bytes);
    std::memcpy(job.inlined->data(), wqe.inlined.data() + std::size_t{sq.offset} * sq.qp->path_mtu,
                frame_.payload_bytes);
  }
  job.at = sq.last_at = std::max(sq.last_at, sq.gathered_at);
  job.client = this;
  job.ticket = ticket_of(sq);
  units_.passed(Point::kTranslated, sq.qp->number, job.at);
  units_.transmit->take(job);
  const std::uint32_t line = net::line_bytes(net::frame_bytes(frame_));
  scheduler_.charge(sq.cls, line);
  if (units_.rates != nullptr) units_.rates->sent(sq.qp->slot, RateGate::kRequests, line);
  sq.turn_left -= std::max(frame_.payload_bytes, kLeastCharge);
  sq.step();
  show(sq);
}

// The WQE at the cursor fails once all before it are complete; nothing behind it is sent.
void Requester::local_error(SendQueue& sq, abi::Syndrome syndrome) {
  begin_wqe(sq);
  sq.at_cursor().error = syndrome;
  leave(sq, SendState::kWindow);
  complete_fronts(sq, std::max({sq.last_at, sq.came_at, sq.gathered_at, units_.partition->now()}));
}

void Requester::sent(std::uint64_t ticket, const net::Packet& packet) {
  const net::Frame& frame = packet.frame;
  SendQueue* sq = find(ticket);
  if (sq == nullptr || sq->flushing) return;
  const Time now = units_.partition->now();
  std::uint32_t psns = 1;
  if (net::operation(frame.bth.opcode) == net::Operation::kRdmaReadRequest) {
    const std::uint64_t whole = std::uint64_t{frame.reth.dma_length} + sq->qp->path_mtu - 1;
    psns = std::max(1U, static_cast<std::uint32_t>(whole / sq->qp->path_mtu));
  }
  const bool again = psn::distance(frame.bth.psn, sq->line_psn) < 0;
  (again ? metrics_.packets_again : metrics_.packets).add();
  (again ? metrics_.bytes_again : metrics_.bytes).add(frame.payload_bytes);
  if (!again) sq->line_psn = psn::add(frame.bth.psn, psns);
  if (!again && frame.bth.ack_request && !sq->sampling) {
    sq->sampling = true;
    sq->sample_psn = frame.bth.psn;
    sq->sample_at = now;
  }
  if (sq->outstanding() != 0 && !sq->rnr && !timers_.armed(sq->qp->slot)) restart_timer(*sq);
}

// The transmit path keeps the order: what was not on the line yet begins with this packet.
void Requester::read_failed(std::uint64_t ticket) {
  SendQueue* sq = find(ticket);
  if (sq == nullptr || sq->flushing) return;
  units_.transmit->drop(*this, ticket);
  std::uint32_t place = sq->acknowledged;
  while (place + 1 < sq->begun && psn::distance(sq->wqes[place]->end_psn(), sq->line_psn) <= 0) {
    ++place;
  }
  if (place >= sq->begun) return;
  sq->wqes[place]->error = abi::Syndrome::kLocalQpOperation;
  go_back(*sq);
  complete_fronts(*sq, units_.partition->now());
}

}  // namespace railyard::nic
