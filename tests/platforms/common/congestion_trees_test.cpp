#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/platforms/common/congestion_support.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kEnd = 100'000;

/// h0 .. hN on one switch: sw0.p<i>.
PausedFabric star(int hosts) {
  PausedFabric fabric;
  for (int i = 0; i < hosts; ++i) {
    fabric.link("h" + std::to_string(i) + ".nic0", "sw0.p" + std::to_string(i));
  }
  return fabric;
}

/// Two leaves l0, l1 with hosts h0, h1 and h2, h3 under them, one spine s.
PausedFabric two_tiers() {
  PausedFabric fabric;
  fabric.link("h0.nic0", "l0.p0").link("h1.nic0", "l0.p1").link("l0.up", "s.p0");
  fabric.link("h2.nic0", "l1.p0").link("h3.nic0", "l1.p1").link("l1.up", "s.p1");
  return fabric;
}

/// Switches in a ring, each sending to the next from .out to .in, with a host each.
PausedFabric ring(int switches) {
  PausedFabric fabric;
  for (int i = 0; i < switches; ++i) {
    const std::string at = "r" + std::to_string(i);
    fabric.link(at + ".out", "r" + std::to_string((i + 1) % switches) + ".in");
    fabric.link("h" + std::to_string(i) + ".nic0", at + ".host");
  }
  return fabric;
}

TEST(CongestionTrees, NoPauseIsNoTree) {
  const CongestionReport report = star(3).flow("h0.nic0", {"sw0.p1"}, "h1.nic0").analyse(kEnd);
  EXPECT_EQ(report.pauses, 0U);
  EXPECT_THAT(report.trees, IsEmpty());
  EXPECT_THAT(report.victims, IsEmpty());
  EXPECT_EQ(report.all_hosts, 3U);
}

TEST(CongestionTrees, AnIncastIsOneRootAtTheEgressItGoesTo) {
  const CongestionReport report = star(4)
                                      .sent("sw0.p0", 100, 300, "sw0.p3")
                                      .sent("sw0.p1", 150, 250, "sw0.p3")
                                      .sent("sw0.p0", 400, 500, "sw0.p3")
                                      .analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  const CongestionTree& tree = report.trees[0];
  EXPECT_EQ(tree.root, "sw0.p3");
  EXPECT_EQ(tree.priority, 3);
  EXPECT_EQ(tree.kind, RootKind::kOversubscription);
  EXPECT_EQ(tree.first, 100);
  EXPECT_EQ(tree.last, 500);
  EXPECT_EQ(tree.pauses, 3U);
  EXPECT_EQ(tree.time, 200 + 100 + 100);
  EXPECT_EQ(tree.hosts, 2U);
  ASSERT_EQ(tree.depths.size(), 1U);
  EXPECT_THAT(tree.depths[0].ports, ElementsAre("h0.nic0", "h1.nic0"));
  EXPECT_EQ(report.depth, 1U);
  EXPECT_EQ(report.ports, 2U);
  EXPECT_EQ(report.hosts, 2U);
  EXPECT_EQ(report.all_hosts, 4U);
}

TEST(CongestionTrees, APauseOfAPausedEgressGoesOnToWhatHoldsIt) {
  const CongestionReport report = two_tiers()
                                      .sent("l1.up", 100, 900, "l1.p0")
                                      .sent("s.p0", 200, 800, "s.p1", true)
                                      .sent("l0.p0", 300, 700, "l0.up", true)
                                      .sent("l0.p1", 350, 700, "l0.up", true)
                                      .analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  const CongestionTree& tree = report.trees[0];
  EXPECT_EQ(tree.root, "l1.p0");
  ASSERT_EQ(tree.depths.size(), 3U);
  EXPECT_THAT(tree.depths[0].ports, ElementsAre("s.p1"));
  EXPECT_EQ(tree.depths[0].time, 800);
  EXPECT_THAT(tree.depths[1].ports, ElementsAre("l0.up"));
  EXPECT_THAT(tree.depths[2].ports, ElementsAre("h0.nic0", "h1.nic0"));
  EXPECT_EQ(tree.depths[2].pauses, 2U);
  EXPECT_EQ(tree.depths[2].time, 400 + 350);
  EXPECT_EQ(tree.hosts, 2U);
  EXPECT_EQ(report.depth, 3U);
  EXPECT_EQ(report.ports, 4U);
}

