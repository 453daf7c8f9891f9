#include "platforms/common/congestion/congestion_monitor.h"

#include <utility>

namespace railyard {

CongestionMonitor::CongestionMonitor(std::vector<PausePort> ports, std::vector<FlowPath> flows,
                                     TimeOf completed_at, TimeOf started_at)
    : ports_(std::move(ports)),
      flows_(std::move(flows)),
      completed_at_(std::move(completed_at)),
      started_at_(std::move(started_at)) {}

const CongestionReport& CongestionMonitor::at(Time now) {
  bool changed = now != analysed_at_ || revision() != analysed_revision_;
  for (FlowPath& flow : flows_) {
    const Time end = completed_at_(flow.flow);
    changed = changed || end != flow.end;
    flow.end = end;
    if (started_at_) flow.start = started_at_(flow.flow);
  }
  if (!changed) return report_;
  report_ = analyse_congestion(ports_, flows_, now);
  analysed_at_ = now;
  analysed_revision_ = revision();
  return report_;
}

/// A device's log counts once a port; it still changes with every change.
std::uint64_t CongestionMonitor::revision() const {
  std::uint64_t sum = 0;
  for (const PausePort& port : ports_) sum += port.log->revision();
  return sum;
}

void register_congestion_metrics(StatisticsRegistry& statistics, CongestionMonitor& monitor) {
  const auto add = [&](const char* name, const char* unit, const char* doc, auto value_of) {
    statistics.add_derived({name, unit, doc}, [&monitor, value_of](Time now, Time) {
      return MetricValue::of(value_of(monitor.at(now)));
    });
  };
  add("total.pause_depth", "hops",
      "How far pauses spread from what caused them, at most; 1: no further than the ports that "
      "feed the congested switch, or the slow receiver; warm-up or not",
      [](const CongestionReport& report) { return std::uint64_t{report.depth}; });
  add("total.congestion_roots", "roots",
      "Ports, and cycles of ports, that pauses go back to, by priority; warm-up or not",
      [](const CongestionReport& report) { return std::uint64_t{report.trees.size()}; });
  add("total.victim_flows", "flows",
      "Flows held by pauses whose root is not on their path; warm-up or not",
      [](const CongestionReport& report) { return std::uint64_t{report.victims.size()}; });
  add("total.victim_lost_us", "us",
      "Time for which their sources held victim flows, summed; warm-up or not",
      [](const CongestionReport& report) {
        return static_cast<double>(report.victims_lost) / kMicrosecond;
      });
}

}  // namespace railyard
