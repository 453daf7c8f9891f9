// Where payload goes, and what requests do in order.
#include <algorithm>
#include <cstring>

#include "hw/nic/nak.h"
#include "hw/nic/responder.h"

namespace railyard::nic {

namespace {

/// Of a request that a key does not allow.
Failure failure_of(KeyError error) {
  return {error == KeyError::kMemory ? abi::EventType::kQpCatastrophic
                                     : abi::EventType::kQpAccessError};
}

abi::CqeOpcode completion_opcode(const net::Frame& frame) {
  if (net::is_write(frame.bth.opcode)) return abi::CqeOpcode::kResponderWriteImm;
  return net::has_immediate(frame.bth.opcode) ? abi::CqeOpcode::kResponderSendImm
                                              : abi::CqeOpcode::kResponderSend;
}

}  // namespace

// --- places ---

bool Responder::translate(std::uint32_t index, const KeyedRange& range) {
  Request& request = requests_[index];
  const Time at =
      units_.translation->translate(range, std::max(request.at, units_.partition->now()),
                                    request.cls, *this, index, request.mapping);
  if (at == kForever) {
    ++request.users;
    return false;
  }
  request.at = at;
  return true;
}

void Responder::translated(std::uint64_t ticket, const Mapping& mapping) {
  const auto index = static_cast<std::uint32_t>(ticket);
  Request& request = requests_[index];
  Qp* qp = request.qp;
  request.mapping = mapping;
  request.at = units_.partition->now();
  request.answered = true;
  drop_user(index);
  if (qp != nullptr) run(*qp);
}

/// Of a WRITE of many packets, or a READ: its whole range.
bool Responder::check_key(std::uint32_t index) {
  Request& request = requests_[index];
  const net::Frame& frame = request.packet->frame;
  const bool write = net::is_write(frame.bth.opcode);
  if (frame.reth.dma_length != 0 && !request.answered) {
    KeyedRange range;
    range.key = frame.reth.rkey;
    range.address = frame.reth.virtual_address;
    range.bytes = frame.reth.dma_length;
    range.right = write ? abi::access::kRemoteWrite : abi::access::kRemoteRead;
    range.pd = request.qp->pd;
    if (!translate(index, range)) return false;
  }
  request.answered = false;
  if (const KeyError error = request.mapping.error; error != KeyError::kNone) {
    break_off(index, syndrome_of(error), failure_of(error));
  } else if (write) {
    request.phase = Phase::kPlace;
  } else {
    request.phase = Phase::kOrdered;
    order(index, Act::kRead);
  }
  return true;
}

/// The next piece of a packet's payload: all of a WRITE's, of a SEND's what is in one data segment.
KeyedRange Responder::next_range(const Request& request) const {
  const Qp& qp = *request.qp;
  const ResponderState& state = qp.responder;
  const std::uint32_t left = request.packet->frame.payload_bytes - request.placed;
  const std::uint64_t offset = std::uint64_t{state.offset} + request.placed;
  KeyedRange range;
  range.pd = qp.pd;
  range.bytes = left;
  if (state.message == ResponderState::Message::kWrite) {
    range.key = state.rkey;
    range.address = state.address + offset;
    range.right = abi::access::kRemoteWrite;
    return range;
  }
  range.right = abi::access::kLocalWrite;
  const std::uint8_t* wqe = receive_queues_.wqe(qp);
  std::uint64_t before = 0;
  for (std::uint32_t i = 0; i < ReceiveQueues::segments(qp); ++i) {
    abi::DataSegment segment;
    std::memcpy(&segment, wqe + std::size_t{i} * sizeof(segment), sizeof(segment));
    const std::uint64_t length = ReceiveQueues::length(segment);
    if (offset < before + length) {
      range.key = segment.lkey;
      range.address = segment.address + (offset - before);
      range.bytes =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(left, before + length - offset));
      break;
    }
    before += length;
  }
  return range;
}

