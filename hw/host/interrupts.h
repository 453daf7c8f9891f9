// Brings a host's message-signalled interrupts to its cores. An interrupt stays raised until the
// core that waits for it takes it; several before that are taken as one, as in hardware. When and
// how often a device raises one is the device's matter.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "hw/pcie/cpu_port.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::host {

/// A core that waits for a vector; called on time.
class InterruptTarget {
 public:
  virtual ~InterruptTarget() = default;
  virtual void interrupt_raised() = 0;
};

class InterruptController : public pcie::InterruptSink {
 public:
  /// `name` is hierarchical.
  InterruptController(const std::string& name, LazyScheduler& lazy);

  const std::string& name() const { return name_; }

  /// Gives a vector to a core. One that was raised before stays so.
  void route(std::uint32_t vector, InterruptTarget& target) { at(vector).target = &target; }
  /// Whose the vector is; nullptr: nobody's yet.
  InterruptTarget* target(std::uint32_t vector) { return at(vector).target; }

  /// The message's data is the vector. Within the lazy scheduler's time, which is on time.
  void interrupt(std::uint32_t data) override;

  /// When the vector was raised first since it was last taken; kForever: it was not.
  Time raised(std::uint32_t vector) { return at(vector).raised; }
  void take(std::uint32_t vector) { at(vector).raised = kForever; }
  /// How often it was raised in all.
  std::uint64_t count(std::uint32_t vector) { return at(vector).count; }

 private:
  struct Vector {
    InterruptTarget* target = nullptr;
    Time raised = kForever;
    std::uint64_t count = 0;
  };
  Vector& at(std::uint32_t vector) { return vectors_[vector]; }

  std::string name_;
  LazyScheduler& lazy_;
  std::unordered_map<std::uint32_t, Vector> vectors_;
  Counter raised_;
  Counter merged_;
};

}  // namespace railyard::host
