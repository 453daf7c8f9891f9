#include "tlm/sim/scheduler.h"

#include <algorithm>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

constexpr std::size_t kArity = 4;
// phase 4 bits, endpoint 22 bits, sequence 38 bits: 4 M endpoints, 274 G events of each
constexpr unsigned kSequenceBits = 38;
constexpr unsigned kEndpointBits = 22;

}  // namespace

Scheduler::Scheduler(sc_core::sc_module_name name, RunControl& control)
    : sc_module(name), control_(control) {
  SC_METHOD(dispatch);
  dont_initialize();
  sensitive << wake_ << background_wake_;
}

Scheduler::~Scheduler() = default;

std::uint64_t Scheduler::order_of(Event& event) {
  Endpoint& endpoint = *event.endpoint_;
  const std::uint64_t sequence = endpoint.sequence++ & ((std::uint64_t{1} << kSequenceBits) - 1);
  return static_cast<std::uint64_t>(event.phase_) << (kSequenceBits + kEndpointBits) |
         static_cast<std::uint64_t>(endpoint.id) << kSequenceBits | sequence;
}

void Scheduler::schedule(Event& event, Time at) {
  if (at < now()) {
    throw InvariantError(name(), now(), "an event was scheduled for the past, " + format_time(at));
  }
  const Entry entry{at, order_of(event), &event};
  event.time_ = at;
  if (event.pending()) {
    const std::size_t slot = event.slot_;
    if (entry.before(heap_[slot])) {
      sift_up(slot, entry);
    } else {
      sift_down(slot, entry);
    }
  } else {
    if (event.background_) ++background_pending_;
    heap_.push_back(entry);
    sift_up(heap_.size() - 1, entry);
    if (!peers_.empty() && !event.background_ && foreground_pending() == 1) {
      for (Scheduler* peer : peers_) peer->wake_for_next();
    }
  }
  if (!dispatching_) wake_for_next();
}

void Scheduler::cancel(Event& event) {
  if (!event.pending()) return;
  remove(event.slot_);
  if (!dispatching_) sleep_if_none_is_alive();
}

bool Scheduler::alive() const {
  return foreground_pending() > 0 ||
         std::any_of(peers_.begin(), peers_.end(),
                     [](const Scheduler* peer) { return peer->foreground_pending() > 0; });
}

void Scheduler::sleep_if_none_is_alive() {
  if (alive()) return;
  sleep();
  for (Scheduler* peer : peers_) peer->sleep();
}

void Scheduler::remove(std::size_t slot) {
  Event& event = *heap_[slot].event;
  event.slot_ = Event::kNone;
  if (event.background_) --background_pending_;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (slot == heap_.size()) return;
  if (slot > 0 && last.before(heap_[(slot - 1) / kArity])) {
    sift_up(slot, last);
  } else {
    sift_down(slot, last);
  }
}

void Scheduler::sift_up(std::size_t slot, Entry entry) {
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / kArity;
    if (!entry.before(heap_[parent])) break;
    place(slot, heap_[parent]);
    slot = parent;
  }
  place(slot, entry);
}

void Scheduler::sift_down(std::size_t slot, Entry entry) {
  const std::size_t size = heap_.size();
  for (;;) {
    const std::size_t first = slot * kArity + 1;
    if (first >= size) break;
    std::size_t least = first;
    const std::size_t end = std::min(first + kArity, size);
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child].before(heap_[least])) least = child;
    }
    if (!heap_[least].before(entry)) break;
    place(slot, heap_[least]);
    slot = least;
  }
  place(slot, entry);
}

// Notifying for an earlier time replaces the notification that is pending; a later one is wanted
// only from dispatch(), where none is. With nothing but background events, in all partitions, the
// kernel is left alone, so that a run ends at its last real event.
void Scheduler::wake_for_next() {
  if (heap_.empty() || !alive()) return;
  const Time now_time = now();
  const Time at = std::max(heap_.front().time, now_time);
  const bool background = foreground_pending() == 0;
  Time& wake_time = background ? background_wake_time_ : wake_time_;
  if (at >= wake_time) return;
  wake_time = at;
  (background ? background_wake_ : wake_)
      .notify(sc_core::sc_time::from_value(static_cast<std::uint64_t>(at - now_time)));
}

void Scheduler::dispatch() {
  ++wakes_;
  now_ = kernel_now();
  if (wake_time_ <= now_) wake_time_ = kForever;
  if (background_wake_time_ <= now_) background_wake_time_ = kForever;
  if (control_.stop_requested()) {
    wake_for_next();
    sc_core::sc_pause();
    return;
  }
  dispatching_ = true;
  try {
    fire_due();
  } catch (...) {
    dispatching_ = false;
    control_.fail(std::current_exception(), firing_->name);
    sc_core::sc_pause();
    return;
  }
  dispatching_ = false;
  if (foreground_pending() == 0) sleep_if_none_is_alive();
  wake_for_next();
}

// The next event's turn comes after this one's, and after the kernel's: time enough.
void Scheduler::bring_near() const {
  if (heap_.empty()) return;
  constexpr std::size_t kLine = 64;
  const char* const next = reinterpret_cast<const char*>(heap_.front().event);
  for (std::size_t at = 0; at < Event::kNear; at += kLine) __builtin_prefetch(next + at, 1);
}

void Scheduler::fire_due() {
  while (!heap_.empty() && heap_.front().time <= now_) {
    Event& event = *heap_.front().event;
    remove(0);
    bring_near();
    ++fired_;
    firing_ = event.endpoint_;
    event.call_(event.owner_);
  }
}

}  // namespace railyard
