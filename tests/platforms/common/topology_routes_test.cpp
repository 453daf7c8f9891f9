// Routes: complete, free of loops, and free of cyclic buffer dependencies where that is promised.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>

#include "platforms/common/topology/dependencies.h"
#include "tests/platforms/common/topology_support.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

using Hops = std::vector<Topology::Port>;

/// Calls `visit` with the egress ports of every route between different switches with hosts, by
/// plain enumeration; a route of more hops than there are switches is a loop.
void for_each_route(const Topology& t, const Routes& routes,
                    const std::function<void(const Hops&)>& visit) {
  std::set<std::uint32_t> sources;
  for (const Topology::Endpoint& e : t.endpoints()) sources.insert(e.at.node);
  Hops hops;
  std::function<void(std::uint32_t, std::uint32_t)> walk = [&](auto node, auto endpoint) {
    if (node == t.endpoints()[endpoint].at.node) return visit(hops);
    ASSERT_LE(hops.size(), t.switches()) << "a loop";
    ASSERT_FALSE(routes.ports(node, endpoint).empty());
    for (const std::uint16_t port : routes.ports(node, endpoint)) {
      hops.push_back({node, port});
      walk(t.peer({node, port})->node, endpoint);
      hops.pop_back();
    }
  };
  for (const std::uint32_t from : sources) {
    for (std::uint32_t e = 0; e < t.endpoints().size(); ++e) walk(from, e);
  }
}

/// The channel dependency graph; `channel_of(hops, i)` is the virtual channel of hop i.
Dependencies dependencies(
    const Topology& t, const Routes& routes,
    const std::function<std::uint32_t(const Hops&, std::size_t)>& channel_of =
        [](const Hops&, std::size_t) { return 0U; }) {
  Dependencies graph;
  for_each_route(t, routes, [&](const Hops& hops) {
    for (std::size_t i = 1; i < hops.size(); ++i) {
      graph[{hops[i - 1], channel_of(hops, i - 1)}].insert({hops[i], channel_of(hops, i)});
    }
  });
  return graph;
}

/// find_dependency_cycle, checked against the graph of all routes.
bool is_cyclic(const Topology& t, RoutingMode mode) {
  const Routes routes(t, mode);
  const Dependencies graph = dependencies(t, routes);
  const Hops cycle = find_dependency_cycle(t, routes);
  EXPECT_EQ(has_cycle(graph), !cycle.empty());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    EXPECT_EQ(graph.at({cycle[i], 0}).count({cycle[(i + 1) % cycle.size()], 0}), 1U);
  }
  return !cycle.empty();
}

std::string ring_topology(std::uint32_t switches) {
  return "kind: ring, hosts_per_switch: 1, switches: " + std::to_string(switches);
}

/// Below `bound`.
std::uint32_t draw(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random()) % bound;
}

/// A random connected graph of switches as an explicit configuration, one host on most of them.
std::string random_graph(std::mt19937& random, bool tiers) {
  const std::uint32_t switches = 2 + draw(random, 9);
  std::vector<std::uint32_t> used(switches, 1);
  std::string nodes;
  std::string links;
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    links += ", {from: sw" + std::to_string(a) + "." + std::to_string(used[a]++) + ", to: sw" +
             std::to_string(b) + "." + std::to_string(used[b]++) + "}";
  };
  for (std::uint32_t i = 0; i < switches; ++i) {
    const std::string number = std::to_string(i);
    nodes += ", sw" + number +
             ": {kind: switch, tier: " + std::to_string(tiers ? 1 + draw(random, 3) : 1) + "}";
    if (i < 2 || draw(random, 4) != 0) {
      nodes += ", h" + number + ": {kind: host}";
      links += ", {from: h" + number + ".0, to: sw" + number + ".0}";
    }
    if (i > 0) link(i, draw(random, i));
  }
  for (std::uint32_t extra = draw(random, 2 * switches); extra > 0; --extra) {
    const std::uint32_t a = draw(random, switches);
    const std::uint32_t b = draw(random, switches);
    if (a != b) link(a, b);
  }
  return "kind: explicit, nodes: {" + nodes.substr(2) + "}, links: [" + links.substr(2) + "]";
}