bool Responder::place(std::uint32_t index) {
  Request& request = requests_[index];
  const std::uint32_t bytes = request.packet->frame.payload_bytes;
  if (bytes == 0) {
    request.phase = Phase::kOrdered;
    conclude(request);
    order(index, Act::kData);
    return true;
  }
  const KeyedRange range = next_range(request);
  if (!request.answered && !translate(index, range)) return false;
  request.answered = false;
  if (const KeyError error = request.mapping.error; error != KeyError::kNone) {
    if (request.qp->responder.message == ResponderState::Message::kWrite) {
      break_off(index, syndrome_of(error), failure_of(error));
    } else {
      break_off(index, nak::kRemoteOperation,
                {abi::EventType::kCompletion, abi::Syndrome::kLocalProtection});
    }
    return true;
  }
  if (request.placed + range.bytes == bytes) {
    request.phase = Phase::kOrdered;
    conclude(request);
  }
  order_writes(index, range.bytes);
  return true;
}

/// All of the packet has its place.
void Responder::conclude(Request& request) {
  Qp& qp = *request.qp;
  ResponderState& state = qp.responder;
  const net::Frame& frame = request.packet->frame;
  request.act = Act::kData;
  state.offset += frame.payload_bytes;
  if (!net::ends_message(frame.bth.opcode)) return;
  state.message = ResponderState::Message::kNone;
  request.byte_count = state.offset;
  if (!net::is_send(frame.bth.opcode) && !net::has_immediate(frame.bth.opcode)) return;
  request.completes = true;
  request.wqe = receive_queues_.take(qp);
}

// --- steps ---

void Responder::order_writes(std::uint32_t index, std::uint32_t bytes) {
  Request& request = requests_[index];
  OrderedStep step;
  step.request = index;
  step.write = true;
  step.relaxed = request.mapping.relaxed;
  step.cls = request.cls;
  step.at = request.at;
  const bool last_piece = request.phase == Phase::kOrdered;
  std::uint32_t left = bytes;
  for (std::uint32_t i = 0; i < request.mapping.count && left != 0; ++i) {
    step.address = request.mapping.segments[i].address;
    step.bytes = std::min(left, request.mapping.segments[i].bytes);
    step.offset = request.placed;
    left -= step.bytes;
    step.last = last_piece && left == 0;
    request.placed += step.bytes;
    ++request.users;
    steps_.push(step);
  }
}

void Responder::order(std::uint32_t index, Act act) {
  Request& request = requests_[index];
  request.act = act;
  ++request.users;
  OrderedStep step;
  step.request = index;
  step.last = true;
  step.cls = request.cls;
  step.at = request.at;
  steps_.push(step);
}

void Responder::refuse(std::uint32_t index, std::uint8_t syndrome, std::uint32_t psn) {
  requests_[index].syndrome = syndrome;
  requests_[index].psn = psn;
  order(index, Act::kRefuse);
}

void Responder::break_off(std::uint32_t index, std::uint8_t syndrome, Failure failure) {
  Request& request = requests_[index];
  request.qp->responder.broken = true;
  request.phase = Phase::kOrdered;
  request.syndrome = syndrome;
  request.psn = request.packet->frame.bth.psn;
  request.failure = failure;
  order(index, Act::kBreak);
}

void Responder::carry_out(const OrderedStep& step) {
  Request& request = requests_[step.request];
  if (step.write && request.qp == nullptr) {
    steps_.written(step.bytes);
  } else if (step.write) {
    DmaWrite write;
    write.use = DmaUse::kPayload;
    write.address = step.address;
    write.bytes = step.bytes;
    write.payload = request.packet->payload;
    write.payload_offset = step.offset;
    write.relaxed = step.relaxed;
    write.ticket = std::uint64_t{step.bytes} << 32 | step.request;
    ++request.users;
    units_.dma->write(write, this);
  }
  if (step.last && request.qp != nullptr) finish(request);
  drop_user(step.request);
}

void Responder::dma_done(std::uint64_t ticket, pcie::Status /*status*/,
                         Ref<net::Payload> /*payload*/) {
  drop_user(static_cast<std::uint32_t>(ticket));
  steps_.written(static_cast<std::uint32_t>(ticket >> 32));
}

