// Fabrics of every topology: that traffic arrives, and how large they can be.
#include <gmock/gmock.h>

#include "tests/platforms/common/fabric/fabric_support.h"

namespace railyard {
namespace {

/// Every endpoint sends one message to each of some others: all arrives, nothing is dropped.
void expect_delivery(const std::string& topology, const std::string& traffic) {
  BuiltFabric built("data: elided\ntopology: {" + topology + "}\ntraffic: {messages: 1, " +
                    "message_size: 20KB, " + traffic + "}\n");
  built.simulation.run(10 * kMillisecond);
  EXPECT_EQ(built.metric("total.unfinished_flows"), 0);
  EXPECT_EQ(built.metric("total.dropped_frames"), 0);
  EXPECT_GT(built.metric("total.completion_us"), 0);
}

TEST(FabricDelivery, Star) { expect_delivery("kind: star, hosts: 8", "pattern: all_to_all"); }
TEST(FabricDelivery, BackToBack) { expect_delivery("kind: back_to_back", "pattern: all_to_all"); }
TEST(FabricDelivery, LeafSpine) {
  expect_delivery("kind: leaf_spine, leaves: 3, spines: 2, hosts_per_switch: 4",
                  "pattern: all_to_all");
}
TEST(FabricDelivery, FatTree) { expect_delivery("kind: fat_tree, k: 4", "pattern: all_to_all"); }
TEST(FabricDelivery, RailOptimised) {
  expect_delivery("kind: rail_optimised, hosts: 4, nics_per_host: 3, spines: 2",
                  "pattern: all_to_all");
}
TEST(FabricDelivery, Ring) {
  expect_delivery("kind: ring, switches: 5, hosts_per_switch: 2, routing: up_down",
                  "pattern: all_to_all");
}
TEST(FabricDelivery, Torus) {
  expect_delivery("kind: torus, dims: [3, 3], hosts_per_switch: 1, routing: dimension_order",
                  "pattern: all_to_all");
}
TEST(FabricDelivery, Dragonfly) {
  expect_delivery(
      "kind: dragonfly, groups: 5, routers_per_group: 2, global_links_per_router: 2, "
      "hosts_per_switch: 1, routing: up_down",
      "pattern: all_to_all");
}
TEST(FabricDelivery, NodesByHandOfMixedRates) {
  BuiltFabric built(
      "data: elided\n"
      "topology:\n"
      "  kind: explicit\n"
      "  nodes: {left: {kind: switch}, right: {kind: switch}, a: {kind: host}, b: {kind: host}}\n"
      "  links:\n"
      "    - {from: a.0, to: left.0, rate: 100Gbps}\n"
      "    - {from: left.3, to: right.2, rate: 400Gbps, length: 100m}\n"
      "    - {from: b.0, to: right.1, rate: 25Gbps}\n"
      "traffic: {pattern: ring, message_size: 1MB, messages: 1}\n");
  built.simulation.run(10 * kMillisecond);
  EXPECT_EQ(built.metric("total.unfinished_flows"), 0);
  EXPECT_EQ(built.metric("total.dropped_frames"), 0);
  // 25 Gb/s is the narrowest link both ways: 1 MB in 320 us and what headers add.
  EXPECT_NEAR(built.metric("flow0.goodput_gbps"), 24.5, 0.5);
  EXPECT_NEAR(built.metric("flow1.goodput_gbps"), 24.5, 0.5);
}
TEST(FabricDelivery, Ipv6) {
  BuiltFabric built("nic: {ip: ipv6}\ntraffic: {pattern: all_to_all, messages: 1}\n");
  built.simulation.run(10 * kMillisecond);
  EXPECT_EQ(built.metric("total.unfinished_flows"), 0);
}

/// 40 and 90 Gb/s into one link of 100 Gb/s: the goodput of both.
double contended_goodput(const std::string& arbitration) {
  BuiltFabric built("data: elided\nlink: {rate: 100Gbps}\ntopology: {kind: star, hosts: 3}\n" +
                    ("switch: {arbitration: " + arbitration + "}\n") +
                    "traffic:\n"
                    "  pattern: list\n"
                    "  flows:\n"
                    "    - {source: h0, destination: h2, rate: 40Gbps, messages: 64}\n"
                    "    - {source: h1, destination: h2, rate: 90Gbps, messages: 144}\n");
  built.simulation.run(500 * kMicrosecond);
  return built.metric("total.goodput_gbps");
}

// Of 100 Gb/s, 98.0 are payload, and the first frame's way takes a little.
TEST(FabricArbitration, NoLinkIdlesWhileAnOldestFrameWaits) {
  EXPECT_GT(contended_goodput("fifo"), 97.5);
}
TEST(FabricArbitration, NoLinkIdlesWhileAnyIngressPortHasAFrameThatMayLeave) {
  EXPECT_GT(contended_goodput("per_ingress"), 97.5);
}

TEST(FabricNames, AreThoseOfHostsPortsAndLinks) {
  BuiltFabric built("traffic: {senders: 2}\n");
  for (const char* name : {"h0.nic0", "h2.link0", "sw0.port2", "sw0.link1"}) {
    EXPECT_NE(sc_core::sc_find_object(name), nullptr) << name;
  }
}

TEST(FabricCycle, IsCountedForRoutesThatCanDeadlock) {
  BuiltFabric built(
      "topology: {kind: ring, switches: 5, hosts_per_switch: 1}\n"
      "traffic: {pattern: ring, hops: 2}\n");
  EXPECT_EQ(built.metric("total.cyclic_dependency_ports"), 5);
}
TEST(FabricCycle, IsNotThereUpAndDown) {
  BuiltFabric built(
      "topology: {kind: ring, switches: 5, hosts_per_switch: 1, routing: up_down}\n"
      "traffic: {pattern: ring, hops: 2}\n");
  EXPECT_EQ(built.metric("total.cyclic_dependency_ports"), 0);
}

TEST(FabricSize, AFatTreeOf128HostsIsBuilt) {
  BuiltFabric built("topology: {kind: fat_tree, k: 8}\ntraffic: {pattern: permutation}\n");
  EXPECT_EQ(built.fabric.flows().size(), 128U);
}
TEST(FabricSize, ALeafSpineOf1024HostsIsBuiltInPartitions) {
  BuiltFabric built(
      "topology: {kind: leaf_spine, leaves: 32, spines: 16, hosts_per_switch: 32}\n"
      "traffic: {pattern: permutation}\n",
      4);
  EXPECT_EQ(built.fabric.flows().size(), 1024U);
}

/// So many flows from h0, or to it, half of them of each of two others.
std::string many_flows(int flows, bool from, const std::string& keys) {
  std::string text = keys + "topology: {kind: star, hosts: 3}\ntraffic:\n  pattern: list\n" +
                     "  messages: 1\n  flows:\n";
  for (int i = 0; i < flows; ++i) {
    const std::string other = i % 2 == 0 ? "h1" : "h2";
    text +=
        "  - {source: " + (from ? "h0" : other) + ", destination: " + (from ? other : "h0") + "}\n";
  }
  return text;
}

TEST(FabricSize, MoreFlowsThanAPortsCongestionControlHoldsAreRefused) {
  const std::string dcqcn = "congestion: {algorithm: dcqcn, engine: model}\n";
  EXPECT_EQ(refusal(many_flows(4096, true, dcqcn)), "");
  EXPECT_THAT(refusal(many_flows(4097, true, dcqcn)),
              testing::AllOf(testing::StartsWith("f.yaml:4:"),
                             testing::HasSubstr("h0.nic0 sends more than 4096 flows")));
  EXPECT_EQ(refusal(many_flows(4097, true, "congestion: {engine: model}\n")), "");
}

TEST(FabricSize, OrThanItsNotificationPoints) {
  const std::string cnp = "tester: {cnp: {enabled: true}}\n";
  EXPECT_EQ(refusal(many_flows(4096, false, cnp)), "");
  EXPECT_THAT(refusal(many_flows(4097, false, cnp)),
              testing::AllOf(testing::StartsWith("f.yaml:4:"),
                             testing::HasSubstr("h0.nic0 receives more than 4096 flows")));
  EXPECT_EQ(refusal(many_flows(4097, true, cnp)), "");
}

}  // namespace
}  // namespace railyard
