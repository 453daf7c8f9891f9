#include "tlm/sim/event_queue.h"

#include <algorithm>

namespace railyard {

namespace {

constexpr std::size_t kArity = 4;
// phase 4 bits, endpoint 22 bits, sequence 38 bits: 4 M endpoints, 274 G events of each
constexpr unsigned kSequenceBits = 38;
constexpr unsigned kEndpointBits = 22;

}  // namespace

std::uint64_t EventQueue::order_of(Event& event) {
  Endpoint& endpoint = *event.endpoint_;
  const std::uint64_t sequence = endpoint.sequence++ & ((std::uint64_t{1} << kSequenceBits) - 1);
  return static_cast<std::uint64_t>(event.phase_) << (kSequenceBits + kEndpointBits) |
         static_cast<std::uint64_t>(endpoint.id) << kSequenceBits | sequence;
}

Time EventQueue::last_time() const {
  Time last = 0;
  for (std::size_t i = hole_ ? 1 : 0; i < heap_.size(); ++i) {
    if (!heap_[i].event->background_) last = std::max(last, heap_[i].time);
  }
  return last;
}

void EventQueue::put(Event& event, Time at) {
  const Entry entry{at, order_of(event), &event};
  event.time_ = at;
  if (event.pending()) {
    close_hole();
    const std::size_t slot = event.slot_;
    if (entry.before(heap_[slot])) {
      sift_up(slot, entry);
    } else {
      sift_down(slot, entry);
    }
    return;
  }
  if (event.background_) ++background_;
  if (hole_) {
    hole_ = false;
    sift_down(0, entry);
    return;
  }
  heap_.push_back(entry);
  sift_up(heap_.size() - 1, entry);
}

void EventQueue::remove(std::size_t slot) {
  Event& event = *heap_[slot].event;
  event.slot_ = Event::kNone;
  if (event.background_) --background_;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (slot == heap_.size()) return;
  if (slot > 0 && last.before(heap_[(slot - 1) / kArity])) {
    sift_up(slot, last);
  } else {
    sift_down(slot, last);
  }
}

void EventQueue::sift_up(std::size_t slot, Entry entry) {
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / kArity;
    if (!entry.before(heap_[parent])) break;
    place(slot, heap_[parent]);
    slot = parent;
  }
  place(slot, entry);
}

void EventQueue::sift_down(std::size_t slot, Entry entry) {
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

void EventQueue::bring_near() const {
  std::size_t first = 0;
  if (hole_) {
    if (heap_.size() < 2) return;
    first = 1;
    const std::size_t end = std::min(1 + kArity, heap_.size());
    for (std::size_t child = 2; child < end; ++child) {
      if (heap_[child].before(heap_[first])) first = child;
    }
  } else if (heap_.empty()) {
    return;
  }
  constexpr std::size_t kLine = 64;
  const char* const next = reinterpret_cast<const char*>(heap_[first].event);
  for (std::size_t at = 0; at < Event::kNear; at += kLine) __builtin_prefetch(next + at, 1);
}

}  // namespace railyard
