// How a run is asked to end early. A signal handler may call request_stop().
#pragma once

#include <atomic>
#include <exception>

namespace railyard {

class RunControl {
 public:
  /// Async-signal-safe. The kernel pauses at the next event.
  void request_stop() { stop_.store(true, std::memory_order_relaxed); }
  bool stop_requested() const { return stop_.load(std::memory_order_relaxed); }

  /// Keeps the first exception that left a callback; Simulation::run throws it again, whole.
  void fail(std::exception_ptr failure) {
    if (!failure_) failure_ = std::move(failure);
    request_stop();
  }
  const std::exception_ptr& failure() const { return failure_; }

 private:
  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;
};

}  // namespace railyard
