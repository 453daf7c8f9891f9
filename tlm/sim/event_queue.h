// Intrusive events in order of (time, phase, endpoint, that endpoint's sequence): a 4-ary heap.
// What schedulers are made of; it knows nothing of what makes time pass. Its functions are inline:
// each event of a run goes through them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/sim/event.h"

namespace railyard {

class EventQueue {
 public:
  static constexpr std::size_t kMaxEndpoints = std::size_t{1} << 22;  // ids fit a tie's order

  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  /// Events that are still pending are so no more.
  ~EventQueue() {
    end_vacancy();
    for (const Entry& entry : heap_) entry.event->slot_ = Event::kNone;
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return heap_.size() - (vacant_ ? 1 : 0); }
  /// Events that keep a run alive.
  std::size_t foreground() const { return size() - background_; }
  /// When the first is due; the queue is not empty.
  Time next_time() const { return heap_.front().time; }
  /// When the last that keeps a run alive is due, by looking at all; there is one.
  Time last_time() const;

  /// Puts `event` in, or moves one that is pending.
  void put(Event& event, Time at);
  /// Takes a pending event out.
  void take(Event& event) { remove(event.slot_); }
  /// Takes the first out, calls nothing.
  Event& pop() {
    Event& event = *heap_.front().event;
    remove(0);
    return event;
  }
  static void call(Event& event) { event.call_(event.owner_); }
  /// Takes the first out and calls it. What it puts in first, mostly itself, takes its place: one
  /// way through the heap for both. Until it returns, nothing may ask for times or the first.
  void fire_first();
  static const Endpoint& endpoint(const Event& event) { return *event.endpoint_; }
  static bool in_background(const Event& event) { return event.background_; }

  /// The next event's turn comes after this one's: time enough to bring its owner near.
  void bring_near() const;

 private:
  static constexpr std::size_t kArity = 4;
  // phase 4 bits, endpoint 22 bits, sequence 38 bits: 4 M endpoints, 274 G events of each
  static constexpr unsigned kSequenceBits = 38;
  static constexpr unsigned kEndpointBits = 22;

  struct Entry {
    Time time;
    std::uint64_t order;  // phase, endpoint, sequence
    Event* event;
    bool before(const Entry& o) const {
      return time < o.time || (time == o.time && order < o.order);
    }
  };

  static std::uint64_t order_of(Event& event);
  void place(std::size_t slot, const Entry& entry) {
    heap_[slot] = entry;
    entry.event->slot_ = static_cast<std::uint32_t>(slot);
  }
  void sift_up(std::size_t slot, Entry entry);
  void sift_down(std::size_t slot, Entry entry);
  void remove(std::size_t slot);
  void close_gap(std::size_t slot);
  void end_vacancy() {
    if (!vacant_) return;
    vacant_ = false;
    close_gap(0);
  }

  std::vector<Entry> heap_;
  std::uint32_t background_ = 0;
  bool vacant_ = false;  // the first has been taken out, and its entry is still there
};

inline std::uint64_t EventQueue::order_of(Event& event) {
  Endpoint& endpoint = *event.endpoint_;
  const std::uint64_t sequence = endpoint.sequence++ & ((std::uint64_t{1} << kSequenceBits) - 1);
  return static_cast<std::uint64_t>(event.phase_) << (kSequenceBits + kEndpointBits) |
         static_cast<std::uint64_t>(endpoint.id) << kSequenceBits | sequence;
}

inline Time EventQueue::last_time() const {
  Time last = 0;
  for (const Entry& entry : heap_) {
    if (!entry.event->background_) last = std::max(last, entry.time);
  }
  return last;
}

inline void EventQueue::put(Event& event, Time at) {
  const Entry entry{at, order_of(event), &event};
  event.time_ = at;
  if (event.pending()) {
    end_vacancy();
    const std::size_t slot = event.slot_;
    if (entry.before(heap_[slot])) {
      sift_up(slot, entry);
    } else {
      sift_down(slot, entry);
    }
    return;
  }
  event.queue_ = this;
  if (event.background_) ++background_;
  if (vacant_) {
    vacant_ = false;
    sift_down(0, entry);
    return;
  }
  heap_.push_back(entry);
  sift_up(heap_.size() - 1, entry);
}

inline void EventQueue::remove(std::size_t slot) {
  Event& event = *heap_[slot].event;
  event.slot_ = Event::kNone;
  if (event.background_) --background_;
  close_gap(slot);
}

inline void EventQueue::fire_first() {
  struct Vacancy {
    EventQueue& queue;
    ~Vacancy() { queue.end_vacancy(); }
  };
  Event& event = *heap_.front().event;
  event.slot_ = Event::kNone;
  if (event.background_) --background_;
  vacant_ = true;
  const Vacancy vacancy{*this};
  call(event);
}

inline void EventQueue::close_gap(std::size_t slot) {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (slot == heap_.size()) return;
  if (slot > 0 && last.before(heap_[(slot - 1) / kArity])) {
    sift_up(slot, last);
  } else {
    sift_down(slot, last);
  }
}

inline void EventQueue::sift_up(std::size_t slot, Entry entry) {
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / kArity;
    if (!entry.before(heap_[parent])) break;
    place(slot, heap_[parent]);
    slot = parent;
  }
  place(slot, entry);
}

inline void EventQueue::sift_down(std::size_t slot, Entry entry) {
  Entry* const heap = heap_.data();
  const std::size_t size = heap_.size();
  for (std::size_t first; (first = slot * kArity + 1) < size;) {
    const Entry* least = heap + first;
    const Entry* const end = heap + std::min(first + kArity, size);
    for (const Entry* child = least + 1; child != end; ++child) {
      if (child->before(*least)) least = child;
    }
    if (!least->before(entry)) break;
    place(slot, *least);
    slot = static_cast<std::size_t>(least - heap);
  }
  place(slot, entry);
}

inline void EventQueue::bring_near() const {
  if (heap_.empty()) return;
  constexpr std::size_t kLine = 64;
  const char* const next = reinterpret_cast<const char*>(heap_.front().event);
  for (std::size_t at = 0; at < Event::kNear; at += kLine) __builtin_prefetch(next + at, 1);
}

}  // namespace railyard
