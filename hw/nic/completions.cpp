#include "hw/nic/completions.h"

#include <cstring>

namespace railyard::nic {

namespace {

bool is_error(const Completion& completion) {
  return completion.opcode == abi::CqeOpcode::kRequesterError ||
         completion.opcode == abi::CqeOpcode::kResponderError;
}

abi::Cqe cqe_of(const Completion& c, unsigned owner, std::uint64_t cycles) {
  abi::Cqe cqe;
  cqe.immediate = c.immediate;
  cqe.byte_count = c.byte_count;
  cqe.timestamp = is_error(c) ? static_cast<std::uint64_t>(c.syndrome) : cycles;
  cqe.opcode_qpn = static_cast<std::uint32_t>(c.wqe_opcode) << 24 | (c.qp & 0xFF'FFFFU);
  cqe.wqe_counter = c.wqe_counter;
  cqe.opcode_owner = static_cast<abi::Byte>(static_cast<unsigned>(c.opcode) << 4 |
                                            (c.solicited ? 2U : 0U) | owner);
  return cqe;
}

}  // namespace

Completions::Completions(Units& units)
    : units_(units),
      events_(units),
      stage_(units.partition->statistics(), units.name + ".completion",
             units.config->stages.completion, units.config->clock, units.classes(),
             {Cause::kMemory}, "Completions made"),
      due_(Event::of<&Completions::write_due>(
          *this, units.partition->endpoint(units.name + ".completion"), Phase::kAct)),
      timers_(units.partition->endpoint(units.name + ".completion.moderation")),
      cqs_(units.config->limits.cqs) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".completion.";
  statistics.add(written_, {p + "entries", "entries", "CQEs written"});
  statistics.add(errors_, {p + "errors", "entries", "Those that tell of an error"});
  statistics.add(overruns_, {p + "overruns", "queues", "CQs that were overrun, and are dead"});
  statistics.add(lost_, {p + "lost", "entries", "CQEs that had no queue, or an overrun one"});
  statistics.add(record_reads_, {p + "record_reads", "reads", "Doorbell records read"});
  statistics.add(completion_events_, {p + "events", "events", "Events of armed CQs"});
}

void Completions::create_eq(std::uint32_t number, const EqShape& shape) {
  events_.create(number, shape);
}

void Completions::destroy_eq(std::uint32_t number) { events_.destroy(number); }

void Completions::consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm) {
  events_.consume(number, consumer, arm);
}

void Completions::create_cq(std::uint32_t number, const CqShape& shape) {
  destroy_cq(number);
  cqs_[number] = std::make_unique<Cq>(*this, timers_);
  Cq& cq = *cqs_[number];
  cq.shape = shape;
  cq.moderation.time = shape.moderation;
  cq.moderation.count = shape.moderation_count;
  cq.number = number;
  cq.serial = ++serials_;
}

void Completions::modify_cq(std::uint32_t number, Time moderation, std::uint32_t moderation_count) {
  Cq& cq = *cqs_[number];
  cq.moderation.time = moderation;
  cq.moderation.count = moderation_count;
  units_.partition->scheduler().cancel(cq.timer);
  check(cq);
}

void Completions::destroy_cq(std::uint32_t number) {
  if (!cqs_[number]) return;
  units_.partition->scheduler().cancel(cqs_[number]->timer);
  if (!cqs_[number]->waiting.empty()) wait_is_over(*cqs_[number]);
  cqs_[number].reset();
}

void Completions::arm_cq(std::uint32_t number, std::uint32_t word) {
  Cq& cq = *cqs_[number];
  cq.armed = (word & abi::kCqArmSolicited) != 0 ? Armed::kSolicited : Armed::kNext;
  // 24 bits, continued to the 32 of the producer.
  cq.armed_from = cq.producer - ((cq.producer - word) & abi::kConsumerMask);
  check(cq);
}

void Completions::event(abi::EventType type, std::uint32_t qp) { events_.post(0, type, qp); }

Completions::Cq* Completions::living(std::uint32_t number, std::uint32_t serial) {
  Cq* cq = number < cqs_.size() ? cqs_[number].get() : nullptr;
  return cq != nullptr && cq->serial == serial ? cq : nullptr;
}

void Completions::complete(const Completion& completion, Time at) {
  const Cq* cq = completion.cq < cqs_.size() ? cqs_[completion.cq].get() : nullptr;
  if (cq == nullptr) {
    lost_.add();
    return;
  }
  const Time written = stage_.pass(at, completion.cls);
  if (reading_ != 0) stage_.block(Cause::kMemory, completion.cls, units_.partition->now());
  pending_.push({written, cq->serial, completion});
  if (!due_.pending()) units_.partition->scheduler().schedule(due_, pending_.front().at);
}

