// Parts of a message's latency sum to the whole, whatever points it passes.
#include "platforms/rdma_perf/breakdown.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>
#include <set>

namespace railyard::rdma_perf {
namespace {

using nic::Point;

Time sum_of(const Breakdown& breakdown) {
  Time sum = 0;
  for (std::size_t i = 0; i < breakdown.parts(); ++i) sum += breakdown.sum(i);
  return sum;
}

Time part(const Breakdown& breakdown, const std::string& name) {
  for (std::size_t i = 0; i < breakdown.parts(); ++i) {
    if (breakdown.name(i) == name) return breakdown.sum(i);
  }
  throw std::logic_error("no part " + name);
}

TEST(Breakdown, APartLastsFromOnePointToTheNext) {
  LastPassing sender;
  LastPassing receiver;
  const std::pair<Point, Time> passed[] = {{Point::kDoorbell, 110},   {Point::kWqe, 130},
                                           {Point::kTranslated, 160}, {Point::kPayload, 200},
                                           {Point::kPacket, 250},     {Point::kOnLine, 310}};
  for (const auto& [point, at] : passed) sender.passed(point, 1, at);
  receiver.passed(Point::kReceived, 2, 380);
  receiver.passed(Point::kTransport, 2, 460);
  receiver.passed(Point::kWritten, 2, 550);
  Breakdown breakdown(TestKind::kWrite);
  breakdown.add(100, 650, sender, receiver);
  EXPECT_EQ(part(breakdown, "post"), 10);
  EXPECT_EQ(part(breakdown, "wqe"), 20);
  EXPECT_EQ(part(breakdown, "translation"), 30);
  EXPECT_EQ(part(breakdown, "payload"), 40);
  EXPECT_EQ(part(breakdown, "packet"), 50);
  EXPECT_EQ(part(breakdown, "transmit"), 60);
  EXPECT_EQ(part(breakdown, "wire"), 70);
  EXPECT_EQ(part(breakdown, "transport"), 80);
  EXPECT_EQ(part(breakdown, "write"), 90);
  EXPECT_EQ(part(breakdown, "seen"), 100);
  EXPECT_EQ(breakdown.whole(), 550);
  EXPECT_EQ(sum_of(breakdown), 550);
}

TEST(Breakdown, TheLastPassingCounts) {
  LastPassing sender;
  sender.passed(Point::kDoorbell, 1, 110);
  sender.passed(Point::kDoorbell, 1, 140);
  Breakdown breakdown(TestKind::kWrite);
  breakdown.add(100, 200, sender, LastPassing());
  EXPECT_EQ(part(breakdown, "post"), 40);
}

TEST(Breakdown, APointThatIsNotPassedHasNoPart) {
  LastPassing sender;
  sender.passed(Point::kPayload, 1, 90);  // an earlier message's
  sender.passed(Point::kWqe, 1, 120);
  sender.passed(Point::kPacket, 1, 150);
  Breakdown breakdown(TestKind::kSend);
  breakdown.add(100, 200, sender, LastPassing());
  EXPECT_EQ(part(breakdown, "post"), 0);
  EXPECT_EQ(part(breakdown, "wqe"), 20);
  EXPECT_EQ(part(breakdown, "payload"), 0);
  EXPECT_EQ(part(breakdown, "packet"), 30);
  EXPECT_EQ(part(breakdown, "completion"), 0);
  EXPECT_EQ(part(breakdown, "seen"), 50);
}

TEST(Breakdown, PartsSumToTheWholeOfAnyPassings) {
  std::mt19937 random(3);
  for (const TestKind test : {TestKind::kWrite, TestKind::kRead, TestKind::kSend}) {
    Breakdown breakdown(test);
    for (int i = 0; i < 1000; ++i) {
      LastPassing sides[2];
      for (LastPassing& side : sides) {
        for (unsigned p = 0; p < static_cast<unsigned>(Point::kCount); ++p) {
          if (random() % 4 == 0) continue;
          side.passed(static_cast<Point>(p), 1, static_cast<Time>(random() % 3000));
        }
      }
      breakdown.add(1000, 2000 + i, sides[0], sides[1]);
    }
    EXPECT_EQ(sum_of(breakdown), breakdown.whole());
    EXPECT_EQ(breakdown.messages(), 1000U);
    for (std::size_t i = 0; i < breakdown.parts(); ++i) EXPECT_GE(breakdown.sum(i), 0);
  }
}

TEST(Breakdown, EachPartHasANameAndADoc) {
  for (const TestKind test : {TestKind::kWrite, TestKind::kRead, TestKind::kSend}) {
    const Breakdown breakdown(test);
    std::set<std::string> names;
    for (std::size_t i = 0; i < breakdown.parts(); ++i) {
      EXPECT_TRUE(names.insert(breakdown.name(i)).second) << breakdown.name(i);
      EXPECT_NE(breakdown.doc(i), "");
    }
  }
}

}  // namespace
}  // namespace railyard::rdma_perf
