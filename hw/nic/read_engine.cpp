#include "hw/nic/read_engine.h"

#include <algorithm>

#include "hw/nic/nak.h"

namespace railyard::nic {

namespace {

net::Opcode response_opcode(bool first, bool last) {
  if (first) {
    return last ? net::Opcode::kRcRdmaReadResponseOnly : net::Opcode::kRcRdmaReadResponseFirst;
  }
  return last ? net::Opcode::kRcRdmaReadResponseLast : net::Opcode::kRcRdmaReadResponseMiddle;
}

}  // namespace

ReadEngine::ReadEngine(Units& units, ReadEngineClient& client) : units_(units), client_(client) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".responder.";
  statistics.add(responses_, {p + "read_responses", "packets", "READ responses made"});
  statistics.add(bytes_, {p + "read_bytes", "bytes", "Payload bytes of these"});
  statistics.add(cut_, {p + "reads_cut", "requests",
                        "READs not answered in full, for the requester asked again"});
  if (units.rates != nullptr) units.rates->set_client(RateGate::kResponses, *this);
}

ReadEngine::~ReadEngine() = default;

void ReadEngine::add(Qp& qp, const ReadRequest& request, const Mapping& mapping, bool again) {
  if (!heard_) {
    heard_ = true;
    units_.transmit->add_room_client(*this);
  }
  if (again) cut(qp, request.psn);
  const std::uint32_t index = reads_.acquire();
  Read& read = reads_[index];
  read.qp = &qp;
  read.request = request;
  read.mtu = qp.path_mtu;
  read.whole = packets_of(request.bytes, qp.path_mtu);
  read.planned = read.whole;
  read.again = again;
  if (!again) ++qp.responder.reads.first_time;
  if (request.bytes <= qp.path_mtu) {
    read.mapping = mapping;
    read.mapped = true;
  }
  ReadState& state = qp.responder.reads;
  reads_.push(state.list, index);
  if (state.making == RecordList::kNone) state.making = index;
  if (again) retire(qp);
  line_up(qp);
}

std::uint32_t ReadEngine::next_bytes(const Read& read) const {
  return std::min(read.mtu, read.request.bytes - read.made * read.mtu);
}

void ReadEngine::line_up(Qp& qp) {
  ReadState& state = qp.responder.reads;
  if (state.in_turn || state.held) return;
  const bool can = state.making != RecordList::kNone && !reads_[state.making].translating &&
                   !reads_[state.making].broken;
  if (!can) return leave_rates(qp);
  state.in_turn = true;
  turns_[qp.priority()].push(&qp);
  if (turns_[qp.priority()].size() == 1) serve(qp.priority());
}

void ReadEngine::serve(std::uint8_t priority) {
  Ring<Qp*>& turns = turns_[priority];
  while (!turns.empty()) {
    Qp& qp = *turns.front();
    const Read& read = reads_[qp.responder.reads.making];
    if (!units_.transmit->room(priority, next_bytes(read))) return;
    turns.pop();
    qp.responder.reads.in_turn = false;
    if (!rate_allows(qp)) continue;
    make(qp);
    if (qp.responder.reads.making == RecordList::kNone) continue;
    const Read& next = reads_[qp.responder.reads.making];
    if (next.translating || next.broken) continue;
    qp.responder.reads.in_turn = true;
    turns.push(&qp);
  }
}

bool ReadEngine::rate_allows(Qp& qp) {
  if (units_.rates == nullptr || units_.rates->allows(qp.slot, RateGate::kResponses)) return true;
  qp.responder.reads.held = true;
  return false;
}

void ReadEngine::leave_rates(const Qp& qp) {
  if (units_.rates != nullptr) units_.rates->leave(qp.slot, RateGate::kResponses);
}

void ReadEngine::may_send(std::uint32_t slot) {
  Qp& qp = units_.qps->in_slot(slot);
  qp.responder.reads.held = false;
  line_up(qp);
}

void ReadEngine::make(Qp& qp) {
  const std::uint32_t index = qp.responder.reads.making;
  Read& read = reads_[index];
  if (!read.mapped && !map(read, index)) {
    leave_rates(qp);
    return;
  }
  send(read);
  read.mapped = false;
  next_read(qp);
}

bool ReadEngine::map(Read& read, std::uint32_t index) {
  const Qp& qp = *read.qp;
  KeyedRange range;
  range.key = read.request.rkey;
  range.address = read.request.address + std::uint64_t{read.made} * read.mtu;
  range.bytes = next_bytes(read);
  range.right = abi::access::kRemoteRead;
  range.pd = qp.pd;
  const Time at =
      units_.translation->translate(range, std::max(units_.partition->now(), read.request.at),
                                    units_.class_of(qp.priority()), *this, index, read.mapping);
  if (at == kForever) {
    read.translating = true;
    return false;
  }
  read.mapped_at = std::max(read.mapped_at, at);
  if (read.mapping.error != KeyError::kNone) {
    map_failed(read, read.mapping.error);
    return false;
  }
  read.mapped = true;
  return true;
}

void ReadEngine::translated(std::uint64_t ticket, const Mapping& mapping) {
  const auto index = static_cast<std::uint32_t>(ticket);
  Read& read = reads_[index];
  read.translating = false;
  if (read.qp == nullptr) {
    reads_.release(index);
    return;
  }
  Qp& qp = *read.qp;
  if (read.made == read.planned) {  // cut meanwhile
    next_read(qp);
    retire(qp);
    line_up(qp);
    return;
  }
  read.mapped_at = units_.partition->now();
  read.mapping = mapping;
  if (mapping.error != KeyError::kNone) {
    map_failed(read, mapping.error);
    return;
  }
  read.mapped = true;
  line_up(qp);
}

