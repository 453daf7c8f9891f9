#include "hw/pcie/ideal_lane.h"

#include <algorithm>

namespace railyard::pcie {

IdealLane::IdealLane(Hierarchy& hierarchy, const std::string& name, Rate rate,
                     std::function<void(MoveRef)> out)
    : scheduler_(hierarchy.scheduler()),
      clock_(rate),
      out_(std::move(out)),
      end_(Event::of<&IdealLane::fire>(*this, hierarchy.partition().endpoint(name),
                                       Phase::kTransmitDone)) {}

void IdealLane::push(MoveRef move, std::uint32_t bytes, Time first) {
  waiting_.push({std::move(move), bytes, first});
  if (!end_.pending()) begin();
}

// The burst goes on, with its fraction of a picosecond, unless the lane has been idle.
void IdealLane::begin() {
  Waiting& next = waiting_.front();
  if (clock_.now() < next.first) clock_.start(next.first);
  next.move->first = clock_.now();
  scheduler_.schedule(end_, std::max(clock_.advance(next.bytes), scheduler_.now()));
}

void IdealLane::fire() {
  MoveRef move = waiting_.pop().move;
  if (!waiting_.empty()) begin();
  out_(std::move(move));
}

}  // namespace railyard::pcie
