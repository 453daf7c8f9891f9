#include "platforms/common/fabric/port_sums.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace railyard {

namespace {

/// The values of one partition.
struct Part {
  const StatisticsRegistry* statistics;
  std::vector<StatisticsRegistry::Compute> values;
};

/// Fractions are added from the least to the most: the sum does not depend on how a fabric is cut.
MetricValue sum_of(const std::vector<Part>& parts, Time now, bool in_whole) {
  std::uint64_t whole = 0;
  std::vector<double> reals;
  for (const Part& part : parts) {
    if (!part.values.empty()) part.statistics->look();
    for (const auto& value_of : part.values) {
      const MetricValue value = value_of(now, part.statistics->measured(now));
      whole += value.whole;
      reals.push_back(value.real);
    }
  }
  if (in_whole) return MetricValue::of(whole);
  std::sort(reals.begin(), reals.end());
  return MetricValue::of(std::accumulate(reals.begin(), reals.end(), 0.0));
}

}  // namespace

void register_port_sums(Simulation& simulation) {
  const auto add = [&](const std::string& name, bool whole, const char* unit, const char* doc) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
      const StatisticsRegistry& statistics = simulation.partition(i).statistics();
      parts.push_back({&statistics, statistics.values_named(name)});
    }
    simulation.partition(0).statistics().add_derived(
        {"total." + name, unit, doc},
        [parts = std::move(parts), whole](Time now, Time) { return sum_of(parts, now, whole); });
  };
  add("pfc_xoff_sent", true, "frames",
      "PFC frames that all ports sent to pause, refreshes included");
  add("pause_us", false, "us",
      "Time that priorities were paused, summed over all ports; those of hosts count it while they "
      "have something to send");
  add("ecn_marked", true, "frames", "Frames that switches marked CE");
  add("cnp_sent", true, "packets", "CNPs that all hosts sent");
}

}  // namespace railyard
