// One scheduler a partition: a queue of intrusive events behind one sc_event. Events of one
// time fire in the order (phase, endpoint, that endpoint's sequence), never in that of construction
// or scheduling, which several sc_events notified for one time could not promise.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include <systemc>

#include "tlm/base/time.h"
#include "tlm/sim/event.h"
#include "tlm/sim/event_queue.h"
#include "tlm/sim/run_control.h"

namespace railyard {

class Scheduler : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Scheduler);
  Scheduler(sc_core::sc_module_name name, RunControl& control);
  ~Scheduler() override;

  /// The schedulers of the other partitions: while one of them is alive, so is this one.
  void set_peers(std::vector<Scheduler*> peers) { peers_ = std::move(peers); }

  /// The current simulated time.
  Time now() const { return dispatching_ ? now_ : kernel_now(); }

  /// Makes `event` due at `at` (not before now: else an InvariantError); a pending one is moved.
  /// Callbacks run at exactly sc_time_stamp(), in any delta of it.
  void schedule(Event& event, Time at);
  void schedule_in(Event& event, Time delay) { schedule(event, now() + delay); }
  /// Forgets `event` if it is pending.
  void cancel(Event& event);

  /// Events that keep the run alive.
  std::size_t foreground_pending() const { return queue_.foreground(); }
  std::size_t pending() const { return queue_.size(); }
  /// Events fired so far.
  std::uint64_t fired() const { return fired_; }
  /// Times at which the kernel woke this scheduler: its events as SystemC counts them.
  std::uint64_t wakes() const { return wakes_; }

 private:
  static Time kernel_now() { return static_cast<Time>(sc_core::sc_time_stamp().value()); }

  /// A foreground event is pending in some partition.
  bool alive() const;
  void sleep_if_none_is_alive();
  void sleep() {
    wake_.cancel();
    background_wake_.cancel();
    wake_time_ = background_wake_time_ = kForever;
  }
  void dispatch();
  void fire_due();
  void wake_for_next();

  RunControl& control_;
  sc_core::sc_event wake_;
  // While there are only background events. A far notification that a near one replaced would stay
  // in the kernel's queue until its time.
  sc_core::sc_event background_wake_;
  EventQueue queue_;
  std::vector<Scheduler*> peers_;
  Time now_ = 0;
  Time wake_time_ = kForever;
  Time background_wake_time_ = kForever;
  bool dispatching_ = false;
  const Endpoint* firing_ = nullptr;  // whose callback runs
  std::uint64_t fired_ = 0;
  std::uint64_t wakes_ = 0;
};

}  // namespace railyard
