#include "tlm/sim/scheduler.h"

#include <algorithm>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

Scheduler::Scheduler(sc_core::sc_module_name name, RunControl& control)
    : sc_module(name), control_(control) {
  SC_METHOD(dispatch);
  dont_initialize();
  sensitive << wake_ << background_wake_;
}

Scheduler::~Scheduler() = default;

void Scheduler::schedule(Event& event, Time at) {
  if (at < now()) {
    throw InvariantError(name(), now(), "an event was scheduled for the past, " + format_time(at));
  }
  const bool was_pending = event.pending();
  queue_.put(event, at);
  if (!was_pending && !peers_.empty() && !EventQueue::in_background(event) &&
      foreground_pending() == 1) {
    for (Scheduler* peer : peers_) peer->wake_for_next();
  }
  if (!dispatching_) wake_for_next();
}

void Scheduler::cancel(Event& event) {
  if (!event.pending()) return;
  queue_.take(event);
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

// Notifying for an earlier time replaces the notification that is pending; a later one is wanted
// only from dispatch(), where none is. With nothing but background events, in all partitions, the
// kernel is left alone, so that a run ends at its last real event.
void Scheduler::wake_for_next() {
  if (queue_.empty() || !alive()) return;
  const Time now_time = now();
  const Time at = std::max(queue_.next_time(), now_time);
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

void Scheduler::fire_due() {
  while (!queue_.empty() && queue_.next_time() <= now_) {
    Event& event = queue_.pop();
    queue_.bring_near();
    ++fired_;
    firing_ = &EventQueue::endpoint(event);
    EventQueue::call(event);
  }
}

}  // namespace railyard
