#include "tlm/observe/probe.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace railyard {

namespace {

template <class Entries>
void sort_by_name(Entries& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.info.name < b.info.name; });
  const auto twin =
      std::adjacent_find(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.info.name == b.info.name; });
  if (twin != entries.end()) throw std::logic_error("two probes are named " + twin->info.name);
}

}  // namespace

void Probe::set_real(double value, Time now) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  set(bits, now);
}

void ProbeRegistry::seal() {
  sort_by_name(probes_);
  sort_by_name(taps_);
  sort_by_name(lanes_);
  sort_by_name(moments_);
}

}  // namespace railyard