void Completions::write_due() {
  const Time now = units_.partition->now();
  while (!pending_.empty() && pending_.front().at <= now) {
    const Pending due = pending_.pop();
    Cq* cq = living(due.completion.cq, due.serial);
    if (cq == nullptr) {
      lost_.add();
    } else if (cq->dead) {
      lose(due.completion);
    } else {
      take(*cq, due.completion);
    }
  }
  if (!pending_.empty()) units_.partition->scheduler().schedule(due_, pending_.front().at);
}

void Completions::take(Cq& cq, const Completion& completion) {
  const bool first = cq.waiting.empty();
  if (first && !full(cq)) {
    write(cq, completion);
    return;
  }
  cq.waiting.push(completion);
  if (!first) return;
  ++reading_;
  stage_.block(Cause::kMemory, completion.cls, units_.partition->now());
  read_consumer(cq);
}

void Completions::read_consumer(Cq& cq) {
  record_reads_.add();
  units_.dma->read({DmaUse::kRecord, cq.shape.doorbell_record, sizeof(abi::Be32),
                    std::uint64_t{cq.serial} << 32 | cq.number},
                   *this);
}

void Completions::dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) {
  Cq* found = living(static_cast<std::uint32_t>(ticket), static_cast<std::uint32_t>(ticket >> 32));
  if (found == nullptr) return;
  Cq& cq = *found;
  if (status == pcie::Status::kSuccess && payload && payload->size() >= sizeof(abi::Be32)) {
    abi::Be32 consumer;
    std::memcpy(&consumer, payload->data(), sizeof(consumer));
    // An index beyond what was written is garbage, and ignored.
    const std::uint32_t more = (consumer - cq.consumer) & abi::kConsumerMask;
    if (more <= cq.producer - cq.consumer) cq.consumer += more;
  }
  if (full(cq)) {
    overrun(cq);
    return;
  }
  while (!cq.waiting.empty() && !full(cq)) {
    // It leaves the queue last: check() may look at the queue meanwhile.
    write(cq, cq.waiting.front());
    cq.waiting.pop();
  }
  if (cq.waiting.empty()) {
    wait_is_over(cq);
  } else {
    read_consumer(cq);
  }
}

void Completions::wait_is_over(Cq& cq) {
  if (--reading_ == 0) stage_.unblock(units_.partition->now());
  while (!cq.waiting.empty()) lose(cq.waiting.pop());
}

// Who completes into a queue that is dead is broken: software would wait for it for ever.
void Completions::lose(const Completion& completion) {
  lost_.add();
  if (units_.control == nullptr) return;
  Qp* qp = units_.qps->find(completion.qp);
  if (qp == nullptr || (qp->send.cq != completion.cq && qp->receive.cq != completion.cq)) return;
  units_.control->fail(*qp, abi::EventType::kQpCatastrophic);
}

void Completions::overrun(Cq& cq) {
  cq.dead = true;
  overruns_.add();
  units_.partition->scheduler().cancel(cq.timer);
  event(abi::EventType::kCqError, cq.number);
  wait_is_over(cq);
}

void Completions::write(Cq& cq, const Completion& completion) {
  const Time now = units_.partition->now();
  const std::uint32_t index = cq.producer & ((1U << cq.shape.log_entries) - 1);
  const abi::Cqe cqe = cqe_of(completion, cq.producer >> cq.shape.log_entries & 1U,
                              static_cast<std::uint64_t>(now / units_.config->clock));
  Ref<net::Payload> bytes = units_.partition->packets().payloads.acquire();
  bytes->resize(abi::kCqeBytes);
  std::memcpy(bytes->data(), &cqe, abi::kCqeBytes);
  DmaWrite entry;
  entry.use = DmaUse::kQueueEntry;
  entry.address = cq.shape.address + std::uint64_t{index} * abi::kCqeBytes;
  entry.bytes = abi::kCqeBytes;
  entry.payload = std::move(bytes);
  units_.dma->write(entry, nullptr);
  units_.passed(Point::kCompletion, completion.qp, now);
  written_.add();
  if (is_error(completion)) errors_.add();
  ++cq.producer;
  ++cq.moderation.since;
  if (completion.solicited || is_error(completion)) cq.solicited = cq.producer;
  check(cq);
}

void Completions::check(Cq& cq) {
  if (cq.armed == Armed::kNo || cq.dead) return;
  const std::uint32_t last = cq.armed == Armed::kNext ? cq.producer : cq.solicited;
  if (static_cast<std::int32_t>(last - cq.armed_from) <= 0) return;
  const Time now = units_.partition->now();
  const Time due = cq.moderation.due(now);
  if (due > now) {
    if (due != kForever) units_.partition->scheduler().schedule(cq.timer, due);
    return;
  }
  units_.partition->scheduler().cancel(cq.timer);
  cq.armed = Armed::kNo;
  cq.moderation.raised(now);
  completion_events_.add();
  events_.post(cq.shape.eq, abi::EventType::kCompletion, cq.number);
}

}  // namespace railyard::nic
