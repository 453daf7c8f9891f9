#include "hw/nic/qp_scheduler.h"

#include <gtest/gtest.h>

namespace railyard::nic {
namespace {

constexpr std::uint32_t kTurnBytes = 4096;

TEST(QpScheduler, ServesQueuePairsOfAClassInTurn) {
  QpScheduler scheduler({1}, kTurnBytes, 8);
  for (std::uint32_t slot = 0; slot < 3; ++slot) scheduler.add(slot, 0, 0);
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 6; ++i) {
    const std::uint32_t slot = scheduler.next();
    order.push_back(slot);
    scheduler.charge(0, kTurnBytes);
    scheduler.add(slot, 0, 0);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
}

TEST(QpScheduler, GivesClassesTheirShareOfBytesWhateverTheirPackets) {
  QpScheduler scheduler({3, 1}, kTurnBytes, 8);
  scheduler.add(0, 0, 0);
  scheduler.add(1, 1, 1);
  std::array<std::uint64_t, 2> bytes{};
  const std::array<std::uint32_t, 2> packet = {300, 4178};
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t slot = scheduler.next();
    bytes[slot] += packet[slot];
    scheduler.charge(slot, packet[slot]);
    scheduler.add(slot, slot, static_cast<std::uint8_t>(slot));
  }
  EXPECT_NEAR(static_cast<double>(bytes[0]) / static_cast<double>(bytes[1]), 3.0, 0.01);
}

TEST(QpScheduler, SavesNothingUpForAClassThatHadNothingToSend) {
  QpScheduler scheduler({1, 1}, kTurnBytes, 8);
  scheduler.add(0, 0, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(scheduler.next(), 0U);
    scheduler.charge(0, 1000);
    scheduler.add(0, 0, 0);
  }
  scheduler.add(1, 1, 1);
  std::array<std::uint32_t, 2> bytes{};
  for (int i = 0; i < 80; ++i) {
    const std::uint32_t slot = scheduler.next();
    bytes[slot] += 1024;
    scheduler.charge(slot, 1024);
    scheduler.add(slot, slot, static_cast<std::uint8_t>(slot));
  }
  EXPECT_NEAR(bytes[0], bytes[1], 2 * kTurnBytes);
}

TEST(QpScheduler, PassesOverPrioritiesThatAreBlocked) {
  QpScheduler scheduler({1}, kTurnBytes, 8);
  scheduler.add(0, 0, 2);
  scheduler.add(1, 0, 5);
  scheduler.set_blocked(2, true);
  EXPECT_EQ(scheduler.next(), 1U);
  EXPECT_FALSE(scheduler.runnable());
  EXPECT_EQ(scheduler.ready_class(), 0U);
  EXPECT_EQ(scheduler.next(), QpScheduler::kNone);
  scheduler.set_blocked(2, false);
  EXPECT_EQ(scheduler.next(), 0U);
  EXPECT_EQ(scheduler.ready_class(), QpScheduler::kNone);
}

TEST(QpScheduler, TakesOutOfTheMiddleAndKeepsAPlaceInFront) {
  QpScheduler scheduler({1}, kTurnBytes, 8);
  for (std::uint32_t slot = 0; slot < 4; ++slot) scheduler.add(slot, 0, 0);
  scheduler.remove(1);
  scheduler.remove(3);
  scheduler.remove(3);
  scheduler.add(5, 0, 0, true);
  EXPECT_EQ(scheduler.next(), 5U);
  EXPECT_EQ(scheduler.next(), 0U);
  EXPECT_EQ(scheduler.next(), 2U);
  EXPECT_EQ(scheduler.next(), QpScheduler::kNone);
}

}  // namespace
}  // namespace railyard::nic
