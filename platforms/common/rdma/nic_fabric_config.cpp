#include "platforms/common/rdma/nic_fabric_config.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace railyard::rdma {

namespace {

constexpr unsigned kDscpShift = 2;      // in a traffic class
constexpr unsigned kPriorityShift = 3;  // in a DSCP

/// A NIC counts a packet to the priority that its DSCP says.
std::uint8_t priority_of(std::uint8_t dscp) {
  return static_cast<std::uint8_t>(dscp >> kPriorityShift);
}

/// Keys of group `traffic` that NICs have nothing for.
void check_traffic(const PatternConfig& traffic, const Bound& bound) {
  bound.needs("traffic.rate", traffic.rate.has_value(), "source: tester");
  bound.needs("traffic.vlan", traffic.vlan.has_value(), "source: tester");
  bound.needs("traffic.ect", !traffic.ect, "source: tester");
  for (const FlowRow& row : traffic.flows) {
    if (!row.rate) continue;
    throw ConfigError(row.mark.place(), "traffic.flows: NICs have no rate of a flow",
                      "leave rate out, or write source: tester");
  }
  const std::uint8_t dscp = traffic.dscp_of(traffic.priority);
  if (priority_of(dscp) == traffic.priority) return;
  bound.fail("traffic.dscp",
             fmt::format("a NIC counts DSCP {} to priority {}, not {}", dscp, priority_of(dscp),
                         traffic.priority),
             "write a DSCP of 8 * priority to 8 * priority + 7");
}

/// What only a list of flows can ask for; it may be a file.
void check_flow(const FlowSpec& flow, const PatternConfig& traffic) {
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    throw ConfigError(traffic.mark.place(), "traffic: " + problem, remedy);
  };
  if (flow.rate) {
    refuse("NICs have no rate of a flow", "leave rate out, or write source: tester");
  }
  const std::uint8_t dscp = traffic.dscp_of(flow.priority);
  if (priority_of(dscp) == flow.priority) return;
  refuse(fmt::format("a NIC counts DSCP {} to priority {}, not to {} of a flow", dscp,
                     priority_of(dscp), flow.priority),
         "leave traffic.dscp out, or the flow's priority");
}

}  // namespace

void NicFabricConfig::declare(Parameters& p) {
  p.choice("source", source, {{"nic", Source::kNic}, {"tester", Source::kTester}})
      .doc(
          "What flows come from: hosts whose software posts RDMA WRITEs to NICs, or testers, ports "
          "that make the packets by themselves");
  fabric.declare_network(p);
  p.group("tester", fabric.tester).doc("Of source: tester, all hosts' ports");
  fabric.declare_traffic(p);
  hosts.declare(p);
  p.group("requests", requests).doc("Of source: nic, how software posts");
  p.check([this](const Bound& bound) { resolve(bound); });
}

void NicFabricConfig::resolve(const Bound& bound) {
  fabric.nic.path_mtu = hosts.nic.path_mtu;
  fabric.nic.ip = hosts.nic.ip;
  if (source == Source::kNic) {
    resolve_nics(bound);
  } else {
    resolve_testers(bound);
  }
}

void NicFabricConfig::resolve_testers(const Bound& bound) {
  constexpr std::array<const char*, 5> kGroups = {"host", "pcie", "pcie_link", "verbs", "requests"};
  for (const char* group : kGroups) bound.needs(group, bound.has(group), "source: nic");
  bound.needs("slow", !hosts.slow.empty(), "source: nic");
  fabric.resolve_testers(fabric.resolve(bound), bound);
}

void NicFabricConfig::resolve_nics(const Bound& bound) {
  bound.needs("tester", bound.has("tester"), "source: tester");
  bound.needs("stuck", !fabric.stuck.empty(), "source: tester");
  check_traffic(fabric.traffic, bound);
  hosts.resolve(bound, fabric.link);
  hosts.data = fabric.data;
  const Topology built = fabric.resolve(bound);
  if (built.endpoints().size() != built.hosts()) {
    bound.fail("topology", "hosts have one NIC here", "take a kind with one port a host");
  }
  hosts.control(fabric.congestion, built, bound);
}

std::vector<Flow> flows_of(const NicFabricConfig& config,
                           const std::vector<PatternEndpoint>& endpoints, RandomStream random) {
  std::vector<Flow> flows;
  for (const FlowSpec& spec : make_flows(config.fabric.traffic, endpoints, std::move(random))) {
    check_flow(spec, config.fabric.traffic);
    Flow flow;
    flow.source = spec.source;
    flow.destination = spec.destination;
    flow.messages = spec.messages;
    flow.message_size = spec.message_size;
    flow.start = spec.start;
    flow.path_mtu = config.hosts.nic.path_mtu;
    flow.traffic_class = static_cast<std::uint32_t>(config.fabric.traffic.dscp_of(spec.priority))
                         << kDscpShift;
    flows.push_back(flow);
  }
  return flows;
}

}  // namespace railyard::rdma
