#include "hw/nic/qp_contexts.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "hw/nic/nic_abi.h"
#include "tlm/base/error.h"

namespace railyard::nic {

QpContexts::QpContexts(Units& units)
    : units_(units),
      stage_(units.partition->statistics(), units.name + ".context", units.config->stages.context,
             units.config->clock, units.classes(), {Cause::kContextMiss}, "QP contexts"),
      cache_(units, units.config->qp_cache,
             {"qp_cache", "QP contexts", kContextBytes, DmaUse::kContext}, *this),
      slots_(units.config->limits.qps),
      ask_(Event::of<&QpContexts::ask>(
          *this, units.partition->endpoint(units.name + ".context.ask"), Phase::kAct)),
      deliver_(Event::of<&QpContexts::deliver>(
          *this, units.partition->endpoint(units.name + ".context.deliver"), Phase::kAct)) {
  units.partition->statistics().add(
      write_backs_, {units.name + ".qp_cache.write_backs", "lines", "QP contexts written back"});
}

QpContexts::~QpContexts() = default;

void QpContexts::set_memory(std::uint64_t address) {
  cache_.set_memory(address);
  has_memory_ = true;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].exists) write_back(slot);
  }
}

void QpContexts::create(std::uint32_t slot) {
  slots_[slot].exists = true;
  slots_[slot].garbled = false;
  if (!has_memory_) return;
  cache_.drop(slot);
  if (cache_.put(slot) == LineCache::kNone) write_back(slot);
}

void QpContexts::destroy(std::uint32_t slot) {
  slots_[slot].exists = false;
  cache_.drop(slot);
}

void QpContexts::write_back(std::uint32_t slot) {
  DmaWrite write;
  write.use = DmaUse::kContext;
  write.address = cache_.address_of(slot);
  write.bytes = kContextBytes;
  write.payload = units_.partition->packets().payloads.acquire();
  write.payload->resize(kContextBytes);
  std::memset(write.payload->data(), 0, kContextBytes);
  const abi::Be32 image = slot;
  std::memcpy(write.payload->data(), &image, sizeof image);
  write_backs_.add();
  units_.dma->write(write, nullptr);
}

Time QpContexts::want(std::uint32_t slot, Time at, unsigned cls, ContextClient& client,
                      std::uint64_t ticket) {
  Slot& state = slots_[slot];
  const bool first = state.last == kNone;
  if (first && (!has_memory_ || cache_.find(slot) != LineCache::kNone))
    return blocked_.pass(stage_, at, cls, units_.partition->now());
  Waiter waiter;
  waiter.client = &client;
  waiter.ticket = ticket;
  waiter.at = at;
  waiter.slot = slot;
  waiter.cls = static_cast<std::uint8_t>(cls);
  const bool at_hand = !first && waiters_[state.last].has_turn;
  const std::uint32_t index = add_waiter(waiter);
  if (first) {
    state.asked = false;
    to_ask_.push(index);
    ask();
  } else if (state.asked) {
    blocked_.add(cls);
    if (at_hand) give_turn(index);  // the context has come, and those before are on their way
  }
  blocked_.mark(stage_, units_.partition->now());
  return kForever;
}

std::uint32_t QpContexts::add_waiter(const Waiter& waiter) {
  if (free_waiters_ == kNone) {
    free_waiters_ = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  }
  const std::uint32_t index = free_waiters_;
  free_waiters_ = waiters_[index].next;
  waiters_[index] = waiter;
  std::uint32_t& last = slots_[waiter.slot].last;
  if (last == kNone) {
    waiters_[index].next = index;
  } else {
    waiters_[index].next = waiters_[last].next;
    waiters_[last].next = index;
  }
  last = index;
  return index;
}

// What comes to the stage comes in order: one that comes later holds up those behind it.
void QpContexts::ask() {
  const Time now = units_.partition->now();
  while (!to_ask_.empty()) {
    const std::uint32_t index = to_ask_.front();
    const Waiter& waiter = waiters_[index];
    if (waiter.at > now) {
      units_.partition->scheduler().schedule(ask_, waiter.at);
      break;
    }
    to_ask_.pop();
    Slot& slot = slots_[waiter.slot];
    slot.asked = true;
    for (std::uint32_t i = index;; i = waiters_[i].next) {
      blocked_.add(waiters_[i].cls);
      if (i == slot.last) break;
    }
    if (cache_.find(waiter.slot) != LineCache::kNone) {
      line_ready(cache_, index, true);
    } else {
      cache_.want(waiter.slot, index);
    }
  }
  blocked_.mark(stage_, now);
}

void QpContexts::line_filled(LineCache& /*cache*/, std::uint32_t tag, std::uint32_t /*line*/,
                             const std::uint8_t* bytes) {
  abi::Be32 image;
  std::memcpy(&image, bytes, sizeof image);
  slots_[tag].garbled = image != tag;
  // Software has written over it: its queue pair is at fault (line_ready). Without anybody to tell,
  // so is the model.
  if (image == tag || units_.control != nullptr) return;
  throw InvariantError(units_.name + ".context", units_.partition->now(),
                       "the context read for slot " + std::to_string(tag) +
                           " is not the one that was written there, but says " +
                           std::to_string(static_cast<std::uint32_t>(image)));
}

void QpContexts::line_evicted(LineCache& /*cache*/, std::uint32_t tag) { write_back(tag); }

// All who wait for the slot have their turn. One whose context cannot be read, or is not the one
// that was written, is broken: whoever waits finds it so.
void QpContexts::line_ready(LineCache& /*cache*/, std::uint32_t waiter, bool good) {
  const std::uint32_t slot = waiters_[waiter].slot;
  if (!good || slots_[slot].garbled) {
    slots_[slot].garbled = false;
    if (units_.control == nullptr || units_.qps == nullptr) {
      throw InvariantError(units_.name + ".context", units_.partition->now(),
                           "the context in slot " + std::to_string(slot) + " cannot be read");
    }
    units_.control->fail(units_.qps->in_slot(slot), abi::EventType::kQpCatastrophic);
  }
  const std::uint32_t last = slots_[slot].last;
  for (std::uint32_t index = waiter;; index = waiters_[index].next) {
    give_turn(index);
    if (index == last) break;
  }
}

void QpContexts::give_turn(std::uint32_t waiter) {
  Waiter& w = waiters_[waiter];
  w.has_turn = true;
  blocked_.remove(w.cls);
  w.at = blocked_.pass(stage_, std::max(w.at, units_.partition->now()), w.cls,
                       units_.partition->now());
  leaving_.push(waiter);
  if (!deliver_.pending()) units_.partition->scheduler().schedule(deliver_, w.at);
}

void QpContexts::deliver() {
  const Time now = units_.partition->now();
  while (!leaving_.empty() && waiters_[leaving_.front()].at <= now) {
    const std::uint32_t index = leaving_.pop();
    const Waiter waiter = waiters_[index];
    std::uint32_t& last = slots_[waiter.slot].last;
    if (last == index) {
      last = kNone;
    } else {
      waiters_[last].next = waiter.next;
    }
    waiters_[index].next = free_waiters_;
    free_waiters_ = index;
    waiter.client->context_ready(waiter.slot, waiter.ticket);
  }
  if (!leaving_.empty()) {
    units_.partition->scheduler().schedule(deliver_, waiters_[leaving_.front()].at);
  }
}

}  // namespace railyard::nic
