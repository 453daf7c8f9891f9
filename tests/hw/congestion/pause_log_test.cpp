#include "hw/congestion/pause_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace railyard {
namespace {

PauseSent sent(Time begin, std::uint16_t port, std::uint8_t priority) {
  return {begin, kForever, port, priority, PauseLog::kNoPort, false};
}

TEST(PauseLog, APauseStandsUntilTheEndOfItsPortAndPriority) {
  PauseLog log(8);
  log.begin_sent(sent(10, 2, 3));
  log.begin_sent(sent(20, 2, 4));
  log.begin_sent(sent(30, 5, 3));
  log.end_sent(2, 4, 40);
  ASSERT_EQ(log.sent().size(), 3U);
  EXPECT_EQ(log.sent()[0].end, kForever);
  EXPECT_EQ(log.sent()[1].end, 40);
  EXPECT_EQ(log.sent()[2].end, kForever);
  log.end_sent(5, 3, 50);
  log.end_sent(2, 3, 60);
  EXPECT_EQ(log.sent()[2].end, 50);
  EXPECT_EQ(log.sent()[0].end, 60);
}

TEST(PauseLog, WhatIsObeyedIsApartFromWhatIsSent) {
  PauseLog log(8);
  log.begin_sent(sent(10, 0, 3));
  log.begin_obeyed(0, 3, 15);
  log.end_obeyed(0, 3, 20);
  log.begin_obeyed(0, 3, 25);
  ASSERT_EQ(log.obeyed().size(), 2U);
  EXPECT_EQ(log.obeyed()[0].begin, 15);
  EXPECT_EQ(log.obeyed()[0].end, 20);
  EXPECT_EQ(log.obeyed()[1].end, kForever);
  EXPECT_EQ(log.sent()[0].end, kForever);
}

TEST(PauseLog, APauseWithoutRoomIsCountedAndItsEndTouchesNoOther) {
  PauseLog log(1);
  log.begin_sent(sent(10, 0, 3));
  log.end_sent(0, 3, 20);
  log.begin_sent(sent(30, 0, 3));
  log.end_sent(0, 3, 40);
  ASSERT_EQ(log.sent().size(), 1U);
  EXPECT_EQ(log.sent()[0].end, 20);
  EXPECT_EQ(log.unlogged(), 1U);
  log.begin_obeyed(1, 3, 50);
  log.begin_obeyed(2, 3, 60);
  log.end_obeyed(2, 3, 70);
  ASSERT_EQ(log.obeyed().size(), 1U);
  EXPECT_EQ(log.obeyed()[0].end, kForever);
  EXPECT_EQ(log.unlogged(), 2U);
}

TEST(PauseLog, AnEndWithoutABeginIsNothing) {
  PauseLog log(1);
  log.end_sent(7, 7, 10);
  log.end_obeyed(7, 7, 10);
  EXPECT_TRUE(log.sent().empty());
  EXPECT_TRUE(log.obeyed().empty());
}

TEST(PauseLog, EveryChangeMakesANewRevision) {
  PauseLog log(4);
  std::uint64_t last = log.revision();
  const auto changed = [&] { return std::exchange(last, log.revision()) != log.revision(); };
  EXPECT_FALSE(changed());
  log.begin_sent(sent(10, 0, 3));
  EXPECT_TRUE(changed());
  log.begin_obeyed(0, 3, 20);
  EXPECT_TRUE(changed());
  log.end_sent(0, 3, 30);
  EXPECT_TRUE(changed());
  log.end_obeyed(0, 3, 40);
  EXPECT_TRUE(changed());
}

}  // namespace
}  // namespace railyard
