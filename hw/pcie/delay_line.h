// A stage that takes a fixed time: what goes in comes out that much later, in order. One event,
// however much is inside.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "hw/pcie/hierarchy.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

template <class T>
class DelayLine {
 public:
  /// `name` is unique; `out` takes what comes out.
  DelayLine(Hierarchy& hierarchy, const std::string& name, Time delay, std::function<void(T)> out)
      : scheduler_(hierarchy.scheduler()),
        delay_(delay),
        out_(std::move(out)),
        due_(Event::of<&DelayLine::fire>(*this, hierarchy.partition().endpoint(name),
                                         Phase::kAct)) {}

  void push(T value) {
    inside_.push({scheduler_.now() + delay_, std::move(value)});
    if (!due_.pending()) scheduler_.schedule(due_, inside_.front().at);
  }
  std::size_t size() const { return inside_.size(); }

 private:
  struct Inside {
    Time at = 0;
    T value{};
  };

  void fire() {
    T value = inside_.pop().value;
    if (!inside_.empty()) scheduler_.schedule(due_, inside_.front().at);
    out_(std::move(value));
  }

  LazyScheduler& scheduler_;
  Time delay_;
  std::function<void(T)> out_;
  Event due_;
  Ring<Inside> inside_;
};

}  // namespace railyard::pcie
