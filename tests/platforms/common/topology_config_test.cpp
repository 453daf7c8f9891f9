// Topologies as configuration: what is refused, with its place; what the order of YAML changes
// (nothing); what a resolved configuration reads back as.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "platforms/common/assignment.h"
#include "tests/platforms/common/topology_support.h"
#include "tlm/base/format.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refused(const std::string& keys) { return refusal("topology: {" + keys + "}"); }

const char kNodes[] =
    "topology:\n"
    "  kind: explicit\n"
    "  nodes:\n"
    "    sw0: {kind: switch}\n"
    "    sw1: {kind: switch, ports: 8}\n"
    "    h0: {kind: host}\n"
    "    h1: {kind: host}\n";
const char kLinks[] =
    "  links:\n"
    "    - {from: h0.0, to: sw0.0}\n"
    "    - {from: h1.0, to: sw1.0}\n"
    "    - {from: sw0.1, to: sw1.1}\n";  // lines 9 to 11

/// kNodes and kLinks with more lines.
std::string refused_with(const std::string& nodes, const std::string& links) {
  return refusal(kNodes + nodes + kLinks + links);
}

/// The topology as explicit nodes and links, in a random order and orientation.
std::string shuffled(const Topology& t, std::mt19937& random) {
  std::vector<std::string> nodes;
  for (const Topology::Node& node : t.nodes()) {
    nodes.push_back(node.name + ": {kind: " + (node.is_switch ? "switch" : "host") +
                    ", ports: " + std::to_string(node.ports) +
                    (node.is_switch ? ", tier: " + std::to_string(node.tier) : "") + "}");
  }
  std::vector<std::string> links;
  for (const Topology::Link& link : t.links()) {
    const bool turned = random() % 2 == 0;
    links.push_back("{from: " + t.name_of(turned ? link.b : link.a) + ", to: " +
                    t.name_of(turned ? link.a : link.b) + ", rate: " + format_rate(link.rate) +
                    ", length: " + format_length(link.length) + "}");
  }
  std::shuffle(nodes.begin(), nodes.end(), random);
  std::shuffle(links.begin(), links.end(), random);
  std::string text = "kind: explicit, nodes: {";
  for (const std::string& node : nodes) text += (&node == &nodes[0] ? "" : ", ") + node;
  text += "}, links: [";
  for (const std::string& link : links) text += (&link == &links[0] ? "" : ", ") + link;
  return text + "]";
}

const char* const kExamples[] = {
    "kind: star, hosts: 12",
    "kind: leaf_spine, leaves: 11, spines: 3, hosts_per_switch: 2, fabric_rate: 800Gbps",
    "kind: fat_tree, k: 4",
    "kind: rail_optimised, hosts: 3, nics_per_host: 8, spines: 2",
    "kind: rail_optimised, hosts: 3, nics_per_host: 8",
    "kind: ring, switches: 5, hosts_per_switch: 2",
    "kind: torus, dims: [3, 2, 4], hosts_per_switch: 1, routing: dimension_order",
    "kind: dragonfly, groups: 9, routers_per_group: 4, global_links_per_router: 2, "
    "hosts_per_switch: 2, radix: 64"};

TEST(ATopology, DoesNotDependOnTheOrderOfNodesLinksAndEnds) {
  std::mt19937 random(5);
  for (const char* keys : kExamples) {
    const Topology generated = built(keys);
    EXPECT_TRUE(generated == built(keys)) << keys;
    const Topology first = built(shuffled(generated, random));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(built(shuffled(generated, random)) == first) << keys;
    ASSERT_EQ(first.nodes().size(), generated.nodes().size());
    for (std::size_t i = 0; i < first.nodes().size(); ++i) {
      EXPECT_EQ(first.nodes()[i].name, generated.nodes()[i].name);  // h2 before h10
      EXPECT_EQ(first.nodes()[i].tier, generated.nodes()[i].tier);
    }
    EXPECT_TRUE(first.links() == generated.links()) << keys;
  }
}

TEST(ATopology, OfAResolvedConfigurationIsTheSame) {
  std::mt19937 random(6);
  std::vector<std::string> examples(std::begin(kExamples), std::end(kExamples));
  examples.push_back(shuffled(built("kind: fat_tree, k: 2"), random));
  for (const std::string& keys : examples) {
    const FabricConfig config = bound_fabric("topology: {" + keys + "}");
    FabricConfig again;
    bind_config(dump_config(config), again);
    EXPECT_TRUE(build_topology(config.topology, config.link) ==
                build_topology(again.topology, again.link))
        << keys;
    EXPECT_EQ(again.topology.routing, config.topology.routing);
  }
}

