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
constexpr std::size_t kRefill = 16;

}  // namespace

Scheduler::Scheduler(sc_core::sc_module_name name, RunControl& control)
    : sc_module(name), control_(control) {
  SC_METHOD(dispatch);
  dont_initialize();
  sensitive << wake_;
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
    forget(event);
  } else if (event.background_) {
    ++background_pending_;
  }
  insert(entry);
  if (!dispatching_) wake_for_next();
}

void Scheduler::cancel(Event& event) {
  if (!event.pending()) return;
  forget(event);
  event.slot_ = Event::kNone;
  if (event.background_) --background_pending_;
  if (dispatching_ || foreground_pending() > 0) return;
  wake_.cancel();
  wake_time_ = kForever;
}

// Takes the entry of a pending event out.
void Scheduler::forget(const Event& event) {
  if (event.slot_ == Event::kSoon) {
    remove_soon(event);
  } else {
    remove_from_heap(event.slot_);
  }
}

// Among the soonest if it comes before all of the heap; the last of them makes room.
void Scheduler::insert(const Entry& entry) {
  const std::size_t soon = soon_end_ - soon_begin_;
  const bool room = heap_.empty() && soon < kSoonMost;
  if (room || (soon != 0 && entry.before(soon_[soon_end_ - 1]))) {
    if (soon == kSoonMost) push(soon_[--soon_end_]);
    insert_soon(entry);
  } else {
    push(entry);
  }
}

void Scheduler::insert_soon(const Entry& entry) {
  if (soon_end_ == soon_.size()) {
    std::copy(soon_.begin() + static_cast<std::ptrdiff_t>(soon_begin_), soon_.end(), soon_.begin());
    soon_end_ -= soon_begin_;
    soon_begin_ = 0;
  }
  std::size_t at = soon_end_;
  while (at > soon_begin_ && entry.before(soon_[at - 1])) --at;
  const auto begin = soon_.begin();
  std::copy_backward(begin + static_cast<std::ptrdiff_t>(at),
                     begin + static_cast<std::ptrdiff_t>(soon_end_),
                     begin + static_cast<std::ptrdiff_t>(soon_end_) + 1);
  ++soon_end_;
  soon_[at] = entry;
  entry.event->slot_ = Event::kSoon;
}

void Scheduler::remove_soon(const Event& event) {
  std::size_t at = soon_begin_;
  while (soon_[at].event != &event) ++at;
  std::copy(soon_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
            soon_.begin() + static_cast<std::ptrdiff_t>(soon_end_),
            soon_.begin() + static_cast<std::ptrdiff_t>(at));
  --soon_end_;
}

void Scheduler::refill() {
  soon_begin_ = soon_end_ = 0;
  for (std::size_t n = std::min(kRefill, heap_.size()); n > 0; --n) {
    const Entry& entry = soon_[soon_end_++] = heap_.front();
    remove_from_heap(0);
    entry.event->slot_ = Event::kSoon;
  }
}

void Scheduler::push(const Entry& entry) {
  heap_.push_back(entry);
  sift_up(heap_.size() - 1, entry);
}

void Scheduler::remove_from_heap(std::size_t slot) {
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
// only from dispatch(), where none is. With nothing but background events the kernel is left alone,
// so that a run ends at its last real event; if there is one again, they fire late.
void Scheduler::wake_for_next() {
  if (foreground_pending() == 0) return;
  const Time now_time = now();
  const Time at = std::max(first().time, now_time);
  if (at >= wake_time_) return;
  wake_time_ = at;
  wake_.notify(sc_core::sc_time::from_value(static_cast<std::uint64_t>(at - now_time)));
}

void Scheduler::dispatch() {
  ++wakes_;
  now_ = kernel_now();
  wake_time_ = kForever;
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
  wake_for_next();
}

void Scheduler::fire_due() {
  while (pending() != 0 && first().time <= now_) {
    Event& event = *soon_[soon_begin_++].event;
    event.slot_ = Event::kNone;
    if (event.background_) --background_pending_;
    ++fired_;
    firing_ = event.endpoint_;
    event.call_(event.owner_);
  }
}

}  // namespace railyard
