// pfc_watchdog at a clock of 1 ns beside the plain rule (plain_watchdog.h), over many phases of
// pauses, polls and dequeues in picoseconds. Twin and RTL run in lockstep, the clock is gated.
#include <vector>

#include "rtl/model/pfc_watchdog.h"
#include "rtl/verilated/pfc_watchdog.h"
#include "tests/rtl/lockstep.h"
#include "tests/rtl/pfc/plain_watchdog.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

constexpr Time kCycle = kNanosecond;
constexpr Time kUs = kMicrosecond;

struct Found {
  bool storm;  // or its end
  Time at;
};

/// The plain rule, of one queue that is always occupied.
class Plain {
 public:
  explicit Plain(const WatchdogConfig& config) : watchdog_(config) { view_.occupied = true; }

  void pause(Time at) {
    run_until(at);
    since_ = view_.last_xoff = at;
    watchdog_.blocked(0, seen(at), at);
    if (next_ == kForever) next_ = watchdog_.next_poll(at);
  }
  void resume(Time at) {
    run_until(at);
    view_ = seen(at);
    since_ = kForever;
  }
  void refresh(Time at) {
    run_until(at);
    view_.last_xoff = at;
  }
  void dequeue(Time at) {
    run_until(at);
    ++view_.dequeued;
  }
  void run_until(Time end) {
    while (next_ <= end) {
      const Time now = next_;
      const PlainWatchdog::Finding finding = watchdog_.poll(0, seen(now), now);
      if (finding != PlainWatchdog::Finding::kNone) {
        found.push_back({finding == PlainWatchdog::Finding::kStorm, now});
      }
      const bool needed = since_ != kForever || watchdog_.storms() != 0;
      next_ = needed ? watchdog_.next_poll(now) : kForever;
    }
  }

  std::vector<Found> found;

 private:
  PlainWatchdog::QueueView seen(Time now) const {
    PlainWatchdog::QueueView view = view_;
    if (since_ != kForever) view.paused_time += now - since_;
    return view;
  }

  PlainWatchdog watchdog_;
  PlainWatchdog::QueueView view_;
  Time since_ = kForever;
  Time next_ = kForever;
};

/// The block. What happens is seen in the first cycle not earlier than it.
class Clocked {
 public:
  explicit Clocked(const WatchdogConfig& config) : poll_(cycle(config.poll)) {
    in_.detection = cycle(config.detection);
    in_.restoration = cycle(config.restoration);
    in_.forgiven = poll_ / 100;
    in_.enable = in_.occupied = 1;
  }

  void pause(Time at) {
    move_to(at);
    in_.paused = in_.xoff = 1;
  }
  void resume(Time at) {
    move_to(at);
    in_.paused = 0;
  }
  void refresh(Time at) {
    move_to(at);
    in_.xoff = 1;
  }
  void dequeue(Time at) {
    move_to(at);
    in_.dequeued = 1;
  }
  void run_until(Time end) { move_to(end); }

  std::vector<Found> found;

 private:
  static std::uint64_t cycle(Time at) {
    return static_cast<std::uint64_t>((at + kCycle - 1) / kCycle);
  }
  /// Clocks all that is due before the cycle of `at`, that of the latest input included.
  void move_to(Time at) {
    const std::uint64_t target = cycle(at);
    if (target == in_.now) return;
    clock();
    for (;;) {
      const std::uint64_t due = (in_.now / poll_ + 1) * poll_;
      if (!bench_.last().wake_valid || due >= target) break;
      in_.now = due;
      clock();
    }
    in_.now = target;
  }
  void clock() {
    in_.poll_at = (in_.now + poll_ - 1) / poll_ * poll_;
    const bool before = bench_.last().storm != 0;
    EXPECT_TRUE(bench_.step(in_));
    const bool storm = bench_.last().storm != 0;
    if (storm != before) found.push_back({storm, static_cast<Time>(in_.now) * kCycle});
    in_.xoff = in_.dequeued = 0;
  }

  std::uint64_t poll_;
  rtl::PfcWatchdogIn in_;
  test::Lockstep<rtl::PfcWatchdogModel, rtl::PfcWatchdogRtl> bench_{"pfc_watchdog"};
};

/// Both, fed alike.
struct Pair {
  explicit Pair(const WatchdogConfig& config) : plain(config), block(config) {}
  void pause(Time at) {
    plain.pause(at);
    block.pause(at);
  }
  void resume(Time at) {
    plain.resume(at);
    block.resume(at);
  }
  void refresh(Time at) {
    plain.refresh(at);
    block.refresh(at);
  }
  void dequeue(Time at) {
    plain.dequeue(at);
    block.dequeue(at);
  }
  void run_until(Time at) {
    plain.run_until(at);
    block.run_until(at);
  }
  Plain plain;
  Clocked block;
};

struct Phases {
  explicit Phases(const char* name) : random(1, name) {}

