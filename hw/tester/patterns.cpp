#include "hw/tester/patterns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "hw/tester/patterns_csv.h"
#include "hw/tester/patterns_names.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/units.h"

namespace railyard {

namespace {

using Endpoints = std::vector<PatternEndpoint>;

double picoseconds_of(double bytes, Rate rate) {
  return bytes * static_cast<double>(rate.byte_time_num()) /
         static_cast<double>(rate.byte_time_den());
}

double flow_bytes(const PatternConfig& config) {
  return static_cast<double>(*config.messages) * static_cast<double>(config.message_size);
}

double exponential(double mean, RandomStream& random) {
  return -std::log1p(-random.uniform()) * mean;
}

/// Uniform among all endpoints but `self`.
std::uint32_t another(std::size_t endpoints, std::uint32_t self, RandomStream& random) {
  const auto drawn = static_cast<std::uint32_t>(random.below(endpoints - 1));
  return drawn < self ? drawn : drawn + 1;
}

FlowSpec flow_between(const PatternConfig& config, std::uint32_t source,
                      std::uint32_t destination) {
  FlowSpec flow = default_flow(config);
  flow.source = source;
  flow.destination = destination;
  flow.start += config.stagger.value_or(0) * source;
  return flow;
}

std::vector<FlowSpec> incast(const PatternConfig& config, std::uint32_t endpoints) {
  std::vector<FlowSpec> flows;
  const std::uint32_t receiver = config.receiver.value_or(endpoints - 1);
  const std::uint32_t senders = config.senders.value_or(endpoints - 1);
  for (std::uint32_t i = 0; flows.size() < senders; ++i) {
    if (i == receiver) continue;
    FlowSpec flow = flow_between(config, i, receiver);
    flow.start = config.start + *config.stagger * static_cast<Time>(flows.size());
    flows.push_back(flow);
  }
  return flows;
}

/// Shuffles until nobody is at home: about e times.
std::vector<std::uint32_t> derangement(std::uint32_t endpoints, RandomStream& random) {
  std::vector<std::uint32_t> to(endpoints);
  bool fixed = true;
  while (fixed) {
    std::iota(to.begin(), to.end(), 0U);
    for (std::uint32_t i = endpoints - 1; i > 0; --i) std::swap(to[i], to[random.below(i + 1)]);
    fixed = false;
    for (std::uint32_t i = 0; i < endpoints; ++i) fixed = fixed || to[i] == i;
  }
  return to;
}

std::vector<FlowSpec> permutation(const PatternConfig& config, std::uint32_t endpoints,
                                  RandomStream& random) {
  std::vector<FlowSpec> flows;
  const std::vector<std::uint32_t> to = derangement(endpoints, random);
  for (std::uint32_t i = 0; i < endpoints; ++i) flows.push_back(flow_between(config, i, to[i]));
  return flows;
}

std::vector<FlowSpec> all_to_all(const PatternConfig& config, std::uint32_t endpoints) {
  std::vector<FlowSpec> flows;
  for (std::uint32_t step = 1; step < endpoints; ++step) {
    for (std::uint32_t i = 0; i < endpoints; ++i) {
      flows.push_back(flow_between(config, i, (i + step) % endpoints));
    }
  }
  return flows;
}

std::vector<FlowSpec> ring(const PatternConfig& config, std::uint32_t endpoints) {
  std::vector<FlowSpec> flows;
  const std::uint32_t hops = *config.hops % endpoints;
  for (std::uint32_t i = 0; i < endpoints; ++i) {
    flows.push_back(flow_between(config, i, (i + hops) % endpoints));
  }
  return flows;
}

/// Flows that begin at one endpoint, `gap()` apart, for `duration`; each is what `sized` makes of
/// a flow to another endpoint, and takes the time that it returns off the next gap's start.
template <class Gap, class Sized>
void flows_in_time(const PatternConfig& config, std::size_t endpoints, std::uint32_t source,
                   RandomStream& random, Gap gap, Sized sized, std::vector<FlowSpec>& flows) {
  const auto duration = static_cast<double>(*config.duration);
  // Whole picoseconds below 2^53, so exact.
  for (double at = std::round(gap()); at < duration; at = std::round(at + gap())) {
    FlowSpec flow = flow_between(config, source, another(endpoints, source, random));
    flow.start = config.start + static_cast<Time>(at);
    at += sized(flow);
    flows.push_back(flow);
  }
}

void sort_by_start(std::vector<FlowSpec>& flows) {
  std::stable_sort(flows.begin(), flows.end(), [](const FlowSpec& a, const FlowSpec& b) {
    return std::tie(a.start, a.source) < std::tie(b.start, b.source);
  });
}

double mean_gap(const PatternConfig& config, const PatternEndpoint& endpoint) {
  return picoseconds_of(flow_bytes(config), endpoint.line_rate) / *config.load;
}

std::vector<FlowSpec> poisson(const PatternConfig& config, const Endpoints& endpoints,
                              RandomStream& random) {
  std::vector<FlowSpec> flows;
  for (std::uint32_t i = 0; i < endpoints.size(); ++i) {
    RandomStream own(random.next(), "poisson");
    const double mean = mean_gap(config, endpoints[i]);
    flows_in_time(
        config, endpoints.size(), i, own, [&] { return exponential(mean, own); },
        [](FlowSpec&) { return 0.0; }, flows);
  }
  sort_by_start(flows);
  return flows;
}

/// Whole messages, at least one, that take `time` at `rate`.
std::uint64_t messages_in(double time, Bytes size, Rate rate) {
  const double count = std::floor(time / picoseconds_of(static_cast<double>(size), rate));
  return static_cast<std::uint64_t>(std::clamp(count, 1.0, static_cast<double>(kMostMessages)));
}

std::vector<FlowSpec> on_off(const PatternConfig& config, const Endpoints& endpoints,
                             RandomStream& random) {
  std::vector<FlowSpec> flows;
  for (std::uint32_t i = 0; i < endpoints.size(); ++i) {
    RandomStream own(random.next(), "on_off");
    const Rate rate = config.rate.value_or(endpoints[i].line_rate);
    const auto burst = [&](FlowSpec& flow) {
      const double time = exponential(static_cast<double>(*config.on), own);
      flow.messages = messages_in(time, config.message_size, rate);
      return picoseconds_of(
          static_cast<double>(flow.messages) * static_cast<double>(flow.message_size), rate);
    };
    flows_in_time(
        config, endpoints.size(), i, own,
        [&] { return exponential(static_cast<double>(*config.off), own); }, burst, flows);
  }
  sort_by_start(flows);
  return flows;
}

std::vector<FlowSpec> written_flows(const PatternConfig& config, const Endpoints& endpoints) {
  const EndpointNames names(endpoints);
  std::vector<FlowSpec> flows;
  for (const FlowRow& row : config.flows) {
    FlowSpec flow = default_flow(config);
    try {
      flow.source = names.find(row.source);
      flow.destination = names.find(row.destination);
    } catch (const ConfigError& error) {
      throw ConfigError(row.mark.place(), "traffic.flows: " + error.problem(), error.remedy());
    }
    if (flow.source == flow.destination) {
      throw ConfigError(row.mark.place(),
                        "traffic.flows: a flow from " + endpoints[flow.source].port + " to itself",
                        "write another destination");
    }
    flow.start = row.start.value_or(flow.start);
    flow.messages = row.messages.value_or(flow.messages);
    flow.message_size = row.message_size.value_or(flow.message_size);
    if (row.rate) flow.rate = row.rate;
    flow.priority = row.priority.value_or(flow.priority);
    flows.push_back(flow);
  }
  return flows;
}

/// How many flows to expect of a pattern in time.
double expected_flows(const PatternConfig& config, const Endpoints& endpoints) {
  double flows = 0;
  for (const PatternEndpoint& endpoint : endpoints) {
    double cycle = 0;
    if (config.pattern == Pattern::kPoisson) {
      cycle = mean_gap(config, endpoint);
    } else {
      const double message = picoseconds_of(static_cast<double>(config.message_size),
                                            config.rate.value_or(endpoint.line_rate));
      cycle = std::max(static_cast<double>(*config.on), message) + static_cast<double>(*config.off);
    }
    flows += static_cast<double>(*config.duration) / cycle;
  }
  return flows;
}

void check_incast(const PatternConfig& config, std::size_t endpoints, const RefuseTraffic& refuse) {
  if (config.receiver && *config.receiver >= endpoints) {
    refuse("receiver",
           "there is no endpoint " + std::to_string(*config.receiver) + " among " +
               std::to_string(endpoints),
           "accepted: 0 to " + std::to_string(endpoints - 1));
  }
  if (config.senders && *config.senders >= endpoints) {
    refuse("senders",
           std::to_string(*config.senders) + " senders and a receiver, but " +
               std::to_string(endpoints) + (endpoints == 1 ? " endpoint" : " endpoints"),
           "write at most " + std::to_string(endpoints - 1) + ", or add hosts to the topology");
  }
}

void check_count(const PatternConfig& config, const Endpoints& endpoints,
                 const RefuseTraffic& refuse) {
  const bool in_time = config.pattern == Pattern::kPoisson || config.pattern == Pattern::kOnOff;
  const auto n = static_cast<double>(endpoints.size());
  const double flows = in_time                                ? expected_flows(config, endpoints)
                       : config.pattern == Pattern::kAllToAll ? n * (n - 1)
                                                              : n;
  if (flows <= static_cast<double>(kMostFlows)) return;
  refuse(in_time ? "duration" : "pattern",
         "makes about " + format_number(std::round(flows)) + " flows",
         "accepted: at most " + std::to_string(kMostFlows) +
             (in_time ? "; make it shorter, or the messages larger" : "; take fewer hosts"));
}

}  // namespace

FlowSpec default_flow(const PatternConfig& config) {
  FlowSpec flow;
  flow.messages = config.messages.value_or(1);
  flow.message_size = config.message_size;
  flow.start = config.start;
  flow.rate = config.rate;
  flow.priority = config.priority;
  return flow;
}

bool FlowSpec::operator==(const FlowSpec& o) const {
  return std::tie(source, destination, messages, message_size, start, rate, priority) ==
         std::tie(o.source, o.destination, o.messages, o.message_size, o.start, o.rate, o.priority);
}

void check_pattern(const PatternConfig& config, const Endpoints& endpoints,
                   const RefuseTraffic& refuse) {
  if (endpoints.size() < 2) {
    refuse("pattern", "a fabric of " + std::to_string(endpoints.size()) + " endpoints has no flows",
           "add hosts to the topology");
  }
  if (config.pattern == Pattern::kIncast) check_incast(config, endpoints.size(), refuse);
  if (config.pattern == Pattern::kRing && *config.hops % endpoints.size() == 0) {
    refuse("hops",
           std::to_string(*config.hops) + " hops of " + std::to_string(endpoints.size()) +
               " lead each endpoint to itself",
           "accepted: no multiple of " + std::to_string(endpoints.size()));
  }
  if (config.pattern != Pattern::kList) check_count(config, endpoints, refuse);
}

std::vector<FlowSpec> make_flows(const PatternConfig& config, const Endpoints& endpoints,
                                 RandomStream random) {
  const auto count = static_cast<std::uint32_t>(endpoints.size());
  switch (config.pattern) {
    case Pattern::kIncast:
      return incast(config, count);
    case Pattern::kPermutation:
      return permutation(config, count, random);
    case Pattern::kAllToAll:
      return all_to_all(config, count);
    case Pattern::kRing:
      return ring(config, count);
    case Pattern::kPoisson:
      return poisson(config, endpoints, random);
    case Pattern::kOnOff:
      return on_off(config, endpoints, random);
    case Pattern::kList:
      return config.file ? read_flow_list(*config.file, config, endpoints)
                         : written_flows(config, endpoints);
  }
  return {};
}

}  // namespace railyard