TEST(Shortest, OnARingHasACyclicDependencyFromFourSwitchesOn) {
  EXPECT_FALSE(
      is_cyclic(built(ring_topology(3)), RoutingMode::kShortest));  // no route has two hops
  for (std::uint32_t n = 4; n <= 9; ++n) {
    const Topology t = built(ring_topology(n));
    EXPECT_TRUE(is_cyclic(t, RoutingMode::kShortest)) << n;
    EXPECT_EQ(find_dependency_cycle(t, Routes(t, RoutingMode::kShortest)).size(), n);
  }
}

TEST(Shortest, TakesBothWaysRoundAnEvenRing) {
  const Topology t = built(ring_topology(6));
  const Routes routes(t, RoutingMode::kShortest);
  const std::uint32_t sw0 = t.find("sw0").value();
  EXPECT_THAT(routes.ports(sw0, 0), ElementsAre(0));
  EXPECT_THAT(routes.ports(sw0, 2), ElementsAre(1));
  EXPECT_THAT(routes.ports(sw0, 3), ElementsAre(1, 2));
  EXPECT_THAT(routes.ports(sw0, 4), ElementsAre(2));
}

TEST(UpDown, OnARingHasNone) {
  for (std::uint32_t n = 3; n <= 9; ++n) {
    EXPECT_FALSE(is_cyclic(built(ring_topology(n)), RoutingMode::kUpDown)) << n;
  }
}

TEST(UpDown, OnEveryGeneratedTopologyHasNoCyclicDependency) {
  for (const char* keys :
       {"kind: star, hosts: 3", "kind: leaf_spine, leaves: 4, spines: 3, hosts_per_switch: 1",
        "kind: fat_tree, k: 4", "kind: rail_optimised, hosts: 2, nics_per_host: 3, spines: 2",
        "kind: torus, dims: [4, 4], hosts_per_switch: 1",
        "kind: torus, dims: [3, 3, 3], hosts_per_switch: 1",
        "kind: dragonfly, groups: 5, routers_per_group: 4, global_links_per_router: 1, "
        "hosts_per_switch: 1"}) {
    EXPECT_FALSE(is_cyclic(built(keys), RoutingMode::kUpDown)) << keys;
  }
}

TEST(UpDown, OnRandomGraphsReachesAllWithoutCyclicDependency) {
  std::mt19937 random(3);
  int cyclic_by_shortest = 0;
  for (int i = 0; i < 300; ++i) {
    const Topology t = built(random_graph(random, i % 2 == 0));
    EXPECT_FALSE(is_cyclic(t, RoutingMode::kUpDown));
    cyclic_by_shortest += is_cyclic(t, RoutingMode::kShortest) ? 1 : 0;
  }
  EXPECT_GT(cyclic_by_shortest, 10);
}

TEST(UpDown, InATreeOfTiersIsShortest) {
  for (const char* keys :
       {"kind: leaf_spine, leaves: 6, spines: 4, hosts_per_switch: 2", "kind: fat_tree, k: 6",
        "kind: rail_optimised, hosts: 4, nics_per_host: 4, spines: 2"}) {
    const Topology t = built(keys);
    const Routes shortest(t, RoutingMode::kShortest);
    const Routes up_down(t, RoutingMode::kUpDown);
    for (const Topology::Endpoint& from : t.endpoints()) {
      for (std::uint32_t to = 0; to < t.endpoints().size(); ++to) {
        const PortList a = shortest.ports(from.at.node, to);
        const PortList b = up_down.ports(from.at.node, to);
        ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << keys;
      }
    }
  }
}

