#include "tlm/sim/lazy_scheduler.h"

#include <algorithm>
#include <exception>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

LazyScheduler::LazyScheduler(Partition& partition, const std::string& name)
    : partition_(partition),
      name_(name),
      wake_(Event::of<&LazyScheduler::wake>(*this, partition.endpoint(name + ".steps"),
                                            Phase::kArrival)) {
  // Who looks at the run from outside sees what was due by then.
  partition.statistics().before_look([this] { catch_up(); });
  partition.waits().before_look([this] { catch_up(); });
}

void LazyScheduler::schedule(Event& event, Time at) {
  if (at < now()) {
    throw InvariantError(name_, now(), "a step was scheduled for the past, " + format_time(at));
  }
  queue_.put(event, at);
}

LazyScheduler::Sight LazyScheduler::expect(Time at, Time ahead) {
  if (free_sights_.empty()) {
    free_sights_.push_back(static_cast<Sight>(sights_.size()));
    sights_.emplace_back();
  }
  const Sight sight = free_sights_.back();
  free_sights_.pop_back();
  sights_[sight] = {at, ahead};
  return sight;
}

void LazyScheduler::break_promise(const std::string& where) const {
  break_invariant(where, now_, "what others see came late, at " + format_time(partition_.now()));
}

// What the visit made due now happens before anything else does, unless an exception ends the
// visit, and with it the run.
void LazyScheduler::leave_last() {
  const Time now = partition_.now();
  if (!queue_.empty() && queue_.next_time() <= now && std::uncaught_exceptions() == 0) {
    fire_until(now);
  }
  --visits_;
  rearm();
}

void LazyScheduler::fire_until(Time until) {
  if (queue_.empty() || queue_.next_time() > until) return;
  stepping_ = true;
  try {
    while (!queue_.empty() && queue_.next_time() <= until) {
      now_ = queue_.next_time();
      ++fired_;
      queue_.fire_first();
    }
  } catch (...) {
    stepping_ = false;
    throw;
  }
  stepping_ = false;
}

Time LazyScheduler::wake_time() const {
  const Time next = queue_.next_time();
  if (each_step()) return next;
  Time earliest = kForever;
  for (const Awaiter* awaiter : awaiters_) earliest = std::min(earliest, awaiter->earliest());
  const Time now = partition_.now();
  for (const Bound& sight : sights_) {
    if (sight.at != kForever) earliest = std::min(earliest, std::max(sight.at, now + sight.ahead));
  }
  return earliest == kForever ? queue_.last_time() : std::max(earliest, next);
}

void LazyScheduler::rearm() {
  Scheduler& scheduler = partition_.scheduler();
  if (queue_.foreground() == 0) {
    scheduler.cancel(wake_);
    return;
  }
  const Time at = wake_time();
  if (wake_.time() != at) scheduler.schedule(wake_, at);
}

}  // namespace railyard
