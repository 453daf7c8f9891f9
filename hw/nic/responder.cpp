// Which request packets are carried out.
#include "hw/nic/responder.h"

#include <algorithm>
#include <utility>

#include "hw/nic/nak.h"
#include "hw/nic/request_check.h"

namespace railyard::nic {

namespace {

bool is_read(const net::Frame& frame) {
  return net::operation(frame.bth.opcode) == net::Operation::kRdmaReadRequest;
}

/// A SEND with its first packet, a WRITE with immediate with its last.
bool needs_wqe(const net::Frame& frame) {
  const net::Opcode opcode = frame.bth.opcode;
  return (net::is_send(opcode) && net::starts_message(opcode)) ||
         (net::is_write(opcode) && net::has_immediate(opcode));
}

}  // namespace

Responder::Responder(Units& units)
    : units_(units),
      transport_(units.partition->statistics(), units.name + ".responder.transport",
                 units.config->stages.transport, units.config->clock, units.classes(),
                 {Cause::kReceiveQueue, Cause::kKeyMiss}, "Request packets checked"),
      steps_(units, *this),
      receive_queues_(units, *this),
      reads_(units, *this),
      acknowledger_(units, *this) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".responder.";
  statistics.add(sends_, {p + "sends", "packets", "Packets of SENDs carried out"});
  statistics.add(writes_, {p + "writes", "packets", "Packets of RDMA WRITEs carried out"});
  statistics.add(read_requests_, {p + "read_requests", "packets", "READ requests carried out"});
  statistics.add(payload_bytes_, {p + "payload_bytes", "bytes", "Payload of SENDs and WRITEs"});
  statistics.add(duplicates_, {p + "duplicates", "packets", "Packets that had come before"});
  statistics.add(out_of_sequence_,
                 {p + "out_of_sequence", "packets", "Packets before which others are missing"});
  statistics.add(dropped_, {p + "dropped", "packets", "Packets of queue pairs that broke"});
  for (std::uint32_t i = 0; i < kProbed; ++i) {
    constexpr std::uint32_t kPsnBits = 24;
    units.partition->probes().add(expected_psn_[i], {p + "qp" + std::to_string(i) + ".expected_psn",
                                                     ProbeKind::kUnsigned,
                                                     kPsnBits,
                                                     "",
                                                     "PSN that is expected, by slot",
                                                     {}});
  }
}

Responder::~Responder() = default;

void Responder::ready(Qp& qp) {
  ResponderState& state = qp.responder;
  state.msn = 0;
  state.ack.psn = psn::add(state.expected_psn, psn::kMask);
  state.ack.msn = 0;
  if (qp.slot < kProbed) expected_psn_[qp.slot].set(state.expected_psn, units_.partition->now());
  receive_queues_.start(qp);
}

void Responder::flush(Qp& qp) {
  forget(qp);
  qp.responder.broken = true;
  receive_queues_.flush(qp);
}

void Responder::reset(Qp& qp) {
  forget(qp);
  acknowledger_.reset(qp);
  receive_queues_.reset(qp);
  qp.responder = ResponderState();
}

void Responder::take(ReceivedPacket packet) {
  Qp& qp = *packet.qp;
  if (!qp.receives() || qp.responder.broken) {
    dropped_.add();
    units_.receive_buffer->release(*packet.packet);
    return;
  }
  const std::uint32_t index = requests_.acquire();
  Request& request = requests_[index];
  request.users = 1;
  request.packet = std::move(packet.packet);
  request.qp = &qp;
  request.at = packet.at;
  request.cls = static_cast<std::uint8_t>(
      units_.class_of(static_cast<std::uint8_t>(request.packet->frame.dscp() >> 3)));
  requests_.push(qp.responder.waiting, index);
  if (qp.responder.waiting.size == 1) {
    run(qp);
  } else {
    update_stall(qp);
  }
}

void Responder::run(Qp& qp) {
  RecordList& waiting = qp.responder.waiting;
  while (waiting.size != 0 && advance(waiting.head)) drop_user(requests_.pop(waiting));
  update_stall(qp);
}

