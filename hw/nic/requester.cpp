// Doorbells, and the states of queue pairs.
#include "hw/nic/requester.h"

#include <utility>

namespace railyard::nic {

Requester::Requester(Units& units)
    : units_(units),
      act_(Event::of<&Requester::act>(*this, units.partition->endpoint(units.name + ".requester"),
                                      Phase::kAct)),
      doorbells_event_(Event::of<&Requester::doorbells_due>(
          *this, units.partition->endpoint(units.name + ".requester.doorbells"), Phase::kArrival)),
      metrics_(units),
      scheduler_stage_(
          units.partition->statistics(), units.name + ".scheduler", units.config->stages.scheduler,
          units.config->clock, units.classes(),
          {Cause::kWindow, Cause::kRate, Cause::kReads, Cause::kEgress, Cause::kContextMiss},
          "Scheduler of queue pairs"),
      wqe_stage_(units.partition->statistics(), units.name + ".wqe", units.config->stages.wqe,
                 units.config->clock, units.classes(), {Cause::kWqe, Cause::kKeyMiss},
                 "Parser of send WQEs"),
      transport_(units.partition->statistics(), units.name + ".response_transport",
                 units.config->stages.transport, units.config->clock, units.classes(), {},
                 "PSN check of acknowledgements and READ responses"),
      scheduler_(units.config->send.weights, units.config->send.quantum, units.config->limits.qps),
      timers_(*units.partition, units.name + ".requester.timers", units.config->limits.qps, *this),
      responses_(units, *this),
      active_(units.config->limits.qps, nullptr) {
  units.partition->waits().add_source([this](std::vector<Wait>& waits) { list_waits(waits); });
  if (units.rates != nullptr) units.rates->set_client(RateGate::kRequests, *this);
}

Requester::~Requester() = default;

// --- doorbells ---

void Requester::doorbell(std::uint32_t number, std::uint16_t posted, Time at) {
  units_.passed(Point::kDoorbell, number, at);
  queue_doorbell({number, posted, at, {}});
}

void Requester::blue_field(std::uint32_t number, const std::uint8_t* wqe, std::uint32_t bytes,
                           Time at) {
  units_.passed(Point::kDoorbell, number, at);
  const std::uint16_t index = wqe_index(wqe);
  Ref<SendWqe> parsed = wqes_.acquire();
  const WqeFault fault = parse_wqe(wqe, bytes, index, number, *parsed);
  const auto posted = static_cast<std::uint16_t>(index + wqe_blocks(wqe));
  // What is wrong with it is found when it is read from memory.
  if (fault != WqeFault::kNone) parsed = Ref<SendWqe>();
  queue_doorbell({number, posted, at, std::move(parsed)});
}

// While a queue pair has more to send than it was told of, a doorbell changes nothing but a number,
// and needs no event.
void Requester::queue_doorbell(Doorbell doorbell) {
  const Qp* qp = units_.qps->find(doorbell.number);
  if (qp == nullptr) return;
  const SendQueue* sq = in_slot(qp->slot);
  const bool busy = sq != nullptr && doorbells_.empty() && !sq->all_sent();
  if (busy || doorbell.at <= units_.partition->now()) {
    apply(doorbell);
    return;
  }
  doorbells_.push(std::move(doorbell));
  if (!doorbells_event_.pending()) {
    units_.partition->scheduler().schedule(doorbells_event_, doorbells_.front().at);
  }
}

void Requester::doorbells_due() {
  const Time now = units_.partition->now();
  while (!doorbells_.empty() && doorbells_.front().at <= now) apply(doorbells_.pop());
  if (!doorbells_.empty()) {
    units_.partition->scheduler().schedule(doorbells_event_, doorbells_.front().at);
  }
}

void Requester::apply(const Doorbell& doorbell) {
  Qp* qp = units_.qps->find(doorbell.number);
  if (qp == nullptr || qp->state == abi::QpState::kReset) return;
  RequesterState& state = qp->requester;
  const std::uint16_t before = state.posted;
  const auto more =
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(doorbell.posted - before));
  if (more == 0) return;
  if (state.open_blocks() + more > qp->send.mask() + 1) {
    metrics_.bad_doorbells.add();
    return;
  }
  state.posted = doorbell.posted;
  units_.partition->open_work(more);
  if (!qp->sends() && qp->state != abi::QpState::kError) return;
  SendQueue& sq = activate(*qp);
  place_pushed(sq, doorbell, before);
  if (sq.state == SendState::kIdle) make_ready(sq, units_.partition->now());
}

// The WQE that came with the doorbell needs no read if all before it were read.
void Requester::place_pushed(SendQueue& sq, const Doorbell& doorbell, std::uint16_t before) {
  if (!doorbell.wqe || doorbell.wqe->index != before || sq.fetched.fetch_index() != before ||
      sq.fetched.ahead() != 0) {
    return;
  }
  sq.fetched.skip(doorbell.wqe->blocks);
  sq.wqes.push(doorbell.wqe);
  metrics_.wqes_pushed.add();
}