TEST(ATopology, TakesWhatIsNotWrittenFromLinkAndPorts) {
  const FabricConfig config = bound_fabric(
      "link: {rate: 100Gbps, length: 7m}\n"
      "topology:\n"
      "  kind: explicit\n"
      "  nodes: {s: {kind: switch}, a: {kind: host, rate: 200Gbps}, b: {kind: host}, c: {kind: "
      "host}}\n"
      "  links: [{from: s.5, to: a.0}, {from: b.0, to: s.1}, {from: c.0, to: s.0, rate: 50Gbps, "
      "length: 1m}]\n");
  const Topology t = build_topology(config.topology, config.link);
  ASSERT_EQ(t.links().size(), 3U);
  EXPECT_EQ(t.links()[0].rate, Rate::gbps(200));
  EXPECT_EQ(t.links()[0].length, metres(7));
  EXPECT_EQ(t.links()[1].rate, Rate::gbps(100));
  EXPECT_EQ(t.links()[2].rate, Rate::gbps(50));
  EXPECT_EQ(t.links()[2].length, metres(1));
  EXPECT_EQ(t.nodes().back().ports, 6U);
}

TEST(ATopology, SetOnTheCommandLineReplacesThePlatformsDefault) {
  const auto bind = [](const std::vector<std::string>& sets) {
    Node root = read_yaml_text("{}", "f.yaml");
    for (const std::string& set : sets) apply_set(root, set);
    FabricConfig config;
    config.topology.hosts = 9;
    bind_config(root, config);
    return config;
  };
  EXPECT_EQ(build_topology(bind({}).topology, {}).hosts(), 9U);
  const FabricConfig ring = bind({"topology.kind=ring", "topology.switches=4",
                                  "topology.hosts_per_switch=2", "topology.routing=up_down"});
  EXPECT_EQ(build_topology(ring.topology, {}).hosts(), 8U);
  EXPECT_FALSE(ring.topology.hosts.has_value());
  FabricConfig again;
  bind_config(dump_config(ring), again);
  EXPECT_EQ(again.topology.switches, 4U);
}

TEST(AKey, OfAnotherKindIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("topology:\n  kind: star\n  hosts: 9\n  spines: 2\n"),
            "f.yaml:4:11: topology.spines: is no key of kind star; accepted: routing, hosts, "
            "radix");
  for (const char* text :
       {"kind: star, hosts: 2, dims: [2, 2]", "kind: star, hosts: 2, nodes: {a: {kind: host}}",
        "kind: star, hosts: 2, links: [{from: a.0, to: b.0}]",
        "kind: star, hosts: 2, fabric_rate: 1Gbps", "kind: star, hosts: 2, fabric_length: 1m",
        "kind: fat_tree, k: 4, hosts: 16", "kind: explicit, radix: 8",
        "kind: ring, switches: 4, hosts_per_switch: 1, groups: 2",
        "kind: leaf_spine, leaves: 2, spines: 2, hosts: 4, hosts_per_switch: 2"}) {
    EXPECT_THAT(refused(text), HasSubstr("is no key of kind")) << text;
    EXPECT_THAT(refused(text), StartsWith("f.yaml:1:")) << text;
  }
}

TEST(AKey, ThatTheKindNeedsIsAskedFor) {
  EXPECT_EQ(refusal("topology:\n  kind: leaf_spine\n  leaves: 4\n  spines: 2\n"),
            "f.yaml:2:3: topology.hosts_per_switch: is required by kind leaf_spine; add the key; "
            "type: count, 1 or more");
  for (const char* text :
       {"kind: star", "kind: fat_tree", "kind: torus, hosts_per_switch: 1", "kind: explicit",
        "kind: explicit, nodes: {a: {kind: host}}", "kind: ring, switches: 3",
        "kind: rail_optimised, hosts: 2",
        "kind: dragonfly, groups: 2, routers_per_group: 2, hosts_per_switch: 2"}) {
    EXPECT_THAT(refused(text), HasSubstr("is required by kind")) << text;
  }
}

