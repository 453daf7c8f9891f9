// One direction of a function's way: moves one behind another at a rate, exact to the picosecond
// however many (ByteClock).
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "hw/pcie/hierarchy.h"
#include "hw/pcie/ideal_move.h"
#include "tlm/base/rate.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class IdealLane {
 public:
  /// `out` takes each move when its last byte has passed; IdealMove::first is when its first did.
  IdealLane(Hierarchy& hierarchy, const std::string& name, Rate rate,
            std::function<void(MoveRef)> out);

  /// `first`: when the first of its bytes was there, now or, if the lane before passes bytes on as
  /// they come, earlier. `bytes`: that it takes; none for a request or an error.
  void push(MoveRef move, std::uint32_t bytes, Time first);
  /// When the move under way ends; kForever if there is none.
  Time end() const { return end_.time(); }

 private:
  struct Waiting {
    MoveRef move;
    std::uint32_t bytes = 0;
    Time first = 0;
  };

  void begin();
  void fire();

  LazyScheduler& scheduler_;
  ByteClock clock_;
  std::function<void(MoveRef)> out_;
  Event end_;
  Ring<Waiting> waiting_;  // the front is under way
};

}  // namespace railyard::pcie
