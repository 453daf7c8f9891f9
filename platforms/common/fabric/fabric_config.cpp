#include "platforms/common/fabric/fabric_config.h"

#include <fmt/format.h>

#include "hw/congestion/dcqcn.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {
double gigabits(Rate rate) { return rate.bits_per_second() / 1e9; }
}  // namespace

void NicConfig::declare(Parameters& p) {
  p.choice("path_mtu", path_mtu,
           {{"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}, {"4096", 4096}})
      .doc("Largest payload of a RoCE packet, bytes");
  p.choice("ip", ip, {{"ipv4", IpVersion::k4}, {"ipv6", IpVersion::k6}})
      .doc("Family of the hosts' addresses");
}

void StuckPort::declare(Parameters& p) {
  p.add("port", port).required().doc("A host's port, such as h3.nic0, or a host of one port: h3");
  p.add("at", at).range(0, 1000 * kSecond).doc("When it stops to take from its receive buffer");
  p.add("lasts", lasts).range(0, 1000 * kSecond).doc("For how long; 0s: for good");
  p.where(mark);
}

void FabricConfig::declare(Parameters& p) {
  declare_network(p);
  p.group("tester", tester).doc("All hosts' ports");
  p.group("nic", nic).doc("All hosts' ports, whatever stands behind them");
  declare_traffic(p);
  p.check([this](const Bound& bound) { resolve_testers(resolve(bound), bound); });
}

void FabricConfig::declare_network(Parameters& p) {
  p.choice("data", data, {{"carried", DataMode::kCarried}, {"elided", DataMode::kElided}})
      .doc("Whether payload bytes move and are checked, or are a length only; timing is the same");
  p.group("link", link).doc("All links; the topology may give some another rate and length");
  p.group("topology", topology).doc("Hosts, switches, and cables between them");
  p.group("congestion", congestion)
      .doc("Congestion control of the endpoints, and the blocks that PFC and ECN have too");
  p.group("switch", switches).doc("All switches");
}

void FabricConfig::declare_traffic(Parameters& p) {
  p.group("traffic", traffic).doc("Who sends what to whom");
  p.list("stuck", stuck).doc("Receivers that get stuck");
}

Topology FabricConfig::resolve(const Bound& bound) {
  if (topology.kind == TopologyKind::kStar && traffic.senders && !bound.has("topology.hosts")) {
    topology.hosts = *traffic.senders + 1;
    check_topology(topology, [&](const auto& key, const auto& problem, const auto& remedy) {
      bound.fail("traffic.senders", "topology." + key + " " + problem, remedy);
    });
  }
  if (switches.profile != SwitchProfile::kCustom && !bound.has("link.rate")) {
    link.rate = switch_profile(switches.profile).rate.value;
  }
  Topology built = build_topology(topology, link);
  check_capacity(built, bound);
  check_pattern(traffic, endpoints_of(built),
                [&](const auto& key, const auto& problem, const auto& remedy) {
                  bound.fail("traffic." + key, problem, remedy);
                });
  return built;
}

void FabricConfig::resolve_testers(const Topology& built, const Bound& bound) {
  control_congestion(built, bound);
  check_stuck(EndpointNames(endpoints_of(built)));
}

// A profile's ports may be split and joined, as they are in silicon: what counts is their sum.
void FabricConfig::check_capacity(const Topology& built, const Bound& bound) const {
  if (switches.profile == SwitchProfile::kCustom) return;
  const SwitchProfileValues v = switch_profile(switches.profile);
  const double capacity = v.ports.value * gigabits(v.rate.value);
  std::vector<double> rates(built.nodes().size(), 0);
  for (const Topology::Link& l : built.links()) {
    rates[l.a.node] += gigabits(l.rate);
    rates[l.b.node] += gigabits(l.rate);
  }
  for (std::size_t i = built.hosts(); i < rates.size(); ++i) {
    if (rates[i] <= capacity) continue;
    bound.fail("switch.profile",
               fmt::format("the {} ports of {} sum to {:g} Gb/s, more than the {:g} Gb/s ({} x {}) "
                           "of the profile",
                           built.nodes()[i].ports, built.nodes()[i].name, rates[i], capacity,
                           v.ports.value, format_rate(v.rate.value)),
               "connect less, write slower links, or choose a larger profile or custom");
  }
}

void FabricConfig::control_congestion(const Topology& built, const Bound& bound) {
  congestion.refuse_unused(bound);
  if (!congestion.controls()) return;
  tester.cnp.follow(congestion, bound, "tester.cnp");
  check_controlled_rates(built, bound);
}

void check_controlled_rates(const Topology& built, const Bound& bound) {
  for (const PatternEndpoint& endpoint : endpoints_of(built)) {
    if (gigabits(endpoint.line_rate) <= Dcqcn::kMostGbps) continue;
    bound.fail("congestion.algorithm",
               fmt::format("dcqcn's rates reach {:g} Gb/s, and {} has {:g}", Dcqcn::kMostGbps,
                           endpoint.port, gigabits(endpoint.line_rate)),
               "write slower links of hosts, or congestion.algorithm: none");
  }
}

/// A port's times must be apart, in whatever order they are written.
void FabricConfig::check_stuck(const EndpointNames& names) const {
  const auto end = [](Time at, Time lasts) { return lasts == 0 ? kForever : at + lasts; };
  std::vector<std::uint32_t> ports;
  for (const StuckPort& s : stuck) ports.push_back(endpoint_of(s, names));
  for (std::size_t i = 0; i < stuck.size(); ++i) {
    const auto refuse_overlap = [&](Time at, Time lasts, const std::string& other) {
      if (stuck[i].at > end(at, lasts) || at > end(stuck[i].at, stuck[i].lasts)) return;
      throw ConfigError(stuck[i].mark.place(),
                        "stuck: the time of " + stuck[i].port + " meets " + other,
                        "write times apart");
    };
    for (const StuckWindow& w : tester.stuck) refuse_overlap(w.at, w.lasts, "one of tester.stuck");
    for (std::size_t j = 0; j < i; ++j) {
      if (ports[j] == ports[i]) refuse_overlap(stuck[j].at, stuck[j].lasts, "another of that port");
    }
  }
}

std::vector<PatternEndpoint> endpoints_of(const Topology& topology) {
  std::vector<PatternEndpoint> endpoints;
  endpoints.reserve(topology.endpoints().size());
  for (const Topology::Endpoint& endpoint : topology.endpoints()) {
    const std::string& host = topology.nodes()[endpoint.nic.node].name;
    endpoints.push_back({host, host + ".nic" + std::to_string(endpoint.nic.port),
                         topology.links()[endpoint.link].rate});
  }
  return endpoints;
}

std::uint32_t endpoint_of(const StuckPort& stuck, const EndpointNames& names) {
  try {
    return names.find(stuck.port);
  } catch (const ConfigError& error) {
    throw ConfigError(stuck.mark.place(), "stuck: " + error.problem(), error.remedy());
  }
}

TesterAddress address_of(std::uint32_t endpoint, IpVersion version) {
  const std::uint32_t n = endpoint + 1;
  const auto byte = [&](unsigned i) { return static_cast<std::uint8_t>(n >> (8 * i)); };
  TesterAddress address{{{0x02, 0, 0, byte(2), byte(1), byte(0)}},
                        net::Ipv4Address{0x0A000000 + n}};
  if (version == IpVersion::k6) {
    net::Ipv6Address ip;
    ip.bytes[0] = 0xFD;
    for (unsigned i = 0; i < 4; ++i) ip.bytes[15 - i] = byte(i);
    address.ip = ip;
  }
  return address;
}

}  // namespace railyard
