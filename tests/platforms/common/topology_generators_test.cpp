// Each generator against closed forms: counts, wiring, distances, paths.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "platforms/common/topology/dependencies.h"
#include "platforms/common/topology/summary.h"
#include "tests/platforms/common/topology_support.h"
#include "tlm/base/format.h"

namespace railyard {
namespace {

using testing::ElementsAre;

std::string key(const char* name, std::uint64_t value) {
  return std::string(", ") + name + ": " + std::to_string(value);
}

/// How many ports of the node have a cable.
std::uint32_t cabled(const Topology& topology, std::uint32_t node) {
  std::uint32_t count = 0;
  for (std::uint32_t port = 0; port < topology.nodes()[node].ports; ++port) {
    count += topology.peer({node, port}) ? 1 : 0;
  }
  return count;
}

std::uint32_t cabled(const Topology& topology, const std::string& name) {
  return cabled(topology, topology.find(name).value());
}

/// Other than the closed forms: names are identifiers and found, cables are symmetric, and every
/// endpoint is reached from every switch that has hosts, if the fabric is of one part.
void expect_sound(const Topology& topology) {
  for (std::uint32_t node = 0; node < topology.nodes().size(); ++node) {
    const Topology::Node& n = topology.nodes()[node];
    EXPECT_TRUE(is_identifier(n.name)) << n.name;
    EXPECT_EQ(topology.find(n.name), node) << n.name;
    EXPECT_EQ(n.is_switch, node >= topology.hosts());
    EXPECT_EQ(n.tier > 0, n.is_switch);
    EXPECT_GE(n.ports, n.is_switch ? kMinSwitchPorts : cabled(topology, node));
    EXPECT_GE(cabled(topology, node), n.is_switch ? 1 : n.ports);
  }
  for (const Topology::Link& link : topology.links()) {
    EXPECT_LT(link.a, link.b);
    EXPECT_EQ(topology.peer(link.a), link.b);
    EXPECT_EQ(topology.peer(link.b), link.a);
  }
  const std::vector<std::uint32_t> parts = topology.parts();
  if (*std::max_element(parts.begin(), parts.end()) > 0) return;
  const Routes routes(topology, RoutingMode::kShortest);
  for (const Topology::Endpoint& from : topology.endpoints()) {
    for (std::uint32_t to = 0; to < topology.endpoints().size(); ++to) {
      ASSERT_FALSE(routes.ports(from.at.node, to).empty());
    }
  }
}

TEST(BackToBack, IsTwoHostsAndACable) {
  const Topology t = built("kind: back_to_back");
  ASSERT_EQ(t.hosts(), 2U);
  EXPECT_EQ(t.switches(), 0U);
  ASSERT_EQ(t.endpoints().size(), 2U);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(t.endpoints()[i].nic == (Topology::Port{i, 0}));
    EXPECT_TRUE(t.endpoints()[i].at == (Topology::Port{1 - i, 0}));
  }
  const Routes routes(t, RoutingMode::kShortest);
  EXPECT_TRUE(routes.join(t, 0, 1));
  EXPECT_FALSE(routes.join(t, 0, 0));
  EXPECT_TRUE(find_dependency_cycle(t, routes).empty());
}

TEST(BackToBack, HasNoKeysOfOtherKinds) {
  for (const char* key : {"hosts: 2", "radix: 4", "fabric_rate: 100Gbps"}) {
    EXPECT_NE(refusal(std::string("topology: {kind: back_to_back, ") + key + "}"), "") << key;
  }
}

TEST(Star, HasOneSwitchWithHostIAtPortI) {
  for (const std::uint32_t hosts : {1U, 2U, 3U, 9U, 257U, 512U}) {
    const Topology t = built("kind: star" + key("hosts", hosts));
    EXPECT_EQ(t.hosts(), hosts);
    EXPECT_EQ(t.switches(), 1U);
    EXPECT_EQ(t.links().size(), hosts);
    EXPECT_EQ(t.nodes().back().ports, std::max(4U, hosts));
    for (std::uint32_t i = 0; i < hosts; ++i) {
      EXPECT_EQ(t.nodes()[i].name, "h" + std::to_string(i));
      EXPECT_EQ(t.peer({i, 0}), (Topology::Port{hosts, i}));
    }
    EXPECT_EQ(diameter(t), 0U);
    expect_sound(t);
  }
}

TEST(LeafSpine, HasClosedFormCountsAndAPathForEachSpine) {
  for (const std::uint32_t leaves : {1U, 2U, 5U, 12U}) {
    for (const std::uint32_t spines : {1U, 2U, 7U}) {
      for (const std::uint32_t down : {1U, 3U, 8U}) {
        const Topology t = built("kind: leaf_spine" + key("leaves", leaves) +
                                 key("spines", spines) + key("hosts_per_switch", down));
        EXPECT_EQ(t.hosts(), leaves * down);
        EXPECT_EQ(t.switches(), leaves + spines);
        EXPECT_EQ(t.links().size(), leaves * (down + spines));
        EXPECT_EQ(cabled(t, "leaf" + std::to_string(leaves - 1)), down + spines);
        EXPECT_EQ(cabled(t, "spine0"), leaves);
        expect_sound(t);
        if (leaves == 1) continue;
        EXPECT_EQ(diameter(t), 2U);
        const Routes routes(t, RoutingMode::kShortest);
        EXPECT_EQ(count_paths(t, routes, t.endpoints().front().at.node, t.hosts() - 1), spines);
      }
    }
  }
}

TEST(LeafSpine, IsWiredAsItsHeaderSays) {
  const Topology t = built("kind: leaf_spine, leaves: 12, spines: 3, hosts_per_switch: 2");
  EXPECT_EQ(t.name_of(*t.peer({*t.find("h23"), 0})), "leaf11.1");
  EXPECT_EQ(t.name_of(*t.peer({*t.find("leaf11"), 4})), "spine2.11");
}

TEST(FatTree, HasClosedFormCounts) {
  for (std::uint32_t k = 2; k <= 12; k += 2) {
    const Topology t = built("kind: fat_tree" + key("k", k));
    EXPECT_EQ(t.hosts(), k * k * k / 4);
    EXPECT_EQ(t.switches(), 5 * k * k / 4);
    EXPECT_EQ(t.links().size(), 3 * k * k * k / 4);
    for (std::uint32_t i = t.hosts(); i < t.nodes().size(); ++i) EXPECT_EQ(cabled(t, i), k);
    expect_sound(t);
    EXPECT_EQ(diameter(t), 4U);
  }
}

TEST(FatTree, HasAPathForEachCoreBetweenPodsAndForEachAggWithinOne) {
  for (std::uint32_t k = 4; k <= 10; k += 2) {
    const Topology t = built("kind: fat_tree" + key("k", k));
    for (const RoutingMode mode : {RoutingMode::kShortest, RoutingMode::kUpDown}) {
      const Routes routes(t, mode);
      const std::uint32_t from = t.find("edge0").value();
      for (std::uint32_t host = 0; host < t.hosts(); ++host) {
        const Topology::Node& edge = t.nodes()[t.endpoints()[host].at.node];
        const std::uint64_t expected = edge.name == "edge0"       ? 1
                                       : edge.position.at(0) == 0 ? k / 2
                                                                  : k / 2 * (k / 2);
        ASSERT_EQ(count_paths(t, routes, from, host), expected) << edge.name;
      }
      EXPECT_EQ(routes.longest(), 4U);
    }
  }
}

TEST(FatTree, IsWiredAsItsHeaderSays) {
  const Topology t = built("kind: fat_tree, k: 4");
  EXPECT_EQ(t.name_of(*t.peer({*t.find("edge5"), 0})), "h10.0");
  EXPECT_EQ(t.name_of(*t.peer({*t.find("edge5"), 3})), "agg5.1");
  EXPECT_EQ(t.name_of(*t.peer({*t.find("agg5"), 2})), "core2.2");
  EXPECT_THAT(t.nodes()[*t.find("agg5")].position, ElementsAre(2, 1));
}

TEST(RailOptimised, HasNicIOfEveryHostOnRailI) {
  for (const std::uint32_t hosts : {1U, 2U, 16U}) {
    for (const std::uint32_t nics : {1U, 8U}) {
      for (const std::uint32_t spines : {0U, 1U, 4U}) {
        const Topology t =
            built("kind: rail_optimised" + key("hosts", hosts) + key("nics_per_host", nics) +
                  (spines > 0 ? key("spines", spines) : ""));
        EXPECT_EQ(t.hosts(), hosts);
        EXPECT_EQ(t.switches(), nics + spines);
        EXPECT_EQ(t.links().size(), nics * (hosts + spines));
        EXPECT_EQ(t.endpoints().size(), hosts * nics);
        for (const Topology::Endpoint& e : t.endpoints()) {
          EXPECT_EQ(t.name_of(e.at),
                    "rail" + std::to_string(e.nic.port) + "." + std::to_string(e.nic.node));
        }
        expect_sound(t);
      }
    }
  }
}

TEST(RailOptimised, ReachesOtherRailsOnlyThroughASpine) {
  const auto reached = [](const std::string& spines) {
    const Topology t = built("kind: rail_optimised, hosts: 2, nics_per_host: 2" + spines);
    const Routes routes(t, RoutingMode::kUpDown);
    const std::uint32_t rail0 = t.find("rail0").value();
    EXPECT_THAT(routes.ports(rail0, 2), ElementsAre(1));  // h1.0
    return routes.ports(rail0, 3).size();                 // h1.1
  };
  EXPECT_EQ(reached(""), 0U);
  EXPECT_EQ(reached(", spines: 3"), 3U);
}

TEST(Ring, HasClosedFormCountsAndDiameter) {
  for (const std::uint32_t switches : {3U, 4U, 5U, 8U, 31U}) {
    for (const std::uint32_t down : {1U, 3U}) {
      const Topology t =
          built("kind: ring" + key("switches", switches) + key("hosts_per_switch", down));
      EXPECT_EQ(t.hosts(), switches * down);
      EXPECT_EQ(t.switches(), switches);
      EXPECT_EQ(t.links().size(), switches * (down + 1));
      for (std::uint32_t i = t.hosts(); i < t.nodes().size(); ++i) {
        EXPECT_EQ(cabled(t, i), down + 2);
      }
      EXPECT_EQ(diameter(t), switches / 2);
      expect_sound(t);
      const Topology::Port last{t.find("sw" + std::to_string(switches - 1)).value(), down};
      EXPECT_EQ(t.name_of(*t.peer(last)), "sw0." + std::to_string(down + 1));
    }
  }
}

TEST(Torus, HasClosedFormCountsAndDiameter) {
  const std::vector<std::vector<std::uint32_t>> shapes = {
      {2, 2}, {2, 3}, {3, 3}, {4, 4}, {5, 4}, {8, 3}, {2, 2, 2}, {3, 2, 4}, {4, 4, 4}, {5, 3, 2}};
  for (const std::vector<std::uint32_t>& dims : shapes) {
    std::uint32_t switches = 1;
    std::uint32_t diameters = 0;
    std::uint32_t ports = 2;
    std::string text;
    for (const std::uint32_t size : dims) {
      switches *= size;
      diameters += size / 2;
      ports += size == 2 ? 1 : 2;
      text += (text.empty() ? "" : ", ") + std::to_string(size);
    }
    const Topology t = built("kind: torus, hosts_per_switch: 2, dims: [" + text + "]");
    EXPECT_EQ(t.hosts(), switches * 2);
    EXPECT_EQ(t.switches(), switches);
    EXPECT_EQ(t.links().size(), switches * 2 + switches * (ports - 2) / 2);
    for (std::uint32_t i = t.hosts(); i < t.nodes().size(); ++i) EXPECT_EQ(cabled(t, i), ports);
    EXPECT_EQ(diameter(t), diameters) << text;
    EXPECT_EQ(Routes(t, RoutingMode::kDimensionOrder).longest(), diameters) << text;
    expect_sound(t);
  }
}

TEST(Torus, LinksNeighboursInEachDimension) {
  const Topology t = built("kind: torus, hosts_per_switch: 1, dims: [3, 4, 2]");
  for (const Topology::Link& link : t.links()) {
    if (link.a.node < t.hosts()) continue;
    const auto& a = t.nodes()[link.a.node].position;
    const auto& b = t.nodes()[link.b.node].position;
    std::uint32_t apart = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t size = std::vector<std::uint32_t>{3, 4, 2}[i];
      const std::uint32_t d = (a[i] + size - b[i]) % size;
      apart += std::min(d, size - d);
    }
    EXPECT_EQ(apart, 1U);
  }
}

