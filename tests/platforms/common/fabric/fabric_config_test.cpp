// The keys of a tester fabric, and what is refused where.
#include <gmock/gmock.h>

#include <set>

#include "tests/platforms/common/fabric/fabric_support.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string text_of(const IpAddress& ip) {
  return std::visit([](const auto& address) { return net::to_string(address); }, ip);
}

TEST(FabricAddresses, FollowFromTheNumberOfTheEndpoint) {
  EXPECT_EQ(net::to_string(address_of(0, IpVersion::k4).mac), "02:00:00:00:00:01");
  EXPECT_EQ(text_of(address_of(0, IpVersion::k4).ip), "10.0.0.1");
  EXPECT_EQ(text_of(address_of(0, IpVersion::k6).ip), "fd00::1");
  EXPECT_EQ(net::to_string(address_of(0xFFFF, IpVersion::k4).mac), "02:00:00:01:00:00");
  EXPECT_EQ(text_of(address_of(0xFFFF, IpVersion::k4).ip), "10.1.0.0");
  EXPECT_EQ(text_of(address_of(0xFFFF, IpVersion::k6).ip), "fd00::1:0");
}

TEST(FabricConfig, AStarHasAsManyHostsAsTheIncastNeeds) {
  EXPECT_EQ(bound("traffic: {senders: 64}").topology.hosts, 65U);
  EXPECT_EQ(bound("traffic: {senders: 4}\ntopology: {hosts: 16}").topology.hosts, 16U);
  EXPECT_EQ(bound("data: elided").topology.hosts, 9U);
}

TEST(FabricConfig, TrafficThatTheTopologyCannotHoldIsRefusedAtItsKey) {
  EXPECT_THAT(
      refusal("topology: {hosts: 4}\ntraffic:\n  senders: 4\n"),
      StartsWith("f.yaml:3:12: traffic.senders: 4 senders and a receiver, but 4 endpoints"));
  EXPECT_THAT(refusal("traffic:\n  senders: 512\n"),
              AllOf(StartsWith("f.yaml:2:12: traffic.senders: "), HasSubstr("513 cables")));
  EXPECT_THAT(refusal("topology: {hosts: 4}\ntraffic: {pattern: ring, hops: 8}\n"),
              AllOf(StartsWith("f.yaml:2:"), HasSubstr("traffic.hops: ")));
}