// --- states ---

void Requester::ready(Qp& qp) {
  if (qp.requester.open_blocks() == 0) return;
  make_ready(activate(qp), units_.partition->now());
}

void Requester::flush(Qp& qp) {
  if (in_slot(qp.slot) != nullptr) {
    enter_flush(*in_slot(qp.slot));
  } else if (qp.requester.open_blocks() != 0) {
    SendQueue& sq = activate(qp);
    sq.flushing = true;
    make_ready(sq, units_.partition->now());
  }
}

void Requester::reset(Qp& qp) {
  units_.partition->close_work(qp.requester.open_blocks());
  if (SendQueue* sq = in_slot(qp.slot); sq != nullptr) {
    units_.transmit->drop(*this, ticket_of(*sq));
    release(*sq);
  }
  qp.requester.posted = qp.requester.completed = 0;
}

SendQueue& Requester::activate(Qp& qp) {
  if (in_slot(qp.slot) != nullptr) return *in_slot(qp.slot);
  if (!registered_) {
    registered_ = true;
    units_.transmit->add_room_client(*this);
  }
  if (free_queues_.empty()) {
    queues_.push_back(std::make_unique<SendQueue>());
    free_queues_.push_back(queues_.back().get());
  }
  SendQueue& sq = *free_queues_.back();
  free_queues_.pop_back();
  sq.start(qp, ++last_id_);
  sq.cls = units_.class_of(sq.priority);
  sq.flushing = qp.state == abi::QpState::kError;
  active_[qp.slot] = &sq;
  return sq;
}

void Requester::release(SendQueue& sq) {
  const std::uint32_t slot = sq.qp->slot;
  metrics_.reads.set(metrics_.reads.value() - sq.reads, units_.partition->now());
  sq.reads = 0;
  show(sq);
  set_state(sq, SendState::kIdle);
  scheduler_.remove(slot);
  timers_.disarm(slot);
  if (current_ == &sq) current_ = nullptr;
  while (!sq.wqes.empty()) sq.wqes.pop();
  sq.fetched.start(0);
  active_[slot] = nullptr;
  free_queues_.push_back(&sq);
}

// Answers that it waits for still come, and its turn goes on then.
void Requester::enter_flush(SendQueue& sq) {
  if (sq.flushing) return;
  sq.flushing = true;
  units_.transmit->drop(*this, ticket_of(sq));
  timers_.disarm(sq.qp->slot);
  if (units_.rates != nullptr) units_.rates->leave(sq.qp->slot, RateGate::kRequests);
  metrics_.reads.set(metrics_.reads.value() - sq.reads, units_.partition->now());
  sq.reads = 0;
  sq.acknowledged = sq.begun = sq.cursor = sq.offset = 0;
  sq.oldest_psn = sq.next_psn();
  sq.entered = false;
  sq.rnr = false;
  sq.abandoned = true;
  show(sq);
  if (sq.done()) {
    release(sq);
  } else if (sq.state != SendState::kReady && sq.state != SendState::kTurn &&
             sq.state != SendState::kContext && sq.state != SendState::kTranslation) {
    make_ready(sq, units_.partition->now());
  }
}

void Requester::set_state(SendQueue& sq, SendState state) {
  if (sq.state == state) return;
  --waiting_[static_cast<std::size_t>(sq.state)].count;
  sq.state = state;
  Waiting& waiting = waiting_[static_cast<std::size_t>(state)];
  ++waiting.count;
  waiting.cls = sq.cls;
  const bool comes = state == SendState::kReady || state == SendState::kTurn ||
                     state == SendState::kContext || state == SendState::kRate;
  if (!comes && units_.rates != nullptr) units_.rates->leave(sq.qp->slot, RateGate::kRequests);
}

void Requester::make_ready(SendQueue& sq, Time at) {
  if (sq.state == SendState::kReady) return;
  set_state(sq, SendState::kReady);
  scheduler_.add(sq.qp->slot, sq.cls, sq.priority);
  wake(at);
}

SendQueue* Requester::find(std::uint64_t ticket) const {
  SendQueue* sq = active_[ticket & 0xFFFF'FFFF];
  return sq != nullptr && sq->id == ticket >> 32 ? sq : nullptr;
}

void Requester::show(const SendQueue& sq) {
  if (sq.qp->slot >= RequesterMetrics::kProbedSlots) return;
  const Time now = units_.partition->now();
  metrics_.psn[sq.qp->slot].set(sq.next_psn(), now);
  metrics_.outstanding[sq.qp->slot].set(sq.outstanding(), now);
}

void Requester::list_waits(std::vector<Wait>& waits) const {
  for (const SendQueue* sq : active_) {
    if (sq == nullptr || sq->outstanding() == 0) continue;
    const std::string qp = "queue pair " + std::to_string(sq->qp->number);
    waits.push_back(
        {{units_.name + ".requester", "the peer of " + qp,
          "acknowledgements of " + std::to_string(sq->outstanding()) + " packets of " + qp},
         sq->waiting_since});
  }
}

}  // namespace railyard::nic