TEST(Dragonfly, HasClosedFormCountsAndAtMostThreeHops) {
  for (const std::uint32_t a : {1U, 2U, 4U}) {
    for (const std::uint32_t h : {1U, 2U}) {
      for (std::uint32_t g = 1; g <= a * h + 1; ++g) {
        const std::uint32_t p = 2;
        const Topology t =
            built("kind: dragonfly" + key("groups", g) + key("routers_per_group", a) +
                  key("global_links_per_router", h) + key("hosts_per_switch", p));
        const std::uint32_t rounds = g == 1 ? 0 : a * h / (g - 1);
        EXPECT_EQ(t.hosts(), g * a * p);
        EXPECT_EQ(t.switches(), g * a);
        EXPECT_EQ(t.links().size(), g * a * p + g * a * (a - 1) / 2 + rounds * g * (g - 1) / 2);
        EXPECT_EQ(t.nodes().back().ports, std::max(4U, p + a - 1 + h));
        EXPECT_LE(diameter(t), 3U);
        expect_sound(t);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> between;
        for (const Topology::Link& link : t.links()) {
          if (link.a.node < t.hosts()) continue;
          const std::uint32_t x = t.nodes()[link.a.node].position[0];
          const std::uint32_t y = t.nodes()[link.b.node].position[0];
          if (x != y) ++between[std::minmax(x, y)];
        }
        EXPECT_EQ(between.size(), g * (g - 1) / 2);
        for (const auto& [pair, links] : between) EXPECT_EQ(links, rounds);
      }
    }
  }
  EXPECT_EQ(diameter(built("kind: dragonfly, groups: 9, routers_per_group: 4, "
                           "global_links_per_router: 2, hosts_per_switch: 2")),
            3U);
}