TEST(FabricConfig, AStuckPortIsOneOfTheFabricsAndOnceAtATime) {
  EXPECT_EQ(refusal("stuck: [{port: h3, at: 1us, lasts: 1us}, {port: h3.nic0, at: 5us}]"), "");
  EXPECT_EQ(refusal("stuck: [{port: h3, at: 5us}, {port: h3, at: 1us, lasts: 1us}]"), "");
  EXPECT_THAT(refusal("stuck:\n- {port: h1, at: 1us}\n- {port: h9, at: 1us}\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("stuck: \"h9\" is no host")));
  EXPECT_THAT(refusal("stuck:\n- {port: h1}\n- {port: h1.nic0, at: 1us}\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("meets another of that port")));
  EXPECT_THAT(refusal("tester: {stuck: [{at: 1us, lasts: 5us}]}\nstuck:\n- {port: h1, at: 2us}\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("tester.stuck")));
  EXPECT_THAT(refusal("topology: {kind: rail_optimised, hosts: 2, nics_per_host: 2, spines: 1}\n"
                      "stuck: [{port: h1}]\n"),
              HasSubstr("has several ports"));
}

TEST(FabricConfig, AFlowWithoutARouteIsRefused) {
  EXPECT_THAT(refusal("topology: {kind: rail_optimised, hosts: 4, nics_per_host: 2}\n"
                      "traffic: {pattern: ring, hops: 1}\n"),
              HasSubstr("there is no route from h0.nic0 to h0.nic1"));
  EXPECT_EQ(refusal("topology: {kind: rail_optimised, hosts: 4, nics_per_host: 2}\n"
                    "traffic: {pattern: ring, hops: 2}\n"),
            "");
}

TEST(FabricConfig, ABufferThatIsTooSmallForHeadroomsIsRefusedWithTheSum) {
  EXPECT_THAT(
      refusal("switch:\n  buffer: 256KiB\n"),
      AllOf(StartsWith("f.yaml:2:3: "), HasSubstr("headrooms of 1613952B sum to 1613952B")));
}

TEST(FabricConfig, AProfileGivesTheRateAndBoundsTheSumOfThePorts) {
  const auto rate = [](const char* text) { return format_rate(bound(text).link.rate); };
  EXPECT_EQ(rate("switch: {profile: 51.2t}"), "800Gbps");
  EXPECT_EQ(rate("switch: {profile: 51.2t}\nlink: {rate: 100Gbps}"), "100Gbps");
  EXPECT_EQ(rate("switch: {profile: custom}"), "400Gbps");

  const std::string head = "switch:\n  profile: 12.8t\n";
  EXPECT_EQ(refusal(head + "topology: {hosts: 32}\ntraffic: {senders: 8}\n"), "");
  EXPECT_EQ(refusal(head + "link: {rate: 100Gbps}\ntopology: {hosts: 128}\n"), "");
  EXPECT_THAT(
      refusal(head + "topology: {hosts: 33}\n"),
      AllOf(StartsWith("f.yaml:2:"),
            HasSubstr("switch.profile: the 33 ports of sw0 sum to 13200 Gb/s, more than the "
                      "12800 Gb/s (32 x 400Gbps) of the profile")));
  EXPECT_THAT(refusal(head + "topology: {kind: leaf_spine, leaves: 2, spines: 1, "
                             "hosts_per_switch: 33, fabric_rate: 100Gbps}\n"),
              HasSubstr("more than the 12800 Gb/s"));
}

TEST(FabricConfig, AClockThatIsTooFastToCountPausesIsRefused) {
  EXPECT_EQ(refusal("link: {rate: 10Gbps}\nswitch: {clock: 100ps}\n"), "");
  EXPECT_THAT(refusal("link: {rate: 1Gbps}\nswitch:\n  clock: 500ps\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("a link of 1Gbps, the unit of pauses, are "
                                                       "1,024 cycles of 500ps or more")));
}

TEST(FabricConfig, ASliceThatIsTooSmallIsCalledASlice) {
  EXPECT_THAT(refusal("switch: {buffer: 2MiB, slices: 4}\n"),
              HasSubstr("more than a slice of the buffer's "));
}

TEST(FabricConfig, ALinkBeyondTheStandardNeedsAResponseTime) {
  EXPECT_THAT(refusal("link: {rate: 1.6Tbps}\n"), HasSubstr("response_quanta"));
}

TEST(FabricConfig, PeersThatPauseLaterThanHeadroomsAreForAreRefused) {
  EXPECT_THAT(refusal("tester: {response_quanta: 906}\n"),
              HasSubstr("tester.response_quanta of 906 is more than the 905 that headrooms at "
                        "400Gbps are for"));
  EXPECT_EQ(refusal("tester: {response_quanta: 905}\n"), "");
  EXPECT_EQ(refusal("tester: {response_quanta: 906}\nswitch: {pfc: {enabled: false}}\n"), "");
  const std::string by_hand = "switch: {headroom: {rule: by_hand, size: 100KB}}\n";
  EXPECT_EQ(refusal("tester: {response_quanta: 906}\n" + by_hand), "");

  const std::string two_tiers =
      "topology: {kind: leaf_spine, leaves: 2, spines: 1, "
      "hosts_per_switch: 2, fabric_rate: 100Gbps}\n";
  EXPECT_THAT(refusal(two_tiers + "switch: {pfc: {response_quanta: 395}}\n"),
              HasSubstr("switch.pfc.response_quanta of 395 is more than the 394 "));
  EXPECT_EQ(refusal(two_tiers + "switch: {pfc: {response_quanta: 394}}\n"), "");
  EXPECT_EQ(refusal("switch: {pfc: {response_quanta: 9050}}\n"), "");  // no switch is its peer
}

TEST(FabricConfig, ASlowHostNeedsRoomForWhatComesAfterItsXoff) {
  // 2 * 10 us of 400 Gb/s 1,000,000 B; 9,236 and 72 B of our frame and XOFF; 905 quanta 57,920 B;
  // two frames of 9,216 B; XOFF at 65,536 B
  const std::string far = "link: {length: 2km}\nswitch: {buffer: 256MiB}\n";
  const auto slow = [](const std::string& more) {
    return "tester: {receive_buffer: " + more + "}\n";
  };
  EXPECT_THAT(refusal(far + slow("1151195B, drain_rate: 10Gbps")),
              HasSubstr("tester.receive_buffer of 1151195B does not hold what comes until a pause "
                        "acts at 400Gbps: with tester.pfc.xoff of 64KiB it takes 1151196B"));
  EXPECT_EQ(refusal(far + slow("1151196B, drain_rate: 10Gbps")), "");
  EXPECT_THAT(refusal(far + "stuck: [{port: h0, at: 1us}]\n"), HasSubstr("receive_buffer"));
  EXPECT_EQ(refusal(far), "");  // takes frames as they come
  EXPECT_EQ(refusal(far + slow("256KiB, drain_rate: 10Gbps, pfc: {enabled: false}")), "");
}

TEST(FabricConfig, FramesThatALosslessPriorityWouldDropAreRefused) {
  const auto largest = [](int bytes) {
    return "nic: {path_mtu: 1024}\nswitch: {headroom: {largest_lossless_frame: " +
           std::to_string(bytes) + "}}\n";
  };
  // 14 Ethernet, 20 IPv4, 8 UDP, 12 BTH, 16 RETH, 1024, 4 ICRC, 4 FCS
  EXPECT_THAT(refusal(largest(1101)), HasSubstr("frames of 1102 B in lossless priority 3"));
  EXPECT_EQ(refusal(largest(1102)), "");
  EXPECT_EQ(refusal(largest(1101) + "traffic: {priority: 2}\n"), "");
  EXPECT_EQ(refusal(largest(200) + "traffic: {message_size: 64B}\n"), "");
}

TEST(FabricConfig, FramesWhoseSenderNoPauseOfTheirsHoldsAreRefused) {
  EXPECT_THAT(refusal("traffic: {priority: 4, dscp: 26}\n"),
              HasSubstr("traffic: frames of priority 4 with DSCP 26 have lossless priority 3"));
  EXPECT_EQ(refusal("traffic: {priority: 3, dscp: 0}\n"), "");  // lossy
  EXPECT_THAT(refusal("traffic: {vlan: 5}\nswitch: {pfc: {priorities: [4]}, classifier: {trust: "
                      "pcp, pcp: [{pcp: 3, priority: 4}]}}\n"),
              HasSubstr("have lossless priority 4"));
  EXPECT_THAT(refusal("tester: {cnp: {enabled: true, dscp: 26}}\n"),
              HasSubstr("tester.cnp: frames of priority 6 with DSCP 26 have lossless priority 3"));
  EXPECT_EQ(refusal("tester: {cnp: {enabled: true, dscp: 26, priority: 3}}\n"), "");
}

TEST(FabricConfig, WhatWasResolvedReadsBack) {
  const FabricConfig once = bound("traffic: {senders: 3}\nstuck: [{port: h1, at: 1us}]\n");
  FabricConfig again;
  bind_config(dump_config(once), again);
  EXPECT_EQ(again.topology.hosts, 4U);
  EXPECT_EQ(again.stuck.size(), 1U);
  EXPECT_EQ(again.stuck[0].at, kMicrosecond);
}

TEST(FabricConfig, AnAlgorithmTurnsCnpsOnAtTheIntervalOfItsSet) {
  const auto cnp = [](const std::string& text) { return bound(text).tester.cnp; };
  EXPECT_FALSE(cnp("congestion: {engine: model}").enabled);
  EXPECT_EQ(cnp("congestion: {engine: model}").interval, 50 * kMicrosecond);
  EXPECT_TRUE(cnp("congestion: {algorithm: dcqcn}").enabled);
  EXPECT_EQ(cnp("congestion: {algorithm: dcqcn}").interval, 50 * kMicrosecond);
  const std::string hardware = "congestion: {algorithm: dcqcn, parameters: hardware}\n";
  EXPECT_EQ(cnp(hardware).interval, 4 * kMicrosecond);
  EXPECT_EQ(cnp("congestion: {algorithm: dcqcn, parameters: hpcc_simulator}").interval, 0);
  EXPECT_EQ(cnp(hardware + "tester: {cnp: {interval: 7us}}").interval, 7 * kMicrosecond);
  EXPECT_TRUE(cnp(hardware + "tester: {cnp: {interval: 7us}}").enabled);
  EXPECT_FALSE(cnp(hardware + "tester: {cnp: {enabled: false}}").enabled);
}

TEST(FabricConfig, AKeyOfDcqcnWithoutItIsRefused) {
  for (const char* key : {"parameters: hardware", "dcqcn: {rp_ai_rate: 5}",
                          "classes: [{traffic_class: 3}]", "burst: 2us"}) {
    try {
      bound("congestion:\n  " + std::string(key) + "\n");
      ADD_FAILURE() << key;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("f.yaml:2:")) << key;
      EXPECT_THAT(error.what(), testing::HasSubstr("congestion.algorithm: dcqcn")) << key;
    }
    EXPECT_NO_THROW(bound("congestion:\n  algorithm: dcqcn\n  " + std::string(key) + "\n"));
  }
}

TEST(FabricConfig, ALinkBeyondTheRatesOfDcqcnIsRefused) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      bound(text);
    } catch (const ConfigError& error) {
      return error.remedy().empty() ? "no remedy" : error.what();
    }
    return "";
  };
  const std::string dcqcn = "congestion:\n  algorithm: dcqcn\n";
  EXPECT_EQ(problem(dcqcn + "link: {rate: 1048Gbps}\n"), "");
  EXPECT_THAT(problem(dcqcn + "link: {rate: 1049Gbps}\n"),
              AllOf(StartsWith("f.yaml:2:"),
                    HasSubstr("dcqcn's rates reach 1048 Gb/s, and h0.nic0 has 1049")));
  EXPECT_EQ(problem("link: {rate: 1049Gbps}\n"), "");
}

}  // namespace
}  // namespace railyard
