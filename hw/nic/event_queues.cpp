#include "hw/nic/event_queues.h"

#include <cstring>

#include "hw/nic/dma_path.h"

namespace railyard::nic {

EventQueues::EventQueues(Units& units)
    : units_(units),
      stage_(units.partition->statistics(), units.name + ".event", units.config->stages.event,
             units.config->clock, 1, {}, "Events made"),
      due_(Event::of<&EventQueues::write_due>(
          *this, units.partition->endpoint(units.name + ".event"), Phase::kAct)),
      timers_(units.partition->endpoint(units.name + ".event.moderation")),
      eqs_(units.config->limits.eqs) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".event.";
  statistics.add(written_, {p + "entries", "entries", "EQEs written"});
  statistics.add(overruns_, {p + "overruns", "entries", "EQEs lost, for their queue was full"});
  statistics.add(interrupts_, {p + "interrupts", "interrupts", "Interrupts raised"});
}

void EventQueues::create(std::uint32_t number, const EqShape& shape) {
  destroy(number);
  eqs_[number] = std::make_unique<Eq>(*this, timers_);
  Eq& eq = *eqs_[number];
  eq.shape = shape;
  eq.moderation.time = shape.moderation;
  eq.moderation.count = shape.moderation_count;
  eq.serial = ++serials_;
}

void EventQueues::destroy(std::uint32_t number) {
  if (!eqs_[number]) return;
  units_.partition->scheduler().cancel(eqs_[number]->timer);
  eqs_[number].reset();
}

void EventQueues::consume(std::uint32_t number, std::uint32_t consumer, bool arm) {
  Eq& eq = *eqs_[number];
  // An index beyond what was written is garbage, and ignored.
  const std::uint32_t more = (consumer - eq.consumer) & abi::kConsumerMask;
  if (more <= eq.producer - eq.consumer) eq.consumer += more;
  if (!arm) return;
  eq.armed = true;
  check(eq);
}

void EventQueues::post(std::uint32_t number, abi::EventType type, std::uint32_t object) {
  if (!exists(number)) return;
  const Time at = stage_.pass(units_.partition->now(), 0);
  pending_.push({at, number, eqs_[number]->serial, type, object});
  if (!due_.pending()) units_.partition->scheduler().schedule(due_, pending_.front().at);
}

void EventQueues::write_due() {
  const Time now = units_.partition->now();
  while (!pending_.empty() && pending_.front().at <= now) {
    const Pending event = pending_.pop();
    Eq* eq = eqs_[event.number].get();
    if (eq != nullptr && eq->serial == event.serial) write(*eq, event.type, event.object);
  }
  if (!pending_.empty()) units_.partition->scheduler().schedule(due_, pending_.front().at);
}

void EventQueues::write(Eq& eq, abi::EventType type, std::uint32_t object) {
  const std::uint32_t entries = 1U << eq.shape.log_entries;
  if (eq.producer - eq.consumer >= entries) {
    overruns_.add();
    if (overrun_) overrun_();
    return;
  }
  abi::Eqe eqe;
  eqe.type = static_cast<abi::Byte>(type);
  eqe.number = object;
  eqe.owner = static_cast<abi::Byte>(eq.producer >> eq.shape.log_entries & 1U);
  Ref<net::Payload> bytes = units_.partition->packets().payloads.acquire();
  bytes->resize(abi::kEqeBytes);
  std::memcpy(bytes->data(), &eqe, abi::kEqeBytes);
  DmaWrite entry;
  entry.use = DmaUse::kQueueEntry;
  entry.address = eq.shape.address + std::uint64_t{eq.producer & (entries - 1)} * abi::kEqeBytes;
  entry.bytes = abi::kEqeBytes;
  entry.payload = std::move(bytes);
  units_.dma->write(entry, nullptr);
  written_.add();
  ++eq.producer;
  ++eq.moderation.since;
  check(eq);
}

void EventQueues::check(Eq& eq) {
  if (!eq.armed || eq.producer == eq.consumer) return;
  const Time now = units_.partition->now();
  const Time due = eq.moderation.due(now);
  if (due > now) {
    if (due != kForever) units_.partition->scheduler().schedule(eq.timer, due);
    return;
  }
  units_.partition->scheduler().cancel(eq.timer);
  eq.armed = false;
  eq.moderation.raised(now);
  interrupts_.add();
  units_.dma->interrupt(eq.shape.vector);
}

}  // namespace railyard::nic