TEST(EveryGenerator, TakesRatesLengthsAndRadix) {
  for (const char* keys :
       {"kind: leaf_spine, leaves: 2, spines: 2, hosts_per_switch: 2", "kind: fat_tree, k: 4",
        "kind: rail_optimised, hosts: 2, nics_per_host: 2, spines: 2",
        "kind: ring, switches: 4, hosts_per_switch: 2",
        "kind: torus, dims: [3, 2], hosts_per_switch: 2",
        "kind: dragonfly, groups: 3, routers_per_group: 2, global_links_per_router: 1, "
        "hosts_per_switch: 1"}) {
    const FabricConfig config =
        bound_fabric("{link: {rate: 200Gbps, length: 2m}, topology: {" + std::string(keys) +
                     ", radix: 48, fabric_rate: 800Gbps, fabric_length: 50m}}");
    const Topology t = build_topology(config.topology, config.link);
    for (const Topology::Link& link : t.links()) {
      const bool to_host = link.a.node < t.hosts();
      EXPECT_EQ(link.rate, Rate::gbps(to_host ? 200 : 800));
      EXPECT_EQ(link.length, metres(to_host ? 2 : 50));
    }
    for (std::uint32_t i = t.hosts(); i < t.nodes().size(); ++i) EXPECT_EQ(t.nodes()[i].ports, 48U);
  }
}

