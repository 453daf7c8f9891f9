#include "platforms/common/fabric/flow_totals.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "platforms/common/fabric/port_sums.h"

namespace railyard {

namespace {

constexpr double kGigabitsPerSecond = 8000;  // of a byte a picosecond

/// The least value that at least so large a part of them does not exceed; 0: there are none.
Time nearest_rank(const std::vector<Time>& ascending, double fraction) {
  if (ascending.empty()) return 0;
  const double rank = std::ceil(fraction * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

Time FlowTotals::end_of(std::size_t flow, Time now) const {
  return flows_.ended(flow) ? flows_.completed_at(flow) : now;
}

double FlowTotals::goodput_gbps(Time now) const {
  Time start = kForever;
  Time end = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < flows_.flow_count(); ++i) {
    start = std::min(start, flows_.started_at(i));
    end = std::max(end, end_of(i, now));
    bytes += flows_.received_bytes(i);
  }
  return bytes == 0 || end <= start
             ? 0.0
             : static_cast<double>(bytes) * kGigabitsPerSecond / static_cast<double>(end - start);
}

// R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984.
double FlowTotals::fairness(Time now) const {
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < flows_.flow_count(); ++i) {
    const Time lasted = end_of(i, now) - flows_.started_at(i);
    if (lasted <= 0) continue;
    const double rate = static_cast<double>(flows_.received_bytes(i)) / static_cast<double>(lasted);
    sum += rate;
    squares += rate * rate;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(flows_.flow_count()) * squares) : 0.0;
}

std::uint64_t FlowTotals::unfinished_flows() const {
  std::uint64_t unfinished = 0;
  for (std::size_t i = 0; i < flows_.flow_count(); ++i) {
    if (!flows_.complete(i)) ++unfinished;
  }
  return unfinished;
}

double FlowTotals::completion_us() const {
  Time last = 0;
  for (std::size_t i = 0; i < flows_.flow_count(); ++i) {
    if (!flows_.complete(i)) return 0;
    last = std::max(last, flows_.completed_at(i));
  }
  return static_cast<double>(last - flows_.began()) / kMicrosecond;
}

void FlowTotals::register_all(Simulation& simulation) {
  StatisticsRegistry& statistics = simulation.partition(0).statistics();
  register_port_sums(simulation);
  register_first(statistics, "xoff", "the first XOFF was sent", firsts_.xoff);
  register_first(statistics, "mark", "the first frame was marked CE", firsts_.mark);
  register_first(statistics, "cnp", "the first CNP was sent", firsts_.cnp);
  register_durations(statistics);
  statistics.add_derived({"total.goodput_gbps", "Gb/s",
                          "Payload received of all flows over the time from the first start to the "
                          "last completion, warm-up or not"},
                         [this](Time now, Time) { return MetricValue::of(goodput_gbps(now)); });
  statistics.add_derived({"total.fairness_jain", "fraction",
                          "Jain's index of the flows' goodputs: 1 if all are alike, 1/n if one has "
                          "all"},
                         [this](Time now, Time) { return MetricValue::of(fairness(now)); });
  statistics.add_derived(
      {"total.unfinished_flows", "flows", "Flows of which not every packet has been received"},
      [this](Time, Time) { return MetricValue::of(unfinished_flows()); });
  statistics.add_derived({"total.dropped_frames", "frames", "Frames that all switches dropped"},
                         [this](Time, Time) { return MetricValue::of(network_.dropped_frames()); });
  statistics.add_derived(
      {"total.completion_us", "us",
       "When the last flow was received whole, from when traffic began, warm-up or not; 0: not all "
       "have been"},
      [this](Time, Time) { return MetricValue::of(completion_us()); });
  statistics.add_derived(
      {"total.cyclic_dependency_ports", "ports",
       "Egress ports in a cyclic buffer dependency of the routes: each can wait "
       "for the next, so PFC can deadlock; 0: there is none, and it cannot"},
      [this](Time, Time) { return MetricValue::of(static_cast<std::uint64_t>(cyclic_ports_)); });
}

// --- how long flows took ---

std::vector<Time> FlowTotals::durations() const {
  std::vector<Time> durations;
  for (std::size_t i = 0; i < flows_.flow_count(); ++i) {
    if (flows_.complete(i)) durations.push_back(flows_.completed_at(i) - flows_.started_at(i));
  }
  std::sort(durations.begin(), durations.end());
  return durations;
}

void FlowTotals::register_durations(StatisticsRegistry& statistics) {
  const std::string name = "total.flow_completion_us";
  const std::string doc =
      "From a flow's start to its last byte, of flows that have been received whole, warm-up or "
      "not";
  const auto add = [&](const char* suffix, const char* which, double fraction) {
    statistics.add_derived({name + suffix, "us", doc + ": " + which}, [this, fraction](Time, Time) {
      const auto took = static_cast<double>(nearest_rank(durations(), fraction));
      return MetricValue::of(took / kMicrosecond);
    });
  };
  add("_min", "least", 0);
  add("_p50", "median", 0.5);
  add("_p99", "99th percentile", 0.99);
  add("_max", "most", 1);
}

}  // namespace railyard
