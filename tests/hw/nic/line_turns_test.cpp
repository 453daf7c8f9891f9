// Whose turn it is on the line, without a line.
#include "hw/nic/line_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::nic {
namespace {

using testing::ElementsAre;

constexpr std::uint8_t kAll = 0xFF;
constexpr auto lane_of = &LineTurns::lane_of;

/// All of these lanes always have a packet of so many bytes that is ready.
std::vector<std::uint64_t> bytes_served(LineTurns& turns, const std::vector<unsigned>& lanes,
                                        const std::vector<std::uint32_t>& bytes, unsigned count) {
  for (std::size_t i = 0; i < lanes.size(); ++i) turns.set_head(lanes[i], {0, bytes[i], true});
  std::vector<std::uint64_t> served(lanes.size());
  for (unsigned n = 0; n < count; ++n) {
    const unsigned lane = turns.next(kAll, 0);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i] == lane) served[i] += bytes[i];
    }
  }
  return served;
}

TEST(LineTurns, LanesOfOneClassTakeTurnsAPacketEach) {
  LineTurns turns({1});
  const unsigned a = lane_of(LineTurns::kRequests, 3);
  const unsigned b = lane_of(LineTurns::kRequests, 5);
  const unsigned c = lane_of(LineTurns::kResponses, 3);
  for (const unsigned lane : {a, b, c}) turns.set_head(lane, {0, 1000, true});
  std::vector<unsigned> order;
  for (int i = 0; i < 6; ++i) order.push_back(turns.next(kAll, 0));
  EXPECT_THAT(order, ElementsAre(c, a, b, c, a, b));
}

TEST(LineTurns, ClassesShareTheLineByTheirWeightsInBytes) {
  LineTurns turns({1, 3});
  const auto served =
      bytes_served(turns, {lane_of(LineTurns::kRequests, 0), lane_of(LineTurns::kRequests, 1)},
                   {4196, 300}, 20'000);
  const double ratio = static_cast<double>(served[1]) / static_cast<double>(served[0]);
  EXPECT_NEAR(ratio, 3.0, 0.01);
}

TEST(LineTurns, APriorityBeyondTheLastClassSharesThatOne) {
  LineTurns turns({1, 1});
  const auto served =
      bytes_served(turns,
                   {lane_of(LineTurns::kRequests, 0), lane_of(LineTurns::kRequests, 1),
                    lane_of(LineTurns::kRequests, 7)},
                   {1000, 1000, 1000}, 4000);
  EXPECT_THAT(served, ElementsAre(2'000'000U, 1'000'000U, 1'000'000U));
}

TEST(LineTurns, AClassThatWasAwaySavesNothingUp) {
  LineTurns turns({1, 1});
  const unsigned a = lane_of(LineTurns::kRequests, 0);
  const unsigned b = lane_of(LineTurns::kRequests, 1);
  turns.set_head(a, {0, 1000, true});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(turns.next(kAll, 0), a);
  turns.set_head(b, {0, 1000, true});
  std::vector<unsigned> order;
  for (int i = 0; i < 4; ++i) order.push_back(turns.next(kAll, 0));
  EXPECT_THAT(order, ElementsAre(b, a, b, a));
}

TEST(LineTurns, WhatIsPausedIsPassedOver) {
  LineTurns turns({1});
  turns.set_head(lane_of(LineTurns::kRequests, 3), {0, 1000, true});
  turns.set_head(lane_of(LineTurns::kResponses, 3), {0, 100, false});
  EXPECT_EQ(turns.next(kAll & ~(1 << 3), 0), LineTurns::kNone);
  EXPECT_EQ(turns.next(1 << 3, 0), lane_of(LineTurns::kResponses, 3));
}

TEST(LineTurns, NoticesAndAcknowledgementsGoAheadOfPayloadAndRequestsDoNot) {
  LineTurns turns({1});
  const unsigned request = lane_of(LineTurns::kRequests, 0);
  const unsigned response = lane_of(LineTurns::kResponses, 1);
  const unsigned notice = lane_of(LineTurns::kNotices, 6);
  turns.set_head(request, {0, 100, false});  // a READ request
  turns.set_head(response, {0, 4196, true});
  EXPECT_EQ(turns.next(kAll, 0), response);
  EXPECT_EQ(turns.next(kAll, 0), request);
  turns.set_head(response, {0, 100, false});
  turns.set_head(notice, {0, 100, false});
  EXPECT_EQ(turns.next(kAll, 0), notice);
  turns.set_head(notice, {});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(turns.next(kAll, 0), response);  // one behind the other
  turns.set_head(response, {});
  EXPECT_EQ(turns.next(kAll, 0), request);
}

TEST(LineTurns, AHeadGoesWhenItIsReady) {
  LineTurns turns({1});
  const unsigned lane = lane_of(LineTurns::kRequests, 2);
  turns.set_head(lane, {500, 1000, true});
  EXPECT_EQ(turns.next(kAll, 499), LineTurns::kNone);
  EXPECT_EQ(turns.waiting(499), 0);
  EXPECT_EQ(turns.next_ready(499), 500);
  EXPECT_EQ(turns.next_ready(500), kForever);
  EXPECT_EQ(turns.waiting(500), 1 << 2);
  EXPECT_EQ(turns.next(kAll, 500), lane);
  turns.set_head(lane, {});
  EXPECT_EQ(turns.next(kAll, 500), LineTurns::kNone);
}

}  // namespace
}  // namespace railyard::nic