/// The dimension in which two linked switches differ.
std::size_t dimension_of(const Topology& t, Topology::Port port) {
  const auto& a = t.nodes()[port.node].position;
  const auto& b = t.nodes()[t.peer(port)->node].position;
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

/// True if the hop crosses the wrap link of its dimension.
bool wraps(const Topology& t, Topology::Port port) {
  const std::size_t d = dimension_of(t, port);
  const std::uint32_t a = t.nodes()[port.node].position[d];
  const std::uint32_t b = t.nodes()[t.peer(port)->node].position[d];
  return a + 1 != b && b + 1 != a;
}

/// 1 from the wrap link of the present dimension on.
std::uint32_t dateline_channel(const Topology& t, const Hops& hops, std::size_t i) {
  for (std::size_t j = i + 1; j-- > 0;) {
    if (dimension_of(t, hops[j]) != dimension_of(t, hops[i])) return 0;
    if (wraps(t, hops[j])) return 1;
  }
  return 0;
}

TEST(DimensionOrder, GoesByDimensionAndAsShortAsCanBe) {
  const Topology t = built("kind: torus, dims: [4, 3, 2], hosts_per_switch: 1");
  const Routes shortest(t, RoutingMode::kShortest);
  const Routes ordered(t, RoutingMode::kDimensionOrder);
  for_each_route(t, ordered, [&](const Hops& hops) {
    for (std::size_t i = 1; i < hops.size(); ++i) {
      ASSERT_LE(dimension_of(t, hops[i - 1]), dimension_of(t, hops[i]));
    }
  });
  for (const Topology::Endpoint& from : t.endpoints()) {
    for (std::uint32_t to = 0; to < t.endpoints().size(); ++to) {
      const PortList all = shortest.ports(from.at.node, to);
      for (const std::uint16_t port : ordered.ports(from.at.node, to)) {
        ASSERT_TRUE(std::count(all.begin(), all.end(), port) == 1);
      }
    }
  }
}

TEST(DimensionOrder, HasNoCyclicDependencyWithoutRingsOfFour) {
  for (const char* dims : {"[3, 3]", "[2, 3]", "[3, 3, 3]", "[2, 2, 2]"}) {
    const std::string keys = "kind: torus, hosts_per_switch: 1, dims: " + std::string(dims);
    EXPECT_FALSE(is_cyclic(built(keys), RoutingMode::kDimensionOrder)) << dims;
    EXPECT_TRUE(is_cyclic(built(keys), RoutingMode::kShortest)) << dims;
  }
}

TEST(DimensionOrder, HasCyclesOnlyWithinARingAndNoneWithTwoVirtualChannels) {
  for (const char* dims : {"[4, 4]", "[5, 3]", "[3, 6]", "[4, 3, 2]"}) {
    const Topology t = built("kind: torus, hosts_per_switch: 1, dims: " + std::string(dims));
    EXPECT_TRUE(is_cyclic(t, RoutingMode::kDimensionOrder)) << dims;
    const Routes routes(t, RoutingMode::kDimensionOrder);
    Dependencies graph = dependencies(t, routes);
    for (auto& [channel, waits] : graph) {
      for (auto it = waits.begin(); it != waits.end();) {
        const bool same = dimension_of(t, channel.first) == dimension_of(t, it->first);
        it = same ? waits.erase(it) : std::next(it);
      }
    }
    EXPECT_FALSE(has_cycle(graph)) << dims;
    EXPECT_FALSE(has_cycle(dependencies(t, routes, [&](const Hops& hops, std::size_t i) {
      return dateline_channel(t, hops, i);
    }))) << dims;
  }
}

TEST(DimensionOrder, OfWhatIsNoTorusIsAMisuse) {
  EXPECT_THROW(Routes(built(ring_topology(4)), RoutingMode::kDimensionOrder),
               std::invalid_argument);
}

TEST(ParallelLinks, AreEqualCost) {
  const Topology t = built(
      "kind: explicit, nodes: {a: {kind: switch}, b: {kind: switch}, h0: {kind: host}, h1: {kind: "
      "host}}, links: [{from: h0.0, to: a.0}, {from: h1.0, to: b.0}, {from: a.1, to: b.1}, {from: "
      "b.2, to: a.3}]");
  for (const RoutingMode mode : {RoutingMode::kShortest, RoutingMode::kUpDown}) {
    EXPECT_THAT(Routes(t, mode).ports(t.find("a").value(), 1), ElementsAre(1, 3));
  }
}

TEST(Tables, OfFourThousandHostsStaySmall) {
  // k = 26: 4,394 hosts, 845 switches. A switch has a list up and one for each way down.
  const Topology t = built("kind: fat_tree, k: 26");
  const Routes routes(t, RoutingMode::kShortest);
  EXPECT_EQ(t.hosts(), 4394U);
  EXPECT_EQ(routes.list_count(), 338U * 1 + 338U * (1 + 13) + 169U * 26);
  EXPECT_THAT(find_dependency_cycle(t, routes), IsEmpty());
  EXPECT_EQ(count_paths(t, routes, t.endpoints().front().at.node, t.hosts() - 1), 169U);
}

TEST(Tables, OfATorusOfFourThousandSwitchesAreBuilt) {
  const Topology t = built("kind: torus, dims: [16, 16, 16], hosts_per_switch: 1");
  const Routes routes(t, RoutingMode::kShortest);
  EXPECT_EQ(routes.longest(), 24U);
  EXPECT_EQ(routes.list_count(), 4096U * (4 * 4 * 4 - 1));  // up, down, either or none a dimension
}

}  // namespace
}  // namespace railyard
