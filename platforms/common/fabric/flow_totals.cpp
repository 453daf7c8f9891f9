#include "platforms/common/fabric/flow_totals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hw/eth_switch/eth_switch.h"
#include "hw/eth_switch/switch_port.h"

namespace railyard {

namespace {

constexpr double kGigabitsPerSecond = 8000;  // of a byte a picosecond

constexpr std::size_t kShownFlows = 8;
constexpr std::size_t kShownSwitches = 4;
constexpr std::size_t kShownPorts = 6;

std::map<std::string, double> values_of(const std::vector<Metric>& metrics) {
  std::map<std::string, double> values;
  for (const Metric& metric : metrics) values[metric.info.name] = metric.value.real;
  return values;
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

void FlowTotals::register_all(StatisticsRegistry& statistics) {
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

std::vector<std::string> FlowTotals::summary(Simulation& simulation) const {
  std::vector<std::string> names = {"total.goodput_gbps",   "total.fairness_jain",
                                    "total.completion_us",  "total.unfinished_flows",
                                    "total.dropped_frames", "total.pause_depth",
                                    "total.victim_flows"};
  if (cyclic_ports_ != 0) names.emplace_back("total.cyclic_dependency_ports");
  const Values values = values_of(simulation.metrics());
  append_switches(values, names);
  append_ports(values, names);
  for (std::size_t i = 0; i < flows_.flow_count() && i < kShownFlows; ++i) {
    names.push_back("flow" + std::to_string(i) + ".completion_us");
    names.push_back("flow" + std::to_string(i) + ".goodput_gbps");
  }
  return names;
}

/// Of the switches those that dropped most, then those that buffered most.
void FlowTotals::append_switches(const Values& values, std::vector<std::string>& names) const {
  std::vector<std::string> prefixes;
  for (const EthSwitch* node : network_.switches())
    prefixes.push_back(std::string(node->name()) + ".");
  const auto weight = [&](const std::string& prefix) {
    return std::make_pair(values.at(prefix + "dropped_frames"),
                          values.at(prefix + "buffer_peak_bytes"));
  };
  std::stable_sort(prefixes.begin(), prefixes.end(),
                   [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  prefixes.resize(std::min(prefixes.size(), kShownSwitches));
  for (const std::string& prefix : prefixes) {
    names.push_back(prefix + "dropped_frames");
    names.push_back(prefix + "buffer_peak_bytes");
  }
}

/// Of the switches' ports those that paused and marked most.
void FlowTotals::append_ports(const Values& values, std::vector<std::string>& names) const {
  constexpr std::array<const char*, 3> kShown = {"pfc_xoff_sent", "pause_us", "ecn_marked"};
  std::vector<std::pair<double, std::string>> ports;
  for (EthSwitch* node : network_.switches()) {
    for (std::size_t i = 0; i < node->port_count(); ++i) {
      const auto number = static_cast<PortId>(i);
      if (!node->has_port(number)) continue;
      const std::string prefix = std::string(node->port(number).name()) + ".";
      double events = 0;
      for (const char* metric : kShown) events += values.at(prefix + metric);
      if (events > 0) ports.emplace_back(events, prefix);
    }
  }
  std::stable_sort(ports.begin(), ports.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ports.resize(std::min(ports.size(), kShownPorts));
  for (const auto& port : ports) {
    for (const char* metric : kShown) names.push_back(port.second + metric);
  }
}

}  // namespace railyard