TEST(CongestionTrees, ASlowReceiverIsARootItself) {
  const CongestionReport report =
      star(2).sent("h1.nic0", 50, 90, "").sent("sw0.p0", 70, 95, "sw0.p1", true).analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  EXPECT_EQ(report.trees[0].root, "h1.nic0");
  EXPECT_EQ(report.trees[0].kind, RootKind::kReceiver);
  ASSERT_EQ(report.trees[0].depths.size(), 2U);
  EXPECT_THAT(report.trees[0].depths[0].ports, ElementsAre("sw0.p1"));
  EXPECT_THAT(report.trees[0].depths[1].ports, ElementsAre("h0.nic0"));
}

TEST(CongestionTrees, TheLatestPauseBeforeIsTheCauseOfTwoThatTakeTurns) {
  PausedFabric fabric = two_tiers();
  for (Time round = 0; round < 10; ++round) {
    const Time at = round * 1000;
    fabric.sent("l1.up", at + 100, at + 200, round % 2 == 0 ? "l1.p0" : "l1.p1");
    fabric.sent("s.p0", at + 150, at + 250, "s.p1", true);
  }
  const CongestionReport report = fabric.analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 2U);
  for (const CongestionTree& tree : report.trees) {
    EXPECT_EQ(tree.pauses, 10U);
    EXPECT_EQ(tree.time, 5 * 100 + 5 * 100);
  }
  EXPECT_EQ(report.trees[0].root, "l1.p0");
  EXPECT_EQ(report.trees[0].last, 8250);
  EXPECT_EQ(report.trees[1].root, "l1.p1");
  EXPECT_EQ(report.trees[1].first, 1100);
}

TEST(CongestionTrees, APauseAskedForAtTheSameInstantIsNoCauseYet) {
  const CongestionReport report = two_tiers()
                                      .sent("l1.up", 100, 180, "l1.p0")
                                      .sent("l1.up", 200, 300, "l1.p1")
                                      .sent("s.p0", 200, 250, "s.p1", true)
                                      .analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 2U);
  EXPECT_EQ(report.trees[0].root, "l1.p0");
  EXPECT_EQ(report.trees[0].pauses, 2U);
}

TEST(CongestionTrees, PrioritiesDoNotMeet) {
  const CongestionReport report = two_tiers()
                                      .sent("l1.up", 100, 900, "l1.p0", false, 3)
                                      .sent("l1.up", 110, 900, "l1.p1", false, 4)
                                      .sent("s.p0", 200, 800, "s.p1", true, 4)
                                      .analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 2U);
  EXPECT_EQ(report.trees[0].root, "l1.p1");
  EXPECT_EQ(report.trees[0].priority, 4);
  EXPECT_EQ(report.trees[0].pauses, 2U);
  EXPECT_EQ(report.trees[1].root, "l1.p0");
  EXPECT_EQ(report.trees[1].pauses, 1U);
}