TEST(ASize, OfZeroOrOutOfRangeIsRefused) {
  for (const char* text :
       {"kind: star, hosts: 0", "kind: fat_tree, k: 0",
        "kind: leaf_spine, leaves: 0, spines: 1, hosts_per_switch: 1",
        "kind: leaf_spine, leaves: 1, spines: 0, hosts_per_switch: 1",
        "kind: leaf_spine, leaves: 1, spines: 1, hosts_per_switch: 0",
        "kind: ring, switches: 2, hosts_per_switch: 1", "kind: torus, dims: [4, 1]",
        "kind: torus, dims: [0, 4]", "kind: star, hosts: 2, radix: 3",
        "kind: star, hosts: 2, radix: 513", "kind: rail_optimised, hosts: 2, nics_per_host: 0",
        "kind: star, hosts: 4294967297", "kind: star, hosts: -1"}) {
    EXPECT_THAT(refused(text), HasSubstr("f.yaml:1:")) << text;
    EXPECT_THAT(refused(text), HasSubstr("accepted: ")) << text;
  }
  EXPECT_THAT(refused("kind: torus, dims: [4], hosts_per_switch: 1"),
              HasSubstr("dims: has 1 elements; accepted: 2 or 3"));
  EXPECT_THAT(refused("kind: fat_tree, k: 5"), HasSubstr("5 is odd"));
}

TEST(ASize, BeyondTheLimitsIsRefusedWithTheNumber) {
  EXPECT_EQ(refusal("topology: {kind: fat_tree,\n  k: 1588}"),
            "f.yaml:2:6: topology.k: makes 1001132368 hosts; accepted: at most 65536 hosts");
  EXPECT_THAT(refused("kind: fat_tree, k: 1000000"), HasSubstr("makes 250000000000000000 hosts"));
  EXPECT_THAT(refused("kind: ring, switches: 16385, hosts_per_switch: 1"),
              HasSubstr("topology.switches: makes 16385 switches"));
  EXPECT_THAT(refused("kind: torus, dims: [16384, 16384, 16384], hosts_per_switch: 1000000"),
              HasSubstr("topology.dims: makes 4398046511104000000 hosts"));
  EXPECT_THAT(refused("kind: rail_optimised, hosts: 512, nics_per_host: 129"),
              HasSubstr("makes 66048 ports of hosts"));
  EXPECT_THAT(refused("kind: leaf_spine, leaves: 1, spines: 20000, hosts_per_switch: 1"),
              HasSubstr("topology.spines: makes 20001 switches"));
  EXPECT_THAT(refused("kind: dragonfly, groups: 1000000, routers_per_group: 1000000, "
                      "global_links_per_router: 1, hosts_per_switch: 1000000"),
              HasSubstr("makes 1000000000000000000 hosts"));
}

TEST(ASwitch, WithTooManyCablesIsRefused) {
  EXPECT_EQ(refusal("topology:\n  hosts: 513\n"),
            "f.yaml:2:10: topology.hosts: gives sw0 513 cables, but a switch has at most 512 "
            "ports; make it smaller");
  EXPECT_THAT(refused("kind: leaf_spine, leaves: 4, spines: 8, hosts_per_switch: 30, radix: 32"),
              HasSubstr("topology.hosts_per_switch: gives leaf0 38 cables, but a switch has radix "
                        "32"));
  EXPECT_THAT(refused("kind: leaf_spine, leaves: 40, spines: 2, hosts_per_switch: 2, radix: 32"),
              HasSubstr("topology.leaves: gives spine0 40"));
  EXPECT_THAT(refused("kind: fat_tree, k: 8, radix: 4"), HasSubstr("gives edge0 8"));
  EXPECT_THAT(refused("kind: rail_optimised, hosts: 500, nics_per_host: 2, spines: 13"),
              HasSubstr("gives rail0 513"));
  EXPECT_THAT(refused("kind: ring, switches: 4, hosts_per_switch: 511"),
              HasSubstr("gives sw0 513"));
  EXPECT_THAT(refused("kind: dragonfly, groups: 2, routers_per_group: 2, hosts_per_switch: 2, "
                      "global_links_per_router: 510"),
              HasSubstr("topology.global_links_per_router: gives sw0 513"));
}

TEST(ADragonfly, OfMoreGroupsThanGlobalLinksReachIsRefused) {
  const std::string keys =
      "kind: dragonfly, routers_per_group: 4, global_links_per_router: 2, hosts_per_switch: 2, "
      "groups: ";
  EXPECT_EQ(refused(keys + "9"), "");
  EXPECT_THAT(refused(keys + "10"),
              HasSubstr("topology.groups: 10 groups, but a group has global links to 8 others"));
}

