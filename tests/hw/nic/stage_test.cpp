#include "hw/nic/stage.h"

#include <gtest/gtest.h>

namespace railyard::nic {
namespace {

constexpr Time kClock = 2 * kNanosecond;

class NicStage : public ::testing::Test {
 protected:
  StatisticsRegistry statistics;
  Stage stage{statistics, "nic.wqe", {5, 3}, kClock, 2, {Cause::kWqe, Cause::kRate}, "WQE"};

  Time sum(Time now) const {
    Time all = stage.starved(now);
    for (unsigned c = 0; c < Stage::kClasses; ++c) {
      all += stage.busy(c, now);
      for (unsigned i = 0; i < static_cast<unsigned>(Cause::kCount); ++i) {
        all += stage.blocked(static_cast<Cause>(i), c, now);
      }
    }
    return all;
  }
};

TEST_F(NicStage, TakesOneThingAnIntervalAndGivesItOutALatencyLater) {
  EXPECT_EQ(stage.pass(100, 0), 100 + 5 * kClock);
  EXPECT_EQ(stage.pass(100, 0), 100 + 3 * kClock + 5 * kClock);
  EXPECT_EQ(stage.free_at(), 100 + 6 * kClock);
  EXPECT_EQ(stage.pass(1'000'000, 0), 1'000'000 + 5 * kClock);
}

TEST_F(NicStage, WhatMovesThroughLongerThanTheIntervalKeepsTheNextOut) {
  EXPECT_EQ(stage.pass(100, 0, 10 * kClock), 100 + 15 * kClock);
  EXPECT_EQ(stage.free_at(), 100 + 10 * kClock);
  EXPECT_EQ(stage.pass(100, 0, kClock), 100 + 16 * kClock);
  EXPECT_EQ(stage.free_at(), 100 + 13 * kClock);
  EXPECT_EQ(stage.busy(0, 50'000), 13 * kClock);
}

TEST_F(NicStage, CountsBusyTimeByClassAndTheRestAsStarved) {
  stage.pass(10'000, 0);
  stage.pass(10'000, 1);
  EXPECT_EQ(stage.busy(0, 50'000), 3 * kClock);
  EXPECT_EQ(stage.busy(1, 50'000), 3 * kClock);
  EXPECT_EQ(stage.starved(50'000), 50'000 - 6 * kClock);
}

TEST_F(NicStage, CountsBlockedTimeByCauseAndClassFromTheEndOfTheBusyTime) {
  stage.pass(0, 0);
  stage.block(Cause::kWqe, 1, kClock);  // busy until 3 cycles
  stage.block(Cause::kRate, 1, 10 * kClock);
  EXPECT_EQ(stage.blocked(Cause::kWqe, 1, 20 * kClock), 7 * kClock);
  EXPECT_EQ(stage.blocked(Cause::kRate, 1, 20 * kClock), 10 * kClock);
  stage.unblock(30 * kClock);
  EXPECT_EQ(stage.blocked(Cause::kRate, 1, 40 * kClock), 20 * kClock);
  EXPECT_EQ(stage.starved(40 * kClock), 10 * kClock);
}

TEST_F(NicStage, TimesSumToTheTimeThatHasPassedAtEveryMoment) {
  stage.pass(5 * kClock, 0);
  stage.block(Cause::kWqe, 0, 6 * kClock);
  stage.pass(11 * kClock, 1);
  for (Time now = 12 * kClock; now < 30 * kClock; now += kClock / 2) EXPECT_EQ(sum(now), now);
  statistics.reset(13 * kClock);  // in the middle of the interval
  EXPECT_EQ(sum(20 * kClock), 7 * kClock);
  EXPECT_EQ(stage.busy(1, 20 * kClock), kClock);
}

}  // namespace
}  // namespace railyard::nic