  Time below(Time bound) {
    return static_cast<Time>(random.below(static_cast<std::uint64_t>(bound)));
  }
  /// Times of whole cycles: the registers hold no others.
  WatchdogConfig config() {
    WatchdogConfig config;
    config.poll = (100 * kUs + below(400 * kUs)) / kCycle * kCycle;
    config.detection = (config.poll + below(6 * config.poll)) / kCycle * kCycle;
    return config;
  }
  /// A gap that is forgiven wherever it lies between two cycles.
  Time gap(const WatchdogConfig& config) {
    return 1 + below(config.poll / 100 / kCycle * kCycle - kCycle);
  }

  RandomStream random;
};

TEST(PfcWatchdogPhases, AStormOfAnyPhaseIsFoundWithinOnePollOfTheDetectionTime) {
  Phases phases("storms");
  int same = 0;
  constexpr int kPhases = 100'000;
  for (int i = 0; i < kPhases; ++i) {
    const WatchdogConfig config = phases.config();
    Pair pair(config);
    // Short pauses before, which are no part of the storm.
    Time at = 1 + phases.below(3 * config.poll);
    for (Time n = phases.below(4); n > 0; --n) {
      pair.pause(at);
      at += 1 + phases.below(config.detection / 2);
      pair.resume(at);
      at += config.poll / 100 + kCycle + phases.below(2 * config.poll);
    }
    const Time onset = at;
    pair.pause(onset);
    // One gap a poll, now and then, of up to 1 %.
    while (at < onset + config.detection + 2 * config.poll) {
      at += 1 + config.poll + phases.below(config.poll);
      pair.resume(at);
      pair.pause(at += phases.gap(config));
    }
    for (const auto* found : {&pair.plain.found, &pair.block.found}) {
      ASSERT_EQ(found->size(), 1U) << i;
      ASSERT_TRUE(found->front().storm);
      ASSERT_GE(found->front().at, onset + config.detection - config.poll / 100) << i;
      ASSERT_LE(found->front().at, onset + config.detection + config.poll + kCycle) << i;
    }
    // The plain rule may count from a poll in the gap before; the block never does.
    ASSERT_GE(pair.block.found[0].at, onset + config.detection) << i;
    if (pair.block.found[0].at == pair.plain.found[0].at) {
      ++same;
    } else {
      ASSERT_EQ(pair.block.found[0].at, pair.plain.found[0].at + config.poll) << i;
    }
  }
  EXPECT_GT(same, kPhases / 100 * 99);
}

TEST(PfcWatchdogPhases, AQueueThatDrainsIsInNoStorm) {
  Phases phases("drains");
  for (int i = 0; i < 50'000; ++i) {
    const WatchdogConfig config = phases.config();
    Pair pair(config);
    const Time onset = 1 + phases.below(3 * config.poll);
    pair.pause(onset);
    Time at = onset;
    while (at < onset + 4 * config.detection) {
      // The latest that is early enough, one time in four.
      const Time longest = config.detection - kCycle;
      at += phases.below(4) == 0 ? longest : 1 + phases.below(longest);
      pair.dequeue(at);
    }
    ASSERT_TRUE(pair.block.found.empty()) << i;
    ASSERT_TRUE(pair.plain.found.empty()) << i;
    // It stops to drain. The plain rule counts from the poll that sees the last dequeue.
    pair.run_until(at + config.detection + 2 * config.poll + kCycle);
    ASSERT_EQ(pair.block.found.size(), 1U) << i;
    ASSERT_GE(pair.block.found[0].at, at + config.detection) << i;
    ASSERT_LE(pair.block.found[0].at, at + config.detection + config.poll + kCycle) << i;
    ASSERT_EQ(pair.plain.found.size(), 1U) << i;
  }
}

TEST(PfcWatchdogPhases, AStormIsOverAtTheSamePollAsByThePlainRule) {
  Phases phases("ends");
  for (int i = 0; i < 20'000; ++i) {
    WatchdogConfig config = phases.config();
    config.restoration = (config.poll + phases.below(3 * config.poll)) / kCycle * kCycle;
    Pair pair(config);
    Time last = 1 + phases.below(3 * config.poll);
    pair.pause(last);
    const Time until = last + config.detection + config.poll + phases.below(9 * config.poll);
    while (last < until) {
      last += 1 + phases.below(config.restoration - kCycle);
      pair.refresh(last);
    }
    pair.resume(last + kCycle);
    pair.run_until(last + config.restoration + 2 * config.poll);
    ASSERT_EQ(pair.plain.found.size(), 2U) << i;
    ASSERT_EQ(pair.block.found.size(), 2U) << i;
    ASSERT_FALSE(pair.block.found[1].storm);
    const Time end = pair.block.found[1].at;
    ASSERT_GE(end, last + config.restoration) << i;
    ASSERT_LE(end, last + config.restoration + config.poll + kCycle) << i;
    ASSERT_EQ(end, pair.plain.found[1].at) << i;
  }
}

}  // namespace
}  // namespace railyard
