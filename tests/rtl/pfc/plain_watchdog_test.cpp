#include "tests/rtl/pfc/plain_watchdog.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

using Finding = PlainWatchdog::Finding;

constexpr Time kUs = kMicrosecond;

/// One port's queues, with a poll timer that runs only while it must.
class Port {
 public:
  struct Found {
    unsigned priority;
    Finding finding;
    Time at;
  };

  explicit Port(const WatchdogConfig& config) : watchdog_(config) {}

  PlainWatchdog::QueueView& queue(unsigned priority) { return queues_[priority].view; }
  void occupy(unsigned priority) { queue(priority).occupied = true; }

  void pause(unsigned priority, Time at) {
    run_until(at);
    queues_[priority].since = at;
    refresh(priority, at);
    watchdog_.blocked(priority, seen(priority, at), at);
    if (next_ == kForever) next_ = watchdog_.next_poll(at);
  }
  void refresh(unsigned priority, Time at) {
    run_until(at);
    queue(priority).last_xoff = at;
  }
  void resume(unsigned priority, Time at) {
    run_until(at);
    queue(priority) = seen(priority, at);
    queues_[priority].since = kForever;
  }
  /// A frame comes into an empty queue.
  void fill(unsigned priority, Time at) {
    run_until(at);
    occupy(priority);
    if (queues_[priority].since != kForever) {
      watchdog_.blocked(priority, seen(priority, at), at);
    }
  }
  void run_until(Time end) {
    while (next_ <= end) {
      const Time now = next_;
      bool needed = false;
      for (unsigned p = 0; p < PlainWatchdog::kPriorities; ++p) {
        const Finding finding = watchdog_.poll(p, seen(p, now), now);
        if (finding != Finding::kNone) found.push_back({p, finding, now});
        needed = needed || queues_[p].since != kForever;
      }
      needed = needed || watchdog_.storms() != 0;
      next_ = needed ? watchdog_.next_poll(now) : kForever;
    }
  }
  bool polls() const { return next_ != kForever; }

  std::vector<Found> found;

 private:
  struct Queue {
    PlainWatchdog::QueueView view;
    Time since = kForever;
  };

  PlainWatchdog::QueueView seen(unsigned priority, Time now) const {
    PlainWatchdog::QueueView view = queues_[priority].view;
    if (queues_[priority].since != kForever) view.paused_time += now - queues_[priority].since;
    return view;
  }

  PlainWatchdog watchdog_;
  std::array<Queue, PlainWatchdog::kPriorities> queues_;
  Time next_ = kForever;
};

WatchdogConfig millisecond() {
  WatchdogConfig config;
  config.detection = 1000 * kUs;
  config.restoration = 1000 * kUs;
  config.poll = 100 * kUs;
  return config;
}

/// A port whose queue 3 has been in a storm since a pause at 30 us; the last refresh is at 1100 us.
Port in_storm() {
  Port port(millisecond());
  port.occupy(3);
  port.pause(3, 30 * kUs);
  for (Time at = 100 * kUs; at <= 1100 * kUs; at += 50 * kUs) port.refresh(3, at);
  return port;
}

TEST(PlainWatchdog, AnyPhaseAndRatioAreFoundWithinOnePollOfTheDetectionTime) {
  RandomStream random(1, "watchdog");
  const auto below = [&](Time bound) {
    return static_cast<Time>(random.below(static_cast<std::uint64_t>(bound)));
  };
  for (int i = 0; i < 100'000; ++i) {
    WatchdogConfig config;
    config.poll = 100 * kUs + below(400 * kUs);
    config.detection = config.poll + below(6 * config.poll);
    Port port(config);
    port.occupy(0);
    // Short pauses before, which are no part of the storm.
    Time at = 1 + below(3 * config.poll);
    for (Time n = below(4); n > 0; --n) {
      port.pause(0, at);
      at += 1 + below(config.detection / 2);
      port.resume(0, at);
      at += config.poll / 100 + 1 + below(2 * config.poll);
    }
    const Time onset = at;
    port.pause(0, onset);
    // One gap a poll, now and then, of up to 1 %.
    while (port.found.empty() && at < onset + config.detection + 2 * config.poll) {
      at += 1 + config.poll + below(config.poll);
      port.resume(0, at);
      port.pause(0, at += 1 + below(config.poll / 100));
    }
    ASSERT_EQ(port.found.size(), 1U) << i;
    ASSERT_EQ(port.found[0].finding, Finding::kStorm);
    ASSERT_GE(port.found[0].at, onset + config.detection - config.poll / 100) << i;
    ASSERT_LE(port.found[0].at, onset + config.detection + config.poll) << i;
  }
}

TEST(PlainWatchdog, PollsLieOnOneGrid) {
  const PlainWatchdog watchdog(millisecond());
  EXPECT_EQ(watchdog.next_poll(0), 100 * kUs);
  EXPECT_EQ(watchdog.next_poll(100 * kUs - 1), 100 * kUs);
  EXPECT_EQ(watchdog.next_poll(100 * kUs), 200 * kUs);
}

TEST(PlainWatchdog, NoTimerIsNeededOnceNothingIsPaused) {
  Port port(millisecond());
  port.occupy(3);
  EXPECT_FALSE(port.polls());
  port.pause(3, 50 * kUs);
  EXPECT_TRUE(port.polls());
  port.resume(3, 150 * kUs);
  port.run_until(200 * kUs);
  EXPECT_FALSE(port.polls());
}

