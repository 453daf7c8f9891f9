#include <gmock/gmock.h>

#include <cstdint>

#include "platforms/common/congestion/congestion_monitor.h"
#include "platforms/common/congestion/congestion_output.h"
#include "tests/platforms/common/congestion_support.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time kVictimsEnd = 10'000;

/// Leaves l0 (h0, h1) and l1 (h2, h3) with one spine. h0 sends to h2, which others overload too;
/// h1 sends to h3 and shares the way with h0 up to l1.
PausedFabric shared_uplink() {
  PausedFabric fabric;
  fabric.link("h0.nic0", "l0.p0").link("h1.nic0", "l0.p1").link("l0.up", "s.p0");
  fabric.link("h2.nic0", "l1.p0").link("h3.nic0", "l1.p1").link("l1.up", "s.p1");
  return fabric;
}

PausedFabric& add_flows(PausedFabric& fabric, Time start = 0, Time end = kForever) {
  return fabric.flow("h0.nic0", {"l0.up", "s.p1", "l1.p0"}, "h2.nic0", start, end)
      .flow("h1.nic0", {"l0.up", "s.p1", "l1.p1"}, "h3.nic0", start, end);
}

/// The pauses of h2's egress spread to both hosts of l0.
PausedFabric& add_tree(PausedFabric& fabric) {
  return fabric.pause("l1.up", 100, 900, "l1.p0")
      .pause("s.p0", 200, 800, "s.p1", true)
      .pause("l0.p0", 300, 700, "l0.up", true)
      .pause("l0.p1", 300, 600, "l0.up", true);
}

TEST(Victims, AFlowThatSharesAnUplinkIsOneAndTheContributorIsNone) {
  PausedFabric fabric = shared_uplink();
  const CongestionReport report = add_flows(add_tree(fabric)).analyse(kVictimsEnd);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].flow, 1U);
  EXPECT_EQ(report.victims[0].lost, 300);
  EXPECT_DOUBLE_EQ(report.victims[0].share, 300.0 / kVictimsEnd);
  EXPECT_EQ(report.trees.at(report.victims[0].tree).root, "l1.p0");
  EXPECT_EQ(report.victims_lost, 300);
}

TEST(Victims, OnlyTheTimeFromStartToCompletionIsLost) {
  PausedFabric fabric = shared_uplink();
  const CongestionReport report = add_flows(add_tree(fabric), 400, 500).analyse(kVictimsEnd);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].lost, 100);
  EXPECT_DOUBLE_EQ(report.victims[0].share, 1.0);
  PausedFabric late = shared_uplink();
  EXPECT_THAT(add_flows(add_tree(late), 2000).analyse(kVictimsEnd).victims, IsEmpty());
  PausedFabric unborn = shared_uplink();
  EXPECT_THAT(add_flows(add_tree(unborn), kVictimsEnd).analyse(kVictimsEnd).victims, IsEmpty());
}

TEST(Victims, AFlowHeldInASwitchAloneLosesNoneAtItsSource) {
  PausedFabric fabric = shared_uplink();
  fabric.pause("l1.up", 100, 900, "l1.p0");
  const CongestionReport report = add_flows(fabric).analyse(kVictimsEnd);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].flow, 1U);
  EXPECT_EQ(report.victims[0].lost, 0);
  EXPECT_EQ(report.victims[0].share, 0);
}

TEST(Victims, AFlowThatMayPassTheRootOnOneOfItsPathsIsNone) {
  PausedFabric fabric = shared_uplink();
  add_tree(fabric).flow("h1.nic0", {"l0.up", "s.p1", "l1.p0", "l1.p1"}, "h3.nic0");
  EXPECT_THAT(fabric.analyse(kVictimsEnd).victims, IsEmpty());
}

TEST(Victims, ThoseOfASlowReceiverGoElsewhere) {
  PausedFabric fabric = shared_uplink();
  fabric.pause("h2.nic0", 50, 950, "")
      .pause("l1.up", 100, 900, "l1.p0", true)
      .pause("s.p0", 200, 800, "s.p1", true)
      .pause("l0.p0", 300, 700, "l0.up", true)
      .pause("l0.p1", 300, 600, "l0.up", true);
  const CongestionReport report = add_flows(fabric).analyse(kVictimsEnd);
  EXPECT_EQ(report.depth, 4U);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].flow, 1U);
  EXPECT_EQ(report.trees.at(report.victims[0].tree).kind, RootKind::kReceiver);
}