bool Responder::advance(std::uint32_t index) {
  const Request& request = requests_[index];
  while (request.phase != Phase::kOrdered) {
    const bool goes_on = request.phase == Phase::kArrived    ? arrive(index)
                         : request.phase == Phase::kCheckKey ? check_key(index)
                                                             : place(index);
    if (!goes_on) return false;
  }
  return true;
}

bool Responder::arrive(std::uint32_t index) {
  Request& request = requests_[index];
  const ResponderState& state = request.qp->responder;
  if (state.broken) {
    dropped_.add();
    request.phase = Phase::kOrdered;
    return true;
  }
  const std::int32_t distance = psn::distance(request.packet->frame.bth.psn, state.expected_psn);
  if (distance == 0) return take_expected(index);
  pass(request);
  if (distance < 0) {
    take_duplicate(index);
  } else {
    take_ahead(index);
  }
  return true;
}

void Responder::take_ahead(std::uint32_t index) {
  Request& request = requests_[index];
  ResponderState& state = request.qp->responder;
  out_of_sequence_.add();
  request.phase = Phase::kOrdered;
  if (state.nak_sent) return;
  state.nak_sent = true;
  refuse(index, nak::kSequence, state.expected_psn);
}

void Responder::take_duplicate(std::uint32_t index) {
  Request& request = requests_[index];
  const Qp& qp = *request.qp;
  const net::Frame& frame = request.packet->frame;
  duplicates_.add();
  request.again = true;
  request.phase = Phase::kOrdered;
  if (net::is_atomic(frame.bth.opcode)) return;
  if (!is_read(frame)) {
    order(index, Act::kAcknowledge);
    return;
  }
  // One that goes on into what is still expected was never asked so.
  const std::uint32_t packets = packets_of(frame.reth.dma_length, qp.path_mtu);
  const std::int32_t last =
      psn::distance(psn::add(frame.bth.psn, packets - 1), qp.responder.expected_psn);
  const bool too_many = ReadEngine::outstanding(qp) >= 2U * qp.max_dest_reads;
  if (last >= 0 || too_many || frame.reth.dma_length > abi::kMaxMessage) return;
  request.msn = qp.responder.msn;
  begin_read(index);
}

bool Responder::take_expected(std::uint32_t index) {
  Request& request = requests_[index];
  const Qp& qp = *request.qp;
  const net::Frame& frame = request.packet->frame;
  ResponderState& state = request.qp->responder;
  if (!is_valid_request(frame, qp)) {
    pass(request);
    break_off(index, nak::kInvalidRequest, {abi::EventType::kQpInvalidRequest});
    return true;
  }
  if (needs_wqe(frame)) {
    if (!supply_wqe(index)) return false;
    if (request.phase == Phase::kOrdered) return true;
  }
  pass(request);
  state.nak_sent = false;
  request.phase = Phase::kPlace;
  if (is_read(frame)) {
    if (ReadEngine::bounded(qp) + state.reads_coming >= qp.max_dest_reads) {
      break_off(index, nak::kInvalidRequest, {abi::EventType::kQpInvalidRequest});
      return true;
    }
    begin_read(index);
  } else if (net::is_send(frame.bth.opcode)) {
    begin_send(index);
  } else {
    begin_write(index);
  }
  if (!state.broken) expect_next(request);
  return true;
}

/// False: it waits for the receive queue to be read. There is none: it is refused.
bool Responder::supply_wqe(std::uint32_t index) {
  Request& request = requests_[index];
  Qp& qp = *request.qp;
  switch (receive_queues_.want(qp)) {
    case ReceiveQueues::Supply::kReady:
      return true;
    case ReceiveQueues::Supply::kWait:
      return false;
    default:
      break;
  }
  pass(request);
  qp.responder.nak_sent = true;  // what follows is silently dropped
  request.phase = Phase::kOrdered;
  refuse(index, static_cast<std::uint8_t>(nak::kRnr | (qp.min_rnr_timer & 0x1FU)),
         request.packet->frame.bth.psn);
  return true;
}

