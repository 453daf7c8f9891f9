// How a run is asked to end early. A signal handler may call request_stop().
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <utility>

namespace railyard {

class RunControl {
 public:
  /// Async-signal-safe. The kernel pauses at the next event.
  void request_stop() { stop_.store(true, std::memory_order_relaxed); }
  bool stop_requested() const { return stop_.load(std::memory_order_relaxed); }

  /// Keeps the first exception that left a callback, and whose: Simulation::run throws it again,
  /// whole.
  void fail(std::exception_ptr failure, const std::string& where) {
    if (!failure_) {
      failure_ = std::move(failure);
      where_ = where;
    }
    request_stop();
  }
  const std::exception_ptr& failure() const { return failure_; }
  /// The endpoint whose callback failed; empty if none did.
  const std::string& where() const { return where_; }

 private:
  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;
  std::string where_;
};

}  // namespace railyard