// What is made goes out before the NAK that follows it.
void ReadEngine::map_failed(Read& read, KeyError error) {
  read.broken = true;
  read.syndrome = syndrome_of(error);
  retire(*read.qp);
}

void ReadEngine::send(Read& read) {
  const Qp& qp = *read.qp;
  const bool first = read.made == 0;
  const bool last = read.made + 1 == read.whole;
  headers_ = qp.headers;
  headers_.bth.opcode = response_opcode(first, last);
  headers_.bth.solicited_event = false;
  headers_.bth.ack_request = false;
  headers_.bth.psn = psn::add(read.request.psn, read.made);
  headers_.payload_bytes = next_bytes(read);
  headers_.aeth = {nak::kAck, read.request.msn};
  TransmitJob job;
  job.headers = &headers_;
  job.priority = qp.priority();
  job.cls = units_.class_of(qp.priority());
  job.segments = read.mapping.segments;
  job.count = headers_.payload_bytes == 0 ? 0 : read.mapping.count;
  job.at = std::max({units_.partition->now(), read.request.at, read.mapped_at});
  job.client = this;
  job.ticket = qp.slot;
  ++read.made;
  responses_.add();
  bytes_.add(headers_.payload_bytes);
  units_.transmit->take(job);
  if (units_.rates == nullptr) return;
  const std::uint32_t line = net::line_bytes(net::frame_bytes(headers_));
  units_.rates->sent(qp.slot, RateGate::kResponses, line);
}

/// The first READ that is not made as far as planned.
void ReadEngine::next_read(Qp& qp) {
  std::uint32_t& making = qp.responder.reads.making;
  while (making != RecordList::kNone) {
    const Read& read = reads_[making];
    if (read.made != read.planned || read.translating) return;
    making = read.next;
  }
}

/// Takes READs away whose responses are all on the line.
void ReadEngine::retire(Qp& qp) {
  ReadState& state = qp.responder.reads;
  while (state.list.size != 0) {
    Read& read = reads_[state.list.head];
    if (read.translating) return;
    if (read.broken && read.sent == read.made) {
      const std::uint32_t psn = psn::add(read.request.psn, read.made);
      const std::uint8_t syndrome = read.syndrome;
      reset(qp);
      client_.read_broken(qp, syndrome, psn);
      return;
    }
    if (read.broken || read.made != read.planned || read.sent != read.made) return;
    if (!read.again) --state.first_time;
    reads_.release(reads_.pop(state.list));
  }
  client_.reads_done(qp);
}

void ReadEngine::sent(std::uint64_t ticket, const net::Packet& /*packet*/) {
  Qp& qp = units_.qps->in_slot(static_cast<std::uint32_t>(ticket));
  // The first of which a packet is under way: those before it are cut, and wait for a translation.
  std::uint32_t index = qp.responder.reads.list.head;
  while (reads_[index].sent == reads_[index].made) index = reads_[index].next;
  ++reads_[index].sent;
  retire(qp);
}

void ReadEngine::read_failed(std::uint64_t ticket) {
  Qp& qp = units_.qps->in_slot(static_cast<std::uint32_t>(ticket));
  std::uint32_t index = qp.responder.reads.list.head;
  while (reads_[index].sent == reads_[index].made) index = reads_[index].next;
  const std::uint32_t psn = psn::add(reads_[index].request.psn, reads_[index].sent);
  reset(qp);
  client_.read_broken(qp, nak::kRemoteOperation, psn);
}

void ReadEngine::cut(Qp& qp, std::uint32_t psn) {
  ReadState& state = qp.responder.reads;
  bool any = false;
  for (std::uint32_t i = state.list.head; i != RecordList::kNone; i = reads_[i].next) {
    Read& read = reads_[i];
    const std::int32_t before = std::max(0, psn::distance(psn, read.request.psn));
    const std::uint32_t planned =
        std::max(read.made, std::min(read.planned, static_cast<std::uint32_t>(before)));
    if (planned == read.planned) continue;
    read.planned = planned;
    read.broken = false;
    cut_.add();
    any = true;
  }
  if (!any) return;
  next_read(qp);
  if (state.making == RecordList::kNone) leave_turn(qp);
}

void ReadEngine::leave_turn(Qp& qp) {
  qp.responder.reads.held = false;
  leave_rates(qp);
  if (!qp.responder.reads.in_turn) return;
  qp.responder.reads.in_turn = false;
  Ring<Qp*>& turns = turns_[qp.priority()];
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i] != &qp) continue;
    turns.take(i);
    return;
  }
}

void ReadEngine::reset(Qp& qp) {
  ReadState& state = qp.responder.reads;
  if (state.list.size != 0) units_.transmit->drop(*this, qp.slot);
  while (state.list.size != 0) {
    const std::uint32_t index = reads_.pop(state.list);
    if (reads_[index].translating) {
      reads_[index].qp = nullptr;
    } else {
      reads_.release(index);
    }
  }
  state.making = RecordList::kNone;
  state.first_time = 0;
  leave_turn(qp);
}

}  // namespace railyard::nic