void Responder::begin_send(std::uint32_t index) {
  const Request& request = requests_[index];
  ResponderState& state = request.qp->responder;
  const net::Frame& frame = request.packet->frame;
  if (net::starts_message(frame.bth.opcode)) state.offset = 0;
  state.message = ResponderState::Message::kSend;
  if (std::uint64_t{state.offset} + frame.payload_bytes > receive_queues_.room(*request.qp)) {
    break_off(index, nak::kInvalidRequest,
              {abi::EventType::kCompletion, abi::Syndrome::kLocalLength});
  }
}

void Responder::begin_write(std::uint32_t index) {
  Request& request = requests_[index];
  const Qp& qp = *request.qp;
  ResponderState& state = request.qp->responder;
  const net::Frame& frame = request.packet->frame;
  state.message = ResponderState::Message::kWrite;
  if (!net::starts_message(frame.bth.opcode)) return;
  state.offset = 0;
  state.length = frame.reth.dma_length;
  state.address = frame.reth.virtual_address;
  state.rkey = frame.reth.rkey;
  if ((qp.access & abi::access::kRemoteWrite) == 0) {
    break_off(index, nak::kRemoteAccess, {abi::EventType::kQpAccessError});
  } else if (state.length > frame.payload_bytes) {
    request.phase = Phase::kCheckKey;
  }
}

void Responder::begin_read(std::uint32_t index) {
  Request& request = requests_[index];
  if ((request.qp->access & abi::access::kRemoteRead) == 0) {
    break_off(index, nak::kRemoteAccess, {abi::EventType::kQpAccessError});
    return;
  }
  request.phase = Phase::kCheckKey;
}

void Responder::expect_next(Request& request) {
  const Qp& qp = *request.qp;
  ResponderState& state = request.qp->responder;
  const net::Frame& frame = request.packet->frame;
  count(frame);
  const std::uint32_t packets = is_read(frame) ? packets_of(frame.reth.dma_length, qp.path_mtu) : 1;
  request.psn = psn::add(state.expected_psn, packets - 1);
  state.expected_psn = psn::add(request.psn, 1);
  if (net::ends_message(frame.bth.opcode)) state.msn = psn::add(state.msn, 1);
  request.msn = state.msn;
  if (is_read(frame)) ++state.reads_coming;
  if (qp.slot < kProbed) expected_psn_[qp.slot].set(state.expected_psn, units_.partition->now());
}

void Responder::count(const net::Frame& frame) {
  if (is_read(frame)) {
    read_requests_.add();
  } else {
    (net::is_send(frame.bth.opcode) ? sends_ : writes_).add();
    payload_bytes_.add(frame.payload_bytes);
  }
}

void Responder::pass(Request& request) {
  const Time now = units_.partition->now();
  request.at = transport_.pass(std::max(request.at, now), request.cls);
  if (stalled_[1] + stalled_[2] != 0) block();
  units_.passed(Point::kTransport, request.qp->number, request.at);
}

void Responder::update_stall(Qp& qp) {
  ResponderState& state = qp.responder;
  Stall stall = Stall::kNone;
  if (state.waiting.size != 0) {
    if (requests_[state.waiting.head].phase == Phase::kArrived) {
      stall = Stall::kReceiveQueue;
    } else if (state.waiting.size > 1) {
      stall = Stall::kKeyMiss;  // the first has passed the stage, and those behind it cannot
    }
    stalled_class_ = requests_[state.waiting.tail].cls;
  }
  if (static_cast<std::uint8_t>(stall) == state.stall) return;
  if (state.stall != 0) --stalled_[state.stall];
  state.stall = static_cast<std::uint8_t>(stall);
  if (state.stall != 0) ++stalled_[state.stall];
  block();
}

void Responder::block() {
  const Time now = units_.partition->now();
  if (stalled_[static_cast<std::size_t>(Stall::kReceiveQueue)] != 0) {
    transport_.block(Cause::kReceiveQueue, stalled_class_, now);
  } else if (stalled_[static_cast<std::size_t>(Stall::kKeyMiss)] != 0) {
    transport_.block(Cause::kKeyMiss, stalled_class_, now);
  } else {
    transport_.unblock(now);
  }
}

}  // namespace railyard::nic