/// Pauses from 30 us on with gaps of `gap` each 250 us; the first finding within 20 ms.
std::vector<Port::Found> with_gaps(Time gap) {
  Port port(millisecond());
  port.occupy(3);
  for (Time at = 30 * kUs; at < 20'000 * kUs && port.found.empty(); at += 250 * kUs) {
    port.pause(3, at);
    port.resume(3, at + 250 * kUs - gap);
  }
  return port.found;
}

TEST(PlainWatchdog, GapsOfOnePercentOfAPollAreForgivenAndLongerOnesAreNot) {
  const std::vector<Port::Found> found = with_gaps(kUs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at, 1100 * kUs);
  EXPECT_TRUE(with_gaps(kUs + 1).empty());
}

TEST(PlainWatchdog, AGapThatAPollHalvesIsOneGap) {
  Port port(millisecond());
  port.occupy(3);
  port.pause(3, 30 * kUs);
  port.resume(3, 500 * kUs - 800 * kNanosecond);
  port.pause(3, 500 * kUs + 800 * kNanosecond);
  port.run_until(1500 * kUs);
  EXPECT_TRUE(port.found.empty());
  port.run_until(1600 * kUs);
  EXPECT_EQ(port.found.size(), 1U);
}

TEST(PlainWatchdog, ManyShortGapsInOnePollAreTooMuch) {
  Port port(millisecond());
  port.occupy(3);
  for (Time at = 30 * kUs; at < 20'000 * kUs; at += 10 * kUs) {  // 2 % in all
    port.pause(3, at);
    port.resume(3, at + 10 * kUs - 200 * kNanosecond);
  }
  EXPECT_TRUE(port.found.empty());
}

TEST(PlainWatchdog, OneDequeueBeginsAnew) {
  Port port(millisecond());
  port.occupy(3);
  port.pause(3, 30 * kUs);
  port.run_until(950 * kUs);
  ++port.queue(3).dequeued;
  port.run_until(1999 * kUs);
  EXPECT_TRUE(port.found.empty());
  port.run_until(2000 * kUs);  // the poll of 1000 us saw it
  EXPECT_EQ(port.found.size(), 1U);
}

TEST(PlainWatchdog, AnEmptyQueueIsInNoStormAndTimeCountsFromItsNextFrame) {
  Port port(millisecond());
  port.occupy(3);
  port.pause(3, 30 * kUs);
  port.run_until(950 * kUs);
  port.queue(3).occupied = false;
  port.run_until(5050 * kUs);
  EXPECT_TRUE(port.found.empty());
  port.fill(3, 5050 * kUs);
  port.run_until(6099 * kUs);
  EXPECT_TRUE(port.found.empty());
  port.run_until(6100 * kUs);
  EXPECT_EQ(port.found.size(), 1U);
}

TEST(PlainWatchdog, AQueueThatIsNotPausedIsInNoStorm) {
  Port port(millisecond());
  port.occupy(3);
  port.occupy(4);
  port.pause(4, 30 * kUs);
  port.run_until(10'000 * kUs);
  for (const Port::Found& found : port.found) EXPECT_EQ(found.priority, 4U);
}

TEST(PlainWatchdog, RestoresAtTheFirstPollAfterARestorationTimeWithoutXoff) {
  Port port = in_storm();
  port.refresh(3, 1500 * kUs + 1);
  port.resume(3, 1510 * kUs);
  port.run_until(10'000 * kUs);
  ASSERT_EQ(port.found.size(), 2U);
  EXPECT_EQ(port.found[1].finding, Finding::kRestored);
  EXPECT_EQ(port.found[1].at, 2600 * kUs);
  EXPECT_FALSE(port.polls());
}

TEST(PlainWatchdog, RefreshesKeepAStormThoughTheQueueDequeues) {
  Port port = in_storm();
  ASSERT_EQ(port.found.size(), 1U);
  for (Time at = 1500 * kUs; at < 50'000 * kUs; at += 900 * kUs) {
    ++port.queue(3).dequeued;  // as under `forward`
    port.refresh(3, at);
  }
  EXPECT_EQ(port.found.size(), 1U);
}

TEST(PlainWatchdog, ASecondStormTakesTheWholeDetectionTimeAgain) {
  Port port = in_storm();
  port.resume(3, 1200 * kUs);
  port.run_until(5030 * kUs);
  ASSERT_EQ(port.found.size(), 2U);
  port.pause(3, 5030 * kUs);
  port.run_until(6099 * kUs);
  EXPECT_EQ(port.found.size(), 2U);
  port.run_until(6100 * kUs);
  EXPECT_EQ(port.found.size(), 3U);
}

TEST(PlainWatchdog, EachPriorityIsWatchedByItself) {
  Port port(millisecond());
  for (unsigned p = 0; p < 8; ++p) port.occupy(p);
  for (unsigned p = 0; p < 8; ++p) port.pause(p, (30 + 100 * static_cast<Time>(p)) * kUs);
  port.run_until(950 * kUs);
  ++port.queue(5).dequeued;
  port.run_until(2000 * kUs);
  std::vector<Time> storms(8, 0);
  for (const Port::Found& f : port.found) {
    if (f.finding == Finding::kStorm && storms[f.priority] == 0) storms[f.priority] = f.at / kUs;
  }
  EXPECT_THAT(storms, testing::ElementsAre(1100, 1200, 1300, 1400, 1500, 2000, 1700, 1800));
}

}  // namespace
}  // namespace railyard
