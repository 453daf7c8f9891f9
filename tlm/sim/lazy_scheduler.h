// A scheduler of a subsystem's inner steps, which fire late, many at once, while nobody outside can
// see the difference: each with the state, and at the value of now(), that it would have had on
// time. So a step costs no wake of the kernel, and the results are the same to the picosecond.
//
// Who comes from outside makes a Visit, which first fires what is due. Who is called from inside
// must be called on time, so the scheduler wakes the kernel for
// - each step, while something is under way whose end is seen at once and of whose time nothing is
//   known (attend), or always (set_eager: a run that is traced, a foreign module at the border);
// - else, the earliest time at which an Awaiter could hear of its result, as it bounds it itself,
// or
//   at which a Sight (an interrupt, a doorbell under way) could be seen, as who has it bounds it
//   from step to step; too early a bound costs a wake, too late a one is a broken invariant (see
//   on_time);
// - else, when nothing is awaited, the last step that is pending, so that a run ends when the last
//   of them was due. (If a step takes the last one out, the run still ends when that was due: a
//   timer that is mostly cancelled is in the background, or is cancelled on time.)
// Steps of one time go in the order of Scheduler, and before anything that visits at that time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/sim/event_queue.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// Who waits for a result of steps, and will be called back when it is there.
class Awaiter {
 public:
  virtual ~Awaiter() = default;
  /// Not after the time of the next call to the outside; kForever: awaits nothing.
  virtual Time earliest() const = 0;
};

class LazyScheduler {
 public:
  LazyScheduler(Partition& partition, const std::string& name);
  LazyScheduler(const LazyScheduler&) = delete;
  LazyScheduler& operator=(const LazyScheduler&) = delete;

  const std::string& name() const { return name_; }
  Partition& partition() { return partition_; }
  /// The time of the step under way; outside of one, the partition's.
  Time now() const { return stepping_ ? now_ : partition_.now(); }

  /// As Scheduler's, for steps. Called from a step or within a Visit.
  void schedule(Event& event, Time at);
  void schedule_in(Event& event, Time delay) { schedule(event, now() + delay); }
  void cancel(Event& event) {
    if (event.pending()) queue_.take(event);
  }

  void add(Awaiter& awaiter) { awaiters_.push_back(&awaiter); }
  /// Each step wakes the kernel from now on.
  void set_eager() { eager_ = true; }
  /// Something is under way that is seen, or each step is on time anyway.
  bool eager() const { return each_step() || sights_.size() != free_sights_.size(); }

  /// Breaks an invariant unless what happens now may be seen: `where` says who called out late.
  void on_time(const std::string& where) const {
    if (stepping_ && now_ != partition_.now()) break_promise(where);
  }

  /// Every outside call to the subsystem stands in one. They may nest, also in steps.
  class Visit {
   public:
    explicit Visit(LazyScheduler& scheduler) : scheduler_(scheduler) { scheduler_.enter(); }
    ~Visit() noexcept(false) { scheduler_.leave(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    LazyScheduler& scheduler_;
  };

  /// One thing under way whose arrival is seen outside: while it is, each step is on time.
  void attend() { ++attention_; }
  void relax() { --attention_; }

  /// The same, of a thing that is not seen before `at`, nor, from any moment on at which that is so
  /// still, within the next `ahead`.
  using Sight = std::uint32_t;
  Sight expect(Time at, Time ahead);
  /// More is known of it.
  void expect(Sight sight, Time at, Time ahead) { sights_[sight] = {at, ahead}; }
  void seen(Sight sight) {
    sights_[sight] = {};
    free_sights_.push_back(sight);
  }

  /// Fires what is due.
  void catch_up() { const Visit visit(*this); }

  std::uint64_t fired() const { return fired_; }
  std::size_t pending() const { return queue_.size(); }

 private:
  void enter() {
    if (visits_++ == 0 && !stepping_) fire_until(partition_.now());
  }
  void leave() {
    if (visits_ > 1 || stepping_) {
      --visits_;
    } else {
      leave_last();
    }
  }
  void leave_last();
  void fire_until(Time until);
  void break_promise(const std::string& where) const;
  void wake() { catch_up(); }
  bool each_step() const { return eager_ || attention_ > 0; }
  void rearm();
  Time wake_time() const;

  Partition& partition_;
  std::string name_;
  EventQueue queue_;
  Event wake_;
  std::vector<Awaiter*> awaiters_;
  Time now_ = 0;
  bool stepping_ = false;
  bool eager_ = false;
  std::uint32_t visits_ = 0;
  std::uint64_t attention_ = 0;
  struct Bound {
    Time at = kForever;
    Time ahead = 0;
  };
  std::vector<Bound> sights_;
  std::vector<Sight> free_sights_;
  std::uint64_t fired_ = 0;
};

}  // namespace railyard
