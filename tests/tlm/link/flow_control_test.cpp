#include <gmock/gmock.h>

#include <vector>

#include "tlm/link/credits.h"
#include "tlm/link/stall.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

TEST(Credits, TakeGrantAndWake) {
  Simulation simulation{{}};
  Credits credits(simulation.partition(), "x.credits", "y", 10);
  int woken = 0;
  credits.when_granted([&] { ++woken; });
  EXPECT_TRUE(credits.take(7));
  EXPECT_FALSE(credits.take(5));
  EXPECT_EQ(simulation.waits().size(), 1U);
  credits.grant(1);
  EXPECT_EQ(woken, 0);  // 4 are not 5
  credits.grant(2);
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(simulation.waits().empty());
  EXPECT_TRUE(credits.take(5));
  EXPECT_EQ(credits.available(), 1U);
}

TEST(Credits, OfTwoTakersTheSmallestWishIsWoken) {
  Simulation simulation{{}};
  Credits credits(simulation.partition(), "x.credits", "y", 10);
  int woken = 0;
  credits.when_granted([&] { ++woken; });
  EXPECT_TRUE(credits.take(10));
  EXPECT_FALSE(credits.take(2));
  EXPECT_FALSE(credits.take(8));
  credits.grant(2);
  EXPECT_EQ(woken, 1);
}

TEST(Credits, ATakeThatSucceedsEndsTheWait) {
  Simulation simulation{{}};
  Credits credits(simulation.partition(), "x.credits", "y", 10);
  EXPECT_TRUE(credits.take(5));
  EXPECT_FALSE(credits.take(8));
  EXPECT_TRUE(credits.take(3));
  EXPECT_TRUE(simulation.waits().empty());
}

TEST(Credits, MoreThanWereTakenOrThanThereAreIsABrokenInvariant) {
  Simulation simulation{{}};
  Credits credits(simulation.partition(), "x.credits", "y", 10);
  EXPECT_TRUE(credits.take(2));
  EXPECT_THROW(credits.grant(3), sc_core::sc_report);
  EXPECT_THROW(credits.take(11), sc_core::sc_report);
}

TEST(Credits, InfiniteCreditsNeverRunOut) {
  Simulation simulation{{}};
  Credits credits(simulation.partition(), "x.credits", "y", Credits::kInfinite);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(credits.take(1'000'000'000));
}

/// Serves a queue as fast as its gate lets it.
struct Server {
  Server(Partition& partition, const StallConfig& stall)
      : p(partition), queue(partition, "q", stall, [this] { serve(); }) {}
  void serve() {
    while (queue.ready()) {
      served.push_back(queue.pop());
      times.push_back(p.now());
    }
  }
  Partition& p;
  StallableQueue<int> queue;
  std::vector<int> served;
  std::vector<Time> times;
};

TEST(StallableQueue, ServesAtOnceWithoutStalls) {
  Simulation simulation{{}};
  Server server(simulation.partition(), {});
  for (int i = 0; i < 10; ++i) server.queue.push(i);
  simulation.seal();
  server.serve();
  EXPECT_EQ(server.served.size(), 10U);
}

TEST(StallableQueue, UnderStallsLosesNothingKeepsOrderAndTakesTime) {
  Simulation simulation{{}};
  Server server(simulation.partition(), {0.5, 1000});
  for (int i = 0; i < 10'000; ++i) server.queue.push(i);
  simulation.seal();
  server.serve();
  simulation.run(kSecond);
  ASSERT_EQ(server.served.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(server.served[static_cast<std::size_t>(i)], i);
  // 5,000 stalls of 500 ps on average
  EXPECT_NEAR(static_cast<double>(server.times.back()), 5000.0 * 500.5, 150'000);
}

TEST(StallableQueue, AlwaysStallingStillServes) {
  Simulation simulation{{}};
  Server server(simulation.partition(), {1, 10});
  for (int i = 0; i < 100; ++i) server.queue.push(i);
  simulation.seal();
  server.serve();
  simulation.run(kSecond);
  EXPECT_EQ(server.served.size(), 100U);
}

}  // namespace
}  // namespace railyard
