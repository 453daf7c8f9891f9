#include "platforms/common/topology/summary.h"

#include <algorithm>
#include <map>

#include "platforms/common/topology/dependencies.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

/// Whole bits a second.
std::uint64_t bits(Rate rate) { return rate.numerator() / rate.denominator(); }

/// For print: the sum of odd rates need not be one that a link can have.
Rate rounded(std::uint64_t bits) {
  std::uint64_t unit = 10'000;
  while (bits / unit > 1'000'000'000) unit *= 10;
  return Rate::bits_per_second((bits + unit / 2) / unit * unit);
}

/// The sum over the links of a sort.
struct Capacity {
  std::uint64_t links = 0;
  std::uint64_t bits = 0;

  void add(Rate rate) {
    ++links;
    bits += railyard::bits(rate);
  }
};

struct Capacities {
  Capacity hosts;
  Capacity fabric;
};

Capacities capacities(const Topology& topology) {
  Capacities sum;
  for (const Topology::Link& link : topology.links()) {
    (link.a.node < topology.hosts() ? sum.hosts : sum.fabric).add(link.rate);
  }
  return sum;
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// "4 leaf, 2 spine": switches by the letters that their names begin with.
std::string sorts(const Topology& topology) {
  std::map<std::string, std::uint32_t> counts;
  for (std::uint32_t i = topology.hosts(); i < topology.nodes().size(); ++i) {
    const std::string& name = topology.nodes()[i].name;
    ++counts[name.substr(0, name.find_first_of("0123456789"))];
  }
  std::string text;
  if (counts.size() < 2) return text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? " (" : ", ") + std::to_string(count) + " " + name;
  }
  return text + ")";
}

std::string routing_text(const Topology& topology, const Routes& routes) {
  const RoutingMode mode = routes.mode();
  std::string text = mode == RoutingMode::kShortest ? "shortest"
                     : mode == RoutingMode::kUpDown ? "up-down"
                                                    : "dimension-order";
  text += " routes of at most " + counted(routes.longest(), "hop", "hops") + " between switches, ";
  const std::vector<Topology::Port> cycle = find_dependency_cycle(topology, routes);
  if (cycle.empty()) return text + "no cyclic buffer dependency";
  text += "a cyclic buffer dependency of " + std::to_string(cycle.size()) + " ports: ";
  for (std::size_t i = 0; i < cycle.size() && i < 8; ++i) {
    text += (i == 0 ? "" : " ") + topology.name_of(cycle[i]);
  }
  return text + (cycle.size() > 8 ? " ..." : "");
}

}  // namespace

std::optional<std::uint64_t> bisection_bandwidth(const Topology& topology) {
  const Capacities sum = capacities(topology);
  if (topology.hosts() == 0) return std::nullopt;
  const std::uint64_t of_hosts = sum.hosts.bits / topology.hosts() * (topology.hosts() / 2);
  switch (topology.kind()) {
    case TopologyKind::kStar:
      return of_hosts;
    case TopologyKind::kLeafSpine:  // half of the leaves send to the other half
      return std::min(of_hosts, sum.fabric.bits / 2);
    case TopologyKind::kFatTree:  // of the two equal layers of links, the upper is cut
      return std::min(of_hosts, sum.fabric.bits / 2 / 2);
    default:
      return std::nullopt;
  }
}

std::uint32_t diameter(const Topology& topology) {
  return Routes(topology, RoutingMode::kShortest).longest();
}

std::string summary(const Topology& topology, const Routes& routes) {
  std::string text = std::string(name_of(topology.kind())) + ": " +
                     counted(topology.hosts(), "host", "hosts") + ", " +
                     counted(topology.switches(), "switch", "switches") + sorts(topology) + ", " +
                     counted(topology.links().size(), "link", "links") + ", diameter " +
                     std::to_string(diameter(topology));
  if (topology.kind() == TopologyKind::kLeafSpine) {
    const Capacities sum = capacities(topology);
    text +=
        ", oversubscription " +
        format_number(static_cast<double>(sum.hosts.bits) / static_cast<double>(sum.fabric.bits)) +
        ":1";
  }
  if (const auto bandwidth = bisection_bandwidth(topology); bandwidth && *bandwidth > 0) {
    text += ", bisection bandwidth " + format_rate(rounded(*bandwidth)) + " one way";
  }
  return text + ", " + routing_text(topology, routes);
}

}  // namespace railyard
