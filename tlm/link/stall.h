// Random stalls: any queue can be made to refuse service for random times, so that a test meets the
// backpressure that a calm run never shows. Costs one branch when off.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tlm/base/ring.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/lazy_scheduler.h"
#include "tlm/sim/partition.h"

namespace railyard {

struct StallConfig {
  double probability = 0;
  Time longest = kMicrosecond;

  void declare(Parameters& p);
};

class StallGate {
 public:
  /// `resume` is called when a stall is over.
  StallGate(Partition& partition, const std::string& name, const StallConfig& config,
            std::function<void()> resume);
  /// The same in a subsystem's time.
  StallGate(LazyScheduler& scheduler, const std::string& name, const StallConfig& config,
            std::function<void()> resume);

  /// Whether service may go on now. Each call while open may begin a stall.
  bool open() {
    if (threshold_ == 0) return true;
    return open_or_stall();
  }

 private:
  bool open_or_stall();
  void end_stall();

  Partition& partition_;
  LazyScheduler* lazy_ = nullptr;
  std::uint64_t threshold_;
  Time longest_;
  RandomStream random_;
  std::function<void()> resume_;
  Event end_;
  bool granted_ = false;
  Counter stalls_;
};

/// A queue of a device: first in, first out, with a gate before its service.
template <class T>
class StallableQueue {
 public:
  StallableQueue(Partition& partition, const std::string& name, const StallConfig& stall,
                 std::function<void()> resume)
      : gate_(partition, name, stall, std::move(resume)) {}
  StallableQueue(LazyScheduler& scheduler, const std::string& name, const StallConfig& stall,
                 std::function<void()> resume)
      : gate_(scheduler, name, stall, std::move(resume)) {}

  void push(T value) { ring_.push(std::move(value)); }
  bool empty() const { return ring_.empty(); }
  std::size_t size() const { return ring_.size(); }
  T& front() { return ring_.front(); }
  T pop() { return ring_.pop(); }
  /// Whether the front may be served now; if not, `resume` tells when to ask again.
  bool ready() { return !ring_.empty() && gate_.open(); }

 private:
  Ring<T> ring_;
  StallGate gate_;
};

}  // namespace railyard