TEST(Victims, AnotherPriorityIsNotHeld) {
  PausedFabric fabric = shared_uplink();
  add_tree(fabric).flow("h1.nic0", {"l0.up", "s.p1", "l1.p1"}, "h3.nic0", 0, kForever, 4);
  EXPECT_THAT(fabric.analyse(kVictimsEnd).victims, IsEmpty());
}

TEST(Victims, PausesOfAnUnknownRootMakeNone) {
  PausedFabric fabric = shared_uplink();
  fabric.pause("l0.p1", 300, 600, "l0.up", true);
  const CongestionReport report = add_flows(fabric).analyse(kVictimsEnd);
  EXPECT_EQ(report.trees.at(0).kind, RootKind::kUnlogged);
  EXPECT_THAT(report.victims, IsEmpty());
}

TEST(Victims, AFlowOutsideACycleIsOneAndItsMembersFlowsAreNone) {
  PausedFabric fabric;
  for (int i = 0; i < 3; ++i) {
    const std::string at = "r" + std::to_string(i);
    const std::string next = "r" + std::to_string((i + 1) % 3);
    fabric.link(at + ".out", next + ".in").link("h" + std::to_string(i) + ".nic0", at + ".host");
  }
  fabric.link("h3.nic0", "r0.other");
  for (const std::string at : {"r0", "r1", "r2"}) {
    fabric.pause(at + ".in", 100, kForever, at + ".out");
    fabric.pause(at + ".host", 200, kForever, at + ".out", true);
  }
  fabric.flow("h0.nic0", {"r0.out", "r1.host"}, "h1.nic0").flow("h0.nic0", {"r0.other"}, "h3.nic0");
  const CongestionReport report = fabric.analyse(kVictimsEnd);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].flow, 1U);
  EXPECT_EQ(report.victims[0].lost, kVictimsEnd - 210);
}

/// Two roots hold h1 in turns that touch and overlap.
PausedFabric two_roots() {
  PausedFabric fabric;
  for (int i = 0; i < 4; ++i) {
    fabric.link("h" + std::to_string(i) + ".nic0", "sw0.p" + std::to_string(i));
  }
  fabric.sent("sw0.p0", 1000, 1500, "sw0.p1").obeyed("h0.nic0", 1010, 1600);
  fabric.sent("sw0.p0", 1550, 1900, "sw0.p2").obeyed("h0.nic0", 1560, 2000);  // overlaps
  fabric.sent("sw0.p0", 2500, 2600, "sw0.p3").obeyed("h0.nic0", 2510, 2610);  // its own
  fabric.sent("sw0.p0", 3000, kForever, "sw0.p1").obeyed("h0.nic0", 3010, kForever);
  fabric.flow("h0.nic0", {"sw0.p3"}, "h3.nic0", 0, 4000);
  return fabric;
}

TEST(Victims, TheTimeLostIsAUnionAndTheRootThatCostMostIsNamed) {
  const CongestionReport report = two_roots().analyse(kVictimsEnd);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].lost, (2000 - 1010) + (4000 - 3010));
  EXPECT_EQ(report.trees.at(report.victims[0].tree).root, "sw0.p1");
  EXPECT_EQ(report.trees.size(), 3U);
}

TEST(Congestion, ThePermutedFabricGivesTheSameReport) {
  PausedFabric tree = shared_uplink();
  add_flows(add_tree(tree));
  tree.pause("l1.up", 1000, 1100, "l1.p1").pause("h3.nic0", 100, 300, "");
  PausedFabric roots = two_roots();
  for (PausedFabric* fabric : {&tree, &roots}) {
    const std::string expected = congestion_json(fabric->analyse(kVictimsEnd));
    for (unsigned seed = 0; seed < 20; ++seed) {
      EXPECT_EQ(congestion_json(fabric->analyse_permuted(kVictimsEnd, seed)), expected);
    }
  }
}

