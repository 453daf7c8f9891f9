#include "hw/pcie/hierarchy.h"

#include <algorithm>

namespace railyard::pcie {

Hierarchy::Hierarchy(sc_core::sc_module_name name, Partition& partition)
    : sc_module(name), scheduler_(partition, this->name()) {}

// A trace wants each change at its time.
void Hierarchy::start_of_simulation() {
  ProbeRegistry& registry = partition().probes();
  const auto on = [](const auto& entry) { return entry.point->on(); };
  if (std::any_of(registry.probes().begin(), registry.probes().end(), on) ||
      std::any_of(registry.lanes().begin(), registry.lanes().end(), on)) {
    scheduler_.set_eager();
  }
}

void Hierarchy::write_starts(Tlp& tlp) {
  if (watched_ && watched_(tlp.address, tlp.bytes)) attend(tlp);
  tlp.generation = generation_;
  ++under_way_[generation_ ? 1 : 0];
}

void Hierarchy::write_ends(Tlp& tlp) {
  arrived(tlp);
  if (--under_way_[tlp.generation ? 1 : 0] > 0 || !draining_) return;
  if (under_way_[generation_ ? 0 : 1] > 0) return;
  draining_ = false;
  scheduler_.relax();
  if (again_) {
    again_ = false;
    watch_added();
  }
}

void Hierarchy::watch_added() {
  if (draining_) {
    again_ = true;
    return;
  }
  if (under_way_[generation_ ? 1 : 0] == 0) return;
  generation_ = !generation_;
  draining_ = true;
  scheduler_.attend();
}

}  // namespace railyard::pcie