TEST(Routing, ByDimensionIsForATorusAlone) {
  EXPECT_THAT(refused("kind: ring, switches: 4, hosts_per_switch: 1, routing: dimension_order"),
              HasSubstr("topology.routing: a ring has no dimensions"));
  EXPECT_THAT(refused("kind: star, hosts: 4, routing: updown"),
              HasSubstr("did you mean \"up_down\"?"));
}

TEST(AnExplicitTopology, ThatIsWholeIsAccepted) { EXPECT_EQ(refused_with("", ""), ""); }

TEST(ALink, ThatDanglesIsRefused) {
  EXPECT_EQ(refused_with("", "    - {from: sw0.2, to: sw9.0}\n"),
            "f.yaml:12:7: topology.links[3]: sw9.0: there is no node \"sw9\"; did you mean "
            "\"sw0\"? Accepted: h0, h1, sw0, sw1");
}

TEST(ALink, InAPortThatHasOneIsRefused) {
  EXPECT_EQ(refused_with("", "    - {from: sw0.2, to: sw1.1}\n"),
            "f.yaml:12:7: topology.links[3]: sw1.1: a second cable in one port; the first is "
            "topology.links[2] at f.yaml:11:7; take a free port of sw1");
  EXPECT_THAT(refused_with("", "    - {from: sw0.2, to: h1.0}\n"),
              HasSubstr("h1.0: a second cable in one port"));
}

TEST(ALink, ToAPortOutOfRangeIsRefused) {
  EXPECT_THAT(refused_with("", "    - {from: sw0.2, to: sw1.8}\n"),
              HasSubstr("topology.links[3]: sw1.8: sw1 has 8 ports; accepted: 0 to 7"));
  EXPECT_THAT(refused_with("", "    - {from: sw0.512, to: sw1.2}\n"),
              HasSubstr("sw0.512: sw0 has at most 512 ports"));
  EXPECT_THAT(refused_with("", "    - {from: h0.1, to: sw0.2}\n"),
              HasSubstr("h0.1: h0 has 1 port; take port 0, or declare more ports"));
}

TEST(ALink, FromANodeToItselfOrBetweenHostsIsRefused) {
  EXPECT_THAT(refused_with("", "    - {from: sw0.2, to: sw0.3}\n"),
              StartsWith("f.yaml:12:7: topology.links[3]: both ends are at sw0"));
  EXPECT_THAT(refusal("topology: {kind: explicit, nodes: {a: {kind: host}, b: {kind: host}}, "
                      "links: [{from: a.0, to: b.0}]}"),
              HasSubstr("topology.links[0]: joins two hosts, a and b"));
}

TEST(ALink, OfMismatchedRatesIsRefused) {
  EXPECT_EQ(refused_with("    a: {kind: switch, rate: 400Gbps}\n"
                         "    b: {kind: switch, rate: 800Gbps}\n",
                         "    - {from: a.0, to: b.3}\n"),
            "f.yaml:14:7: topology.links[3]: rates differ: a.0 runs at 400Gbps, b.3 at 800Gbps; "
            "give both nodes one rate");
  EXPECT_THAT(refused_with("    a: {kind: host, rate: 400Gbps}\n",
                           "    - {from: sw0.2, to: a.0, rate: 100Gbps}\n"),
              HasSubstr("topology.links[3]: rates differ: the link runs at 100Gbps, a at 400Gbps"));
}

TEST(ALink, WhoseEndIsNoPortIsRefused) {
  for (const char* end : {"sw0", "sw0.", ".0", "sw0.x", "sw0.-1", "sw0.01", "SW0.1", "sw0.1.2",
                          "sw0.4294967296", "'sw 0.1'"}) {
    EXPECT_THAT(refused_with("", "    - {from: h0.0, to: " + std::string(end) + "}\n"),
                StartsWith("f.yaml:12:24: topology.links[3].to: "))
        << end;
  }
  EXPECT_THAT(refused_with("", "    - {from: sw0.2}\n"),
              HasSubstr("topology.links[3].to: is required but missing"));
}

TEST(AHost, WithoutALinkIsRefused) {
  EXPECT_EQ(refused_with("    h2: {kind: host}\n", ""),
            "f.yaml:8:9: topology.nodes.h2: no link leads to port 0 of this host; add a link from "
            "h2.0, or remove the host");
  EXPECT_THAT(refused_with("    h2: {kind: host, ports: 3}\n",
                           "    - {from: h2.0, to: sw0.2}\n    - {from: h2.2, to: sw0.3}\n"),
              HasSubstr("topology.nodes.h2: no link leads to port 1 of this host"));
}

