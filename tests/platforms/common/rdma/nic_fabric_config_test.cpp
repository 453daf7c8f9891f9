// Keys of fabrics whose flows come from NICs or from testers: what is refused, and where.
#include <gmock/gmock.h>

#include <string>

#include "platforms/common/fabric/tester_fabric.h"
#include "platforms/common/rdma/nic_fabric.h"
#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"

namespace railyard::rdma {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kStar = "topology: {kind: star, hosts: 3}\n";

/// What binding or building it is refused with, or "". One build a test: modules have names.
std::string refusal(const std::string& text, bool build = false) {
  try {
    NicFabricConfig config;
    bind_config(read_yaml_text(kStar + text, "f.yaml"), config);
    if (!build) return "";
    Simulation simulation{SimulationConfig{}};
    if (config.source == Source::kTester) {
      const TesterFabric fabric(config.fabric, simulation, true);
    } else {
      const NicFabric fabric(config, simulation, true);
    }
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

std::string refusal_built(const std::string& text) { return refusal(text, true); }

TEST(NicFabricConfig, KeysOfTheOtherSourceAreRefusedAtTheirPlace) {
  for (const char* key : {"host: {ideal: {bandwidth: 100Gbps}}", "pcie: ideal",
                          "pcie_link: {lanes: 8}", "verbs: {registration: 1us}",
                          "requests: {depth: 4}", "slow: [{host: h0, pcie_lanes: 4}]"}) {
    const std::string name = std::string(key).substr(0, std::string(key).find(':'));
    EXPECT_THAT(refusal("source: tester\n" + std::string(key) + "\n"),
                AllOf(StartsWith("f.yaml:3:"), HasSubstr(name), HasSubstr("source: nic")))
        << key;
  }
  for (const char* key : {"tester: {receive_buffer: 1MiB}", "stuck: [{port: h0, at: 1us}]"}) {
    const std::string name = std::string(key).substr(0, std::string(key).find(':'));
    EXPECT_THAT(refusal(std::string(key) + "\n"),
                AllOf(StartsWith("f.yaml:2:"), HasSubstr(name), HasSubstr("source: tester")))
        << key;
    EXPECT_EQ(refusal("source: tester\n" + std::string(key) + "\n"), "") << key;
  }
}

TEST(NicFabricConfig, TrafficThatNicsCannotMakeIsRefusedAtItsKey) {
  for (const char* key : {"rate: 10Gbps", "vlan: 5", "ect: false"}) {
    const std::string name = "traffic." + std::string(key).substr(0, std::string(key).find(':'));
    const std::string text = "traffic:\n  " + std::string(key) + "\n";
    EXPECT_THAT(refusal(text),
                AllOf(StartsWith("f.yaml:3:"), HasSubstr(name), HasSubstr("source: tester")))
        << key;
    EXPECT_EQ(refusal("source: tester\n" + text), "") << key;
  }
}

TEST(NicFabricConfig, ARateOfAListedFlowIsRefusedAtItsRow) {
  const std::string text =
      "traffic:\n  pattern: list\n  flows:\n"
      "  - {source: h0, destination: h1}\n  - {source: h0, destination: h2, rate: 1Gbps}\n";
  EXPECT_THAT(refusal(text), AllOf(StartsWith("f.yaml:6:"), HasSubstr("no rate of a flow")));
  EXPECT_EQ(refusal("source: tester\n" + text), "");
}

TEST(NicFabricConfig, APriorityOfTrafficIsThatOfItsDscp) {
  EXPECT_THAT(refusal("traffic: {priority: 3, dscp: 46}\n"),
              AllOf(StartsWith("f.yaml:2:"), HasSubstr("traffic.dscp"),
                    HasSubstr("a NIC counts DSCP 46 to priority 5, not 3")));
  EXPECT_EQ(refusal("traffic: {priority: 5, dscp: 46}\n"), "");
  for (int priority = 0; priority < 8; ++priority) {
    EXPECT_EQ(refusal("traffic: {priority: " + std::to_string(priority) + "}\n"), "");
  }
}

TEST(NicFabricConfig, APriorityOfAFlowIsThatOfTheDscpOfAll) {
  EXPECT_THAT(refusal_built("traffic: {pattern: list, dscp: 26, flows: "
                            "[{source: h0, destination: h1, priority: 4}]}\n"),
              AllOf(StartsWith("f.yaml:2:"), HasSubstr("a NIC counts DSCP 26 to priority 3, not to "
                                                       "4 of a flow")));
}

TEST(NicFabricConfig, HostsHaveOneNic) {
  NicFabricConfig config;
  try {
    bind_config(read_yaml_text("topology: {kind: rail_optimised, hosts: 2, nics_per_host: 2, "
                               "spines: 1}\ntraffic: {pattern: ring}\n",
                               "f.yaml"),
                config);
    ADD_FAILURE() << "it is taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith("f.yaml:1:"), HasSubstr("one NIC")));
  }
}

TEST(NicFabricConfig, APathMtuLeavesRoomForHeaders) {
  EXPECT_THAT(refusal("nic: {path_mtu: 4096, interface_mtu: 4100}\n"),
              AllOf(StartsWith("f.yaml:2:"), HasSubstr("less than 96 B")));
}

TEST(NicFabricConfig, ASlowHostIsOneOfTheTopology) {
  EXPECT_THAT(refusal("slow:\n- {host: h1}\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("nothing makes it slow")));
  EXPECT_THAT(refusal("pcie: ideal\nslow: [{host: h1, pcie_lanes: 4}]\n"),
              HasSubstr("an ideal PCIe has neither generation nor width"));
  EXPECT_THAT(refusal_built("slow:\n- {host: h9, pcie_lanes: 4}\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("there is no host h9")));
}

TEST(NicFabricConfig, MoreQueuePairsThanCongestionControlHoldsAreRefused) {
  const std::string many = "nic: {limits: {qps: 8192}}\n";
  EXPECT_THAT(refusal("congestion: {algorithm: dcqcn}\n" + many),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("at most 4096 queue pairs")));
  EXPECT_THAT(refusal("nic: {limits: {qps: 8192}, cnp: {enabled: true}}\n"),
              HasSubstr("at most 4096 queue pairs"));
  EXPECT_EQ(refusal(many), "");
}

TEST(NicFabricConfig, MoreFlowsThanQueuePairsAreRefused) {
  EXPECT_THAT(refusal_built("nic: {limits: {qps: 2}}\ntraffic: {pattern: all_to_all}\n"),
              AllOf(StartsWith("f.yaml:3:"), HasSubstr("more flows than the 2 queue pairs")));
}

TEST(NicFabricConfig, MessagesThatFillAHostsMemoryAreRefused) {
  EXPECT_THAT(
      refusal_built("host: {memory: {size: 64MiB}}\ntraffic: {senders: 2, message_size: 32MiB}\n"),
      AllOf(StartsWith("f.yaml:3:"), HasSubstr("of each flow of h2 is 64MiB")));
}

// --- what would cost a lossless priority packets ---

TEST(NicFabricLossless, ANicThatTakesLongerToPauseThanHeadroomsAreForIsRefused) {
  EXPECT_THAT(refusal_built("nic: {receive: {response_quanta: 906}}\n"),
              HasSubstr("nic.receive.response_quanta of 906 is more than the 905 that headrooms at "
                        "400Gbps are for"));
}

TEST(NicFabricLossless, ANicThatTakesAsLongAsTheStandardAllowsIsTaken) {
  EXPECT_EQ(refusal_built("nic: {receive: {response_quanta: 905}}\n"), "");
}

// 2 * 10 us of 400 Gb/s, and what the tester's case counts: 1,151,196 B - 64 KiB, beyond XOFF at
// the profile's 512 KiB.
const char* const kFar = "link: {length: 2km}\nswitch: {buffer: 256MiB}\n";

TEST(NicFabricLossless, ASlowHostNeedsRoomForWhatComesAfterItsXoff) {
  EXPECT_THAT(
      refusal_built(kFar + std::string("nic: {receive: {buffer: 1609947B}}\n"
                                       "slow: [{host: h2, pcie_lanes: 4}]\n")),
      HasSubstr("nic.receive.buffer of 1609947B does not hold what comes until a pause acts at "
                "400Gbps: with nic.receive.xoff of 512KiB it takes 1609948B; enlarge "
                "nic.receive.buffer, or lower nic.receive.xoff"));
}

TEST(NicFabricLossless, ASlowHostWithThatRoomIsTaken) {
  EXPECT_EQ(refusal_built(kFar + std::string("nic: {receive: {buffer: 1609948B}}\n"
                                             "slow: [{host: h2, pcie_lanes: 4}]\n")),
            "");
}

TEST(NicFabricLossless, AMemoryThatIsSlowerThanTheLineMakesAHostSlow) {
  EXPECT_THAT(refusal_built(kFar + std::string("slow: [{host: h2, memory_bandwidth: 100Gbps}]\n")),
              HasSubstr("nic.receive.buffer"));
}

TEST(NicFabricLossless, HostsThatTakePacketsAsTheyComeNeedNoSuchRoom) {
  EXPECT_EQ(refusal_built(kFar), "");
}

TEST(NicFabricLossless, ASlowHostThatDoesNotPauseNeedsNoSuchRoom) {
  EXPECT_EQ(refusal_built(kFar + std::string("nic: {receive: {pfc: false}}\n"
                                             "slow: [{host: h2, pcie_lanes: 4}]\n")),
            "");
}

std::string largest(int bytes) {
  return "nic: {path_mtu: 1024}\nswitch: {headroom: {largest_lossless_frame: " +
         std::to_string(bytes) + "}}\n";
}

// 14 Ethernet, 20 IPv4, 8 UDP, 12 BTH, 16 RETH, 1024, 4 ICRC, 4 FCS
TEST(NicFabricLossless, FramesThatALosslessPriorityWouldDropAreRefused) {
  EXPECT_THAT(refusal_built(largest(1101)), HasSubstr("frames of 1102 B in lossless priority 3"));
}

TEST(NicFabricLossless, FramesThatItTakesAreTaken) { EXPECT_EQ(refusal_built(largest(1102)), ""); }

TEST(NicFabricLossless, CnpsWhoseSenderNoPauseOfTheirsHoldsAreRefused) {
  EXPECT_THAT(refusal_built("nic: {cnp: {enabled: true, dscp: 26}}\n"),
              HasSubstr("nic.cnp: frames of priority 6 with DSCP 26 have lossless priority 3"));
}

TEST(NicFabricLossless, CnpsOfTheDataPriorityAreTaken) {
  EXPECT_EQ(refusal_built("nic: {cnp: {enabled: true, dscp: 26, priority: 3}}\n"), "");
}

TEST(NicFabricLossless, AHeadroomByHandIsItsOwnersAffair) {
  EXPECT_EQ(refusal_built("switch: {headroom: {rule: by_hand, size: 100KiB}}\n"
                          "nic: {receive: {response_quanta: 9000}}\n"),
            "");
}

}  // namespace
}  // namespace railyard::rdma