void Responder::finish(const Request& request) {
  Qp& qp = *request.qp;
  ResponderState& state = qp.responder;
  switch (request.act) {
    case Act::kData:
      finish_data(request);
      break;
    case Act::kAcknowledge:
      acknowledger_.acknowledge(qp);
      break;
    case Act::kRefuse:
      acknowledger_.refuse(qp, request.syndrome, request.psn, false);
      break;
    case Act::kBreak:
      state.failure = request.failure;
      acknowledger_.refuse(qp, request.syndrome, request.psn, true);
      break;
    case Act::kRead: {
      const net::Frame& frame = request.packet->frame;
      if (!request.again) {
        --state.reads_coming;
        state.ack.psn = request.psn;
        state.ack.msn = request.msn;
      }
      reads_.add(qp,
                 {frame.bth.psn, request.msn, frame.reth.virtual_address, frame.reth.rkey,
                  frame.reth.dma_length, request.at},
                 request.mapping, request.again);
      break;
    }
    default:
      break;
  }
}

void Responder::finish_data(const Request& request) {
  Qp& qp = *request.qp;
  AckState& ack = qp.responder.ack;
  const net::Frame& frame = request.packet->frame;
  const Time now = units_.partition->now();
  units_.passed(Point::kWritten, qp.number, now);
  if (units_.deliveries != nullptr) {
    units_.deliveries->delivered(qp.number, frame.payload_bytes, now);
  }
  ack.psn = request.psn;
  ack.msn = request.msn;
  if (request.completes) {
    Completion completion;
    completion.cq = qp.receive.cq;
    completion.qp = qp.number;
    completion.opcode = completion_opcode(frame);
    completion.wqe_counter = request.wqe;
    completion.byte_count = request.byte_count;
    completion.immediate = net::has_immediate(frame.bth.opcode) ? frame.immediate.value : 0;
    completion.solicited = frame.bth.solicited_event;
    completion.cls = request.cls;
    ++qp.responder.receive.completed;
    units_.completions->complete(completion, now);
  }
  ++ack.since;
  const std::uint32_t every = units_.config->receive.ack_every;
  if (frame.bth.ack_request || (every != 0 && ack.since >= every)) acknowledger_.acknowledge(qp);
}

void Responder::drop_user(std::uint32_t index) {
  Request& request = requests_[index];
  if (--request.users != 0) return;
  const Ref<net::Packet> packet = std::move(request.packet);
  requests_.release(index);
  units_.receive_buffer->release(*packet);
}

// --- how a queue pair ends ---

void Responder::forget(Qp& qp) {
  for (std::uint32_t i = 0; i < requests_.capacity(); ++i) {
    if (requests_[i].qp == &qp) requests_[i].qp = nullptr;
  }
  RecordList& waiting = qp.responder.waiting;
  while (waiting.size != 0) drop_user(requests_.pop(waiting));
  update_stall(qp);
  qp.responder.reads_coming = 0;
  reads_.reset(qp);
  acknowledger_.stop(qp);
}

void Responder::receive_queue_failed(Qp& qp) {
  ResponderState& state = qp.responder;
  if (state.broken) return;
  state.broken = true;
  state.failure = {abi::EventType::kQpCatastrophic};
  if (state.waiting.size == 0) {
    units_.control->fail(qp, abi::EventType::kQpCatastrophic);
    return;
  }
  const std::uint32_t psn = requests_[state.waiting.head].packet->frame.bth.psn;
  acknowledger_.refuse(qp, nak::kRemoteOperation, psn, true);
}

void Responder::read_broken(Qp& qp, std::uint8_t syndrome, std::uint32_t psn) {
  qp.responder.broken = true;
  qp.responder.failure = {syndrome == nak::kRemoteAccess ? abi::EventType::kQpAccessError
                                                         : abi::EventType::kQpCatastrophic};
  acknowledger_.refuse(qp, syndrome, psn, true);
}

/// The NAK that says so is made.
void Responder::broken(Qp& qp) {
  const Failure failure = qp.responder.failure;
  if (failure.completion != abi::Syndrome::kNone) {
    Completion completion;
    completion.cq = qp.receive.cq;
    completion.qp = qp.number;
    completion.opcode = abi::CqeOpcode::kResponderError;
    completion.syndrome = failure.completion;
    completion.wqe_counter = qp.responder.receive.completed++;
    completion.cls = units_.class_of(qp.priority());
    units_.completions->complete(completion, units_.partition->now());
  }
  units_.control->fail(qp, failure.event);
}

}  // namespace railyard::nic
