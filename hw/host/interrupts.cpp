#include "hw/host/interrupts.h"

namespace railyard::host {

InterruptController::InterruptController(const std::string& name, LazyScheduler& lazy)
    : name_(name), lazy_(lazy) {
  StatisticsRegistry& statistics = lazy.partition().statistics();
  statistics.add(raised_, {name + ".raised", "interrupts", "Interrupt messages that arrived"});
  statistics.add(merged_, {name + ".merged", "interrupts",
                           "Those whose vector was raised already and not yet taken"});
}

void InterruptController::interrupt(std::uint32_t data) {
  lazy_.on_time(name_);
  Vector& vector = at(data);
  raised_.add();
  ++vector.count;
  if (vector.raised != kForever) {
    merged_.add();
    return;
  }
  vector.raised = lazy_.now();
  if (vector.target != nullptr) vector.target->interrupt_raised();
}

}  // namespace railyard::host