TEST(Congestion, TheSummaryNamesRootsAndVictimsAndWhatIsMissing) {
  PausedFabric fabric = shared_uplink();
  add_flows(add_tree(fabric));
  CongestionReport report = fabric.analyse(kVictimsEnd);
  report.unlogged = 7;
  EXPECT_EQ(congestion_text(report),
            "pauses by their root                              count       time  depth  hosts\n"
            "  l1.p0 priority 3, oversubscription                  4     0.0 us      3      2\n"
            "victim: flow1 lost 0.0 us (3.0 %) to l1.p0 priority 3\n"
            "7 pauses not logged\n");
  report.trees.assign(8, report.trees[0]);
  report.trees[0].time = 4'500'000'000;
  report.trees[0].kind = RootKind::kCycle;
  report.trees[0].members = {"a.x", "b.x"};
  report.victims.assign(9, report.victims[0]);
  const std::string text = congestion_text(report);
  EXPECT_THAT(text, HasSubstr("priority 3, cycle of 2 "));
  EXPECT_THAT(text, HasSubstr(" 4     4.5 ms      3      2\n    a.x > b.x\n"));
  EXPECT_THAT(text, HasSubstr("  5 roots more\n"));
  EXPECT_THAT(text, HasSubstr("victim: 6 flows more, 0.0 us lost in all\n"));
  EXPECT_EQ(congestion_text({}), "");
}

TEST(Congestion, AMillionPausesOfADeepFabricAreJoined) {
  constexpr int kChains = 100;  // of 10 switches, with a host at each end
  PausedFabric fabric;
  const auto at = [](int chain, int i) {
    return "c" + std::to_string(chain) + "x" + std::to_string(i);
  };
  for (int chain = 0; chain < kChains; ++chain) {
    const std::string name = std::to_string(chain);
    fabric.link("h" + name + "a.nic0", at(chain, 0) + ".in");
    for (int i = 0; i < 9; ++i) fabric.link(at(chain, i) + ".out", at(chain, i + 1) + ".in");
    fabric.link(at(chain, 9) + ".out", "h" + name + "b.nic0");
    for (Time turn = 0; turn < 1000; ++turn) {
      for (int i = 9; i >= 0; --i) {
        const Time begin = turn * 1000 + Time{9 - i} * 50;
        fabric.pause(at(chain, i) + ".in", begin, begin + 400, at(chain, i) + ".out", i != 9);
      }
    }
  }
  const CongestionReport report = fabric.analyse(1'000'000);
  EXPECT_EQ(report.pauses, 1'000'000U);
  EXPECT_EQ(report.depth, 10U);
  ASSERT_EQ(report.trees.size(), 100U);
  for (const CongestionTree& tree : report.trees) {
    EXPECT_EQ(tree.pauses, 10'000U);
    EXPECT_EQ(tree.time, 10'000 * 400);
    EXPECT_EQ(tree.hosts, 1U);
  }
}

TEST(CongestionMetrics, TheyFollowTheLogsAndTheFlows) {
  PausedFabric fabric = shared_uplink();
  add_flows(add_tree(fabric));
  fabric.write_logs();
  PauseLog late(4);  // of h3
  for (PausePort& port : fabric.ports()) {
    if (port.name == "h3.nic0") port.log = &late;
  }
  std::vector<Time> ends = {kForever, kForever};
  CongestionMonitor monitor(fabric.ports(), fabric.flows(),
                            [&](std::size_t flow) { return ends[flow]; });
  StatisticsRegistry statistics;
  register_congestion_metrics(statistics, monitor);
  const auto value = [&](const std::string& name) {
    for (const Metric& metric : statistics.collect(kVictimsEnd)) {
      if (metric.info.name == name) return metric.value.real;
    }
    return -1.0;
  };
  EXPECT_EQ(value("total.pause_depth"), 3);
  EXPECT_EQ(value("total.congestion_roots"), 1);
  EXPECT_EQ(value("total.victim_flows"), 1);
  EXPECT_DOUBLE_EQ(value("total.victim_lost_us"), 300e-6);
  const CongestionReport* first = &monitor.at(kVictimsEnd);
  EXPECT_EQ(first, &monitor.at(kVictimsEnd));

  late.begin_sent({kVictimsEnd, kForever, 0, 3, PauseLog::kNoPort, false});  // at the same time
  EXPECT_EQ(value("total.congestion_roots"), 2);
  ends[1] = 410;
  EXPECT_DOUBLE_EQ(value("total.victim_lost_us"), 100e-6);
}

}  // namespace
}  // namespace railyard
