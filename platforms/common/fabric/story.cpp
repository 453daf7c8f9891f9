#include "platforms/common/fabric/story.h"

#include <algorithm>
#include <map>
#include <set>

#include "tlm/base/format.h"

namespace railyard {

namespace {

/// Metrics by their names.
class Values {
 public:
  explicit Values(const std::vector<Metric>& metrics) {
    for (const Metric& metric : metrics) values_[metric.info.name] = metric.value;
  }

  double real(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? 0 : found->second.real;
  }
  std::uint64_t whole(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? 0 : found->second.whole;
  }
  std::uint64_t sum(const std::string& ending) const {
    std::uint64_t sum = 0;
    for (const auto& [name, value] : values_) {
      const bool ends = name.size() >= ending.size() &&
                        name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
      if (ends) sum += value.whole;
    }
    return sum;
  }
  Story::Times times(const std::string& name) const {
    return {real(name + "_min"), real(name + "_p50"), real(name + "_p99"), real(name + "_max")};
  }

 private:
  std::map<std::string, MetricValue> values_;
};

/// One by its name, more by their number.
std::string hosts_text(const std::set<std::string>& hosts) {
  return hosts.size() == 1 ? *hosts.begin() : std::to_string(hosts.size()) + " hosts";
}

/// The ends of all flows.
struct Ends {
  std::set<std::string> senders, receivers;
  double sent_gbps = 0;
  double received_gbps = 0;
};

Ends ends_of(const FlowResults& flows, const std::vector<PatternEndpoint>& endpoints) {
  std::set<std::uint32_t> sources;
  std::set<std::uint32_t> destinations;
  for (std::size_t i = 0; i < flows.flow_count(); ++i) {
    sources.insert(flows.source_of(i));
    destinations.insert(flows.destination_of(i));
  }
  constexpr double kGiga = 1e9;
  Ends ends;
  for (const std::uint32_t i : sources) {
    ends.senders.insert(endpoints[i].host);
    ends.sent_gbps += endpoints[i].line_rate.bits_per_second() / kGiga;
  }
  for (const std::uint32_t i : destinations) {
    ends.receivers.insert(endpoints[i].host);
    ends.received_gbps += endpoints[i].line_rate.bits_per_second() / kGiga;
  }
  return ends;
}

std::string traffic_text(const FlowResults& flows, const Ends& ends) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < flows.flow_count(); ++i) {
    least = std::min(least, flows.bytes_of(i));
    most = std::max(most, flows.bytes_of(i));
  }
  const std::size_t count = flows.flow_count();
  const std::string sizes = least == most
                                ? format_bytes(Bytes(most)) + (count == 1 ? "" : " each")
                                : format_bytes(Bytes(least)) + " to " + format_bytes(Bytes(most));
  return std::to_string(count) + (count == 1 ? " flow" : " flows") + " from " +
         hosts_text(ends.senders) + " to " + hosts_text(ends.receivers) + ", " + sizes;
}

Story::Events events_of(const FirstMoment& first, Time began, std::uint64_t count) {
  Story::Events events;
  events.count = count;
  events.happened = first.happened();
  if (!events.happened) return events;
  const Time since = began == kForever ? 0 : first.at() - began;
  events.first = static_cast<double>(since) / kMicrosecond;
  events.where = first.where();
  return events;
}

}  // namespace

Story tell(const FlowResults& flows, const std::vector<PatternEndpoint>& endpoints,
           const Firsts& firsts, const std::vector<Metric>& metrics) {
  const Values values(metrics);
  const Ends ends = ends_of(flows, endpoints);
  Story story;
  story.traffic = traffic_text(flows, ends);
  story.goodput_gbps = values.real("total.goodput_gbps");
  story.line_gbps = std::min(ends.sent_gbps, ends.received_gbps);
  story.fairness = values.real("total.fairness_jain");
  story.flows = flows.flow_count();
  story.finished = story.flows - values.whole("total.unfinished_flows");
  story.failed = values.whole("total.failed_flows");
  story.wrong_bytes = values.whole("total.wrong_bytes");
  if (story.finished > 0) story.completion = values.times("total.flow_completion_us");
  if (values.whole("total.message_us_count") > 0) story.message = values.times("total.message_us");
  story.mark = events_of(firsts.mark, flows.began(), values.whole("total.ecn_marked"));
  story.cnp = events_of(firsts.cnp, flows.began(), values.whole("total.cnp_sent"));
  story.xoff = events_of(firsts.xoff, flows.began(), values.whole("total.pfc_xoff_sent"));
  story.dropped = values.whole("total.dropped_frames");
  story.overflowed = values.sum(".receive_overflow") + values.sum(".overflow");
  story.repeated = values.sum(".requester.packets_again");
  story.cyclic_ports = values.whole("total.cyclic_dependency_ports");
  return story;
}

}  // namespace railyard
