#include "tlm/observe/waits_for.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace railyard {
namespace {

Wait wait(const std::string& waiter, const std::string& holder, Time since) {
  return {{waiter, holder, "something"}, since};
}

TEST(FindCycle, AChainIsNone) {
  EXPECT_TRUE(find_cycle({wait("a", "b", 0), wait("b", "c", 0), wait("a", "c", 0)}, 10).empty());
}

TEST(FindCycle, ARingIsFoundFromItsFirstNameWhateverTheOrder) {
  std::vector<Wait> waits = {wait("x", "c", 0), wait("c", "a", 1), wait("a", "b", 2),
                             wait("b", "c", 3), wait("b", "d", 0)};
  for (int turn = 0; turn < 5; ++turn) {
    const std::vector<Wait> cycle = find_cycle(waits, 10);
    ASSERT_EQ(cycle.size(), 3U);
    EXPECT_EQ(cycle[0].info.waiter, "a");
    EXPECT_EQ(cycle[1].info.waiter, "b");
    EXPECT_EQ(cycle[2].info.waiter, "c");
    std::rotate(waits.begin(), waits.begin() + 1, waits.end());
  }
}

TEST(FindCycle, AYoungWaitBreaksIt) {
  EXPECT_TRUE(find_cycle({wait("a", "b", 0), wait("b", "a", 11)}, 10).empty());
  EXPECT_EQ(find_cycle({wait("a", "b", 0), wait("b", "a", 10)}, 10).size(), 2U);
}

TEST(FindCycle, ALongRingIsFound) {
  std::vector<Wait> waits;
  for (int i = 0; i < 100'000; ++i) {
    waits.push_back(wait("n" + std::to_string(i), "n" + std::to_string((i + 1) % 100'000), 0));
  }
  EXPECT_EQ(find_cycle(waits, 0).size(), 100'000U);
}

TEST(WaitsFor, AWaitGoesOnSinceItsFirstTime) {
  WaitsFor registry;
  WaitPoint point;
  registry.add(point, {"a.port", "b.port", "the pause to end"});
  EXPECT_FALSE(registry.any());
  point.begin(5000);
  point.begin(9000);  // refreshed
  ASSERT_EQ(registry.active().size(), 1U);
  EXPECT_EQ(explain(registry.active()), "a.port waits for b.port: the pause to end, since 5ns");
  point.end();
  EXPECT_TRUE(registry.active().empty());
}

TEST(WaitsFor, ASourceTellsTheWaitsOfTheMomentItIsAsked) {
  WaitsFor registry;
  std::vector<Wait> on;
  registry.add_source(
      [&](std::vector<Wait>& waits) { waits.insert(waits.end(), on.begin(), on.end()); });
  EXPECT_FALSE(registry.any());
  EXPECT_TRUE(registry.active().empty());
  on = {wait("sw.in2", "sw.out3", 20)};
  EXPECT_TRUE(registry.any());
  EXPECT_EQ(registry.active().size(), 1U);
  on.clear();
  EXPECT_FALSE(registry.any());
}

TEST(WaitsFor, WaitsOfPointsAndOfSourcesAreOneListInOrderOfTime) {
  WaitsFor registry;
  WaitPoint point;
  registry.add(point, {"sw.out", "b.in", "the pause to end"});
  registry.add_source([](std::vector<Wait>& waits) {
    waits.push_back(wait("b.in", "b.out", 30));
    waits.push_back(wait("sw.in", "sw.out", 10));
  });
  registry.add_source([](std::vector<Wait>& waits) { waits.push_back(wait("b.out", "a", 5)); });
  point.begin(20);
  std::vector<Time> times;
  for (const Wait& one : registry.active()) times.push_back(one.since);
  EXPECT_EQ(times, (std::vector<Time>{5, 10, 20, 30}));
}

TEST(WaitsFor, ACycleMayRunThroughASource) {
  WaitsFor registry;
  WaitPoint point;
  registry.add(point, {"a", "b", "the pause to end"});
  registry.add_source([](std::vector<Wait>& waits) { waits.push_back(wait("b", "a", 10)); });
  EXPECT_TRUE(find_cycle(registry.active(), 50).empty());
  point.begin(20);
  EXPECT_EQ(find_cycle(registry.active(), 50).size(), 2U);
}

}  // namespace
}  // namespace railyard