TEST(CongestionTrees, APauseThatStandsLastsToTheEndOfTheRun) {
  const CongestionReport report = star(2).sent("sw0.p0", 40'000, kForever, "sw0.p1").analyse(kEnd);
  EXPECT_EQ(report.trees.at(0).time, kEnd - 40'000);
  EXPECT_EQ(report.trees.at(0).last, kEnd);
}

TEST(CongestionTrees, ARingThatDeadlocksIsACycleWhoeverBeganIt) {
  const CongestionReport report = ring(4)
                                      .sent("r2.in", 100, kForever, "r2.out")
                                      .sent("r1.in", 200, kForever, "r1.out", true)
                                      .sent("r0.in", 300, kForever, "r0.out", true)
                                      .sent("r3.in", 400, kForever, "r3.out", true)
                                      .sent("r3.host", 500, kForever, "r3.out", true)
                                      .analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  const CongestionTree& tree = report.trees[0];
  EXPECT_EQ(tree.kind, RootKind::kCycle);
  EXPECT_THAT(tree.members, ElementsAre("r0.out", "r1.out", "r2.out", "r3.out"));
  EXPECT_EQ(tree.root, "r0.out");
  ASSERT_EQ(tree.depths.size(), 2U);
  EXPECT_EQ(tree.depths[0].pauses, 4U);
  EXPECT_EQ(tree.depths[0].time, 4 * kEnd - 1000);
  EXPECT_THAT(tree.depths[1].ports, ElementsAre("h3.nic0"));
}

TEST(CongestionTrees, ARingThatClosesInOneInstantIsACycle) {
  PausedFabric fabric = ring(3);
  for (const char* at : {"r0", "r1", "r2"}) {
    fabric.sent(std::string(at) + ".in", 100, kForever, std::string(at) + ".out");
  }
  const CongestionReport report = fabric.analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  EXPECT_EQ(report.trees[0].kind, RootKind::kCycle);
  EXPECT_EQ(report.trees[0].pauses, 3U);
}

TEST(CongestionTrees, ARingOfWhichOneHasResumedIsNoCycle) {
  const CongestionReport report = ring(3)
                                      .sent("r2.in", 100, 250, "r2.out")
                                      .sent("r1.in", 200, kForever, "r1.out", true)
                                      .sent("r0.in", 300, kForever, "r0.out", true)
                                      .analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  EXPECT_EQ(report.trees[0].kind, RootKind::kOversubscription);
  EXPECT_EQ(report.trees[0].root, "r2.out");
  EXPECT_EQ(report.depth, 3U);
}

TEST(CongestionTrees, AWaveRoundARingIsAsFarFromItsRootAsThePortNotAsItsTurns) {
  PausedFabric fabric = ring(3);
  fabric.sent("r2.in", 100, 150, "r2.out");
  for (Time turn = 0; turn < 50; ++turn) {
    for (int i = 0; i < 3; ++i) {
      const std::string at = "r" + std::to_string((4 - i) % 3);
      const Time begin = 200 + turn * 300 + Time{i} * 100;
      fabric.sent(at + ".in", begin, begin + 50, at + ".out", true);
    }
  }
  const CongestionReport report = fabric.analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  EXPECT_EQ(report.trees[0].root, "r2.out");
  EXPECT_EQ(report.trees[0].pauses, 151U);
  ASSERT_EQ(report.depth, 3U);
  EXPECT_THAT(report.trees[0].depths[0].ports, ElementsAre("r1.out"));
  EXPECT_EQ(report.trees[0].depths[0].pauses, 51U);
}

TEST(CongestionTrees, WhatIsNotLoggedIsSaidAndIsARootOfItsOwn) {
  const CongestionReport report = two_tiers()
                                      .capacity(1)
                                      .sent("s.p0", 200, 800, "s.p1", true)
                                      .sent("s.p0", 900, 950, "s.p1", true)
                                      .analyse(kEnd);
  EXPECT_EQ(report.unlogged, 1U);
  ASSERT_EQ(report.trees.size(), 1U);
  EXPECT_EQ(report.trees[0].kind, RootKind::kUnlogged);
  EXPECT_EQ(report.trees[0].root, "l1.up");
}

TEST(CongestionTrees, AfterALogHasFilledUpAPauseThatIsOverIsNotTakenForTheCause) {
  PausedFabric fabric = two_tiers();
  fabric.sent("l1.up", 100, 200, "l1.p0")
      .sent("l1.up", 300, 700, "l1.p1")
      .sent("l1.up", 800, 900, "l1.p1")
      .sent("s.p0", 150, 250, "s.p1", true)
      .sent("s.p0", 350, 450, "s.p1", true)
      .capacity(2);
  CongestionReport report = fabric.analyse(kEnd);  // without the third of l1.up
  ASSERT_EQ(report.unlogged, 1U);
  ASSERT_EQ(report.trees.size(), 2U);
  fabric.capacity(1);  // and without the second
  report = fabric.analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 1U);
  EXPECT_EQ(report.trees[0].root, "l1.p0");
  EXPECT_EQ(report.trees[0].pauses, 2U);

  PausedFabric late = two_tiers();
  late.sent("l1.up", 100, 200, "l1.p0")
      .sent("l1.up", 300, 700, "l1.p1")
      .sent("s.p0", 350, 450, "s.p1", true)
      .capacity(1);
  report = late.analyse(kEnd);
  ASSERT_EQ(report.trees.size(), 2U);
  EXPECT_EQ(report.trees[1].kind, RootKind::kUnlogged);
  EXPECT_EQ(report.trees[1].root, "l1.up");
}

TEST(CongestionTrees, PortsThatDoNotFitTogetherAreRefused) {
  PausedFabric fabric = star(2).sent("sw0.p0", 10, 20, "sw0.p1");
  fabric.write_logs();
  std::vector<PausePort> ports = fabric.ports();
  ports[0].peer = 3;
  EXPECT_THROW(analyse_congestion(ports, {}, kEnd), std::logic_error);
  ports = fabric.ports();
  ports[1].number = 1;  // as sw0.p1
  EXPECT_THROW(analyse_congestion(ports, {}, kEnd), std::logic_error);
  ports = fabric.ports();
  ports[1].number = 7;  // the log knows it as 0
  EXPECT_THROW(analyse_congestion(ports, {}, kEnd), std::logic_error);
  ports = fabric.ports();
  ports[1].log = nullptr;
  EXPECT_THROW(analyse_congestion(ports, {}, kEnd), std::logic_error);
}

}  // namespace
}  // namespace railyard
