// Intrusive events in order of (time, phase, endpoint, that endpoint's sequence): a 4-ary heap.
// What schedulers are made of; it knows nothing of what makes time pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/sim/event.h"

namespace railyard {

class EventQueue {
 public:
  static constexpr std::size_t kMaxEndpoints = std::size_t{1} << 22;  // ids fit a tie's order

  bool empty() const { return size() == 0; }
  std::size_t size() const { return heap_.size() - (hole_ ? 1 : 0); }
  /// Events that keep a run alive.
  std::size_t foreground() const { return size() - background_; }
  /// When the first is due; the queue is not empty.
  Time next_time() {
    close_hole();
    return heap_.front().time;
  }
  /// When the last that keeps a run alive is due, by looking at all; there is one.
  Time last_time() const;

  /// Puts `event` in, or moves one that is pending.
  void put(Event& event, Time at);
  /// Takes a pending event out.
  void take(Event& event) {
    close_hole();
    remove(event.slot_);
  }
  /// Takes the first out, calls nothing. Its place stays free until the next call: what it
  /// schedules goes in from there, which is cheaper than out and in.
  Event& pop() {
    close_hole();
    Event& event = *heap_.front().event;
    event.slot_ = Event::kNone;
    if (event.background_) --background_;
    hole_ = true;
    return event;
  }
  static void call(Event& event) { event.call_(event.owner_); }
  static const Endpoint& endpoint(const Event& event) { return *event.endpoint_; }
  static bool in_background(const Event& event) { return event.background_; }

  /// The next event's turn comes after this one's: time enough to bring its owner near.
  void bring_near() const;

 private:
  struct Entry {
    Time time;
    std::uint64_t order;  // phase, endpoint, sequence
    Event* event;
    bool before(const Entry& o) const { return time != o.time ? time < o.time : order < o.order; }
  };

  static std::uint64_t order_of(Event& event);
  void close_hole() {
    if (!hole_) return;
    hole_ = false;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0, last);
  }
  void place(std::size_t slot, const Entry& entry) {
    heap_[slot] = entry;
    entry.event->slot_ = slot;
  }
  void sift_up(std::size_t slot, Entry entry);
  void sift_down(std::size_t slot, Entry entry);
  void remove(std::size_t slot);

  std::vector<Entry> heap_;
  std::size_t background_ = 0;
  bool hole_ = false;  // the first entry is no more
};

}  // namespace railyard