TEST(Bisection, IsThatOfTheClosedForm) {
  const std::uint64_t rate = 400'000'000'000;
  const auto of = [](const std::string& keys) { return bisection_bandwidth(built(keys)); };
  EXPECT_EQ(of("kind: star, hosts: 9"), 4 * rate);
  EXPECT_EQ(of("kind: fat_tree, k: 8"), 64 * rate);
  EXPECT_EQ(of("kind: fat_tree, k: 8, fabric_rate: 100Gbps"), 16 * rate);
  EXPECT_EQ(of("kind: leaf_spine, leaves: 4, spines: 2, hosts_per_switch: 8"), 4 * rate);
  EXPECT_EQ(of("kind: leaf_spine, leaves: 4, spines: 8, hosts_per_switch: 2"), 4 * rate);
  EXPECT_EQ(of("kind: ring, switches: 4, hosts_per_switch: 2"), std::nullopt);
}

TEST(Summary, SaysWhatAnArchitectAsksFirst) {
  const auto of = [](const std::string& keys, RoutingMode mode) {
    const Topology t = built(keys);
    return summary(t, Routes(t, mode));
  };
  EXPECT_EQ(
      of("kind: leaf_spine, leaves: 4, spines: 2, hosts_per_switch: 4", RoutingMode::kShortest),
      "leaf_spine: 16 hosts, 6 switches (4 leaf, 2 spine), 24 links, diameter 2, "
      "oversubscription 2:1, bisection bandwidth 1.6Tbps one way, shortest routes of at most "
      "2 hops between switches, no cyclic buffer dependency");
  EXPECT_EQ(of("kind: ring, switches: 4, hosts_per_switch: 1", RoutingMode::kShortest),
            "ring: 4 hosts, 4 switches, 8 links, diameter 2, shortest routes of at most 2 hops "
            "between switches, a cyclic buffer dependency of 4 ports: sw0.1 sw1.1 sw2.1 sw3.1");
  EXPECT_THAT(of("kind: star, hosts: 1", RoutingMode::kUpDown),
              testing::StartsWith("star: 1 host, 1 switch, 1 link, diameter 0, up-down"));
}

TEST(Summary, RoundsABandwidthThatNoLinkCouldHave) {
  TopologyConfig config;
  config.hosts = 3;
  LinkConfig link;
  link.rate = Rate(105'000'000'000'000, 1048);
  const Topology t = build_topology(config, link);
  EXPECT_THAT(summary(t, Routes(t, RoutingMode::kShortest)),
              testing::HasSubstr("bisection bandwidth 100.19084Gbps one way"));
}

}  // namespace
}  // namespace railyard