TEST(AHost, ThatCannotBeReachedIsNamed) {
  EXPECT_EQ(refused_with("    h2: {kind: host}\n    sw2: {kind: switch}\n",
                         "    - {from: h2.0, to: sw2.0}\n"),
            "f.yaml:8:9: topology.nodes.h2: this host cannot be reached from h0; link their "
            "switches");
}

TEST(AHost, OfTwoRailsIsReachedOverEither) {
  const std::string rails =
      "kind: explicit, nodes: {r0: {kind: switch}, r1: {kind: switch}, a: {kind: host, ports: 2}, "
      "b: {kind: host, ports: 2}, c: {kind: host}";
  const std::string links =
      ", links: [{from: a.0, to: r0.0}, {from: a.1, to: r1.0}, {from: b.0, to: r0.1}, {from: b.1, "
      "to: r1.1}, {from: c.0, to: r0.2}";
  EXPECT_EQ(refused(rails + "}" + links + "]"), "");
  EXPECT_THAT(refused(rails + ", d: {kind: host}}" + links + ", {from: d.0, to: r1.2}]"),
              HasSubstr("topology.nodes.d: this host cannot be reached from c"));
}

TEST(ASwitch, ThatIsIsolatedIsRefused) {
  EXPECT_THAT(refused_with("    sw2: {kind: switch}\n", ""),
              StartsWith("f.yaml:8:10: topology.nodes.sw2: no link leads to this switch"));
  EXPECT_THAT(refused_with("    sw2: {kind: switch}\n    sw3: {kind: switch}\n",
                           "    - {from: sw2.0, to: sw3.0}\n"),
              StartsWith("f.yaml:8:10: topology.nodes.sw2: no host reaches this switch"));
}

TEST(ANode, OfWrongPortsKindOrNameIsRefused) {
  EXPECT_THAT(refused_with("    sw2: {kind: switch, ports: 3}\n", ""),
              StartsWith("f.yaml:8:32: topology.nodes.sw2.ports: a switch has at least 4 ports"));
  EXPECT_THAT(refused_with("    sw2: {kind: switch, ports: 513}\n", ""),
              HasSubstr("accepted: 1 to 512"));
  EXPECT_THAT(refused_with("    x: {ports: 4}\n", ""), HasSubstr("nodes.x.kind: is required"));
  EXPECT_THAT(refused_with("    x: {kind: router}\n", ""), HasSubstr("\"router\""));
  EXPECT_THAT(refused_with("    x: {kind: host, tier: 1}\n", ""), HasSubstr("a host has no tier"));
  EXPECT_THAT(refused_with("    X1: {kind: host}\n", ""), HasSubstr("cannot be a name"));
  EXPECT_THAT(refused_with("    h0: {kind: host}\n", ""),
              StartsWith("f.yaml:8:5: key \"h0\" was already written"));
}

TEST(ATopologyMadeInCode, IsCheckedToo) {
  TopologyConfig config;
  EXPECT_THROW(build_topology(config, {}), ConfigError);
  config.hosts = 3;
  EXPECT_EQ(build_topology(config, {}).hosts(), 3U);
  EXPECT_THROW(
      Topology(TopologyKind::kExplicit, {{"a", true, 4, 1, {}}, {"a", true, 4, 1, {}}}, {}),
      std::invalid_argument);
  EXPECT_THROW(Topology(TopologyKind::kExplicit, {{"a", true, 4, 1, {}}},
                        {{{0, 0}, {1, 0}, Rate::gbps(1), metres(1)}}),
               std::invalid_argument);
}

TEST(Names, SortAsPeopleCount) {
  EXPECT_TRUE(natural_less("h2", "h10"));
  EXPECT_FALSE(natural_less("h10", "h2"));
  EXPECT_TRUE(natural_less("h9_2", "h9_10"));
  EXPECT_TRUE(natural_less("h", "h0"));
  EXPECT_TRUE(natural_less("agg10", "core1"));
  EXPECT_FALSE(natural_less("h1", "h1"));
  EXPECT_NE(natural_less("h1", "h01"), natural_less("h01", "h1"));
}

}  // namespace
}  // namespace railyard
