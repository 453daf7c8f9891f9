// The PFC watchdog of a switch's ports: when it finds a storm, what it does, when it lets go.
#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::PauseStorm;
using bench::SwitchBench;

constexpr Time kUs = kMicrosecond;

SwitchConfig watched(WatchdogAction action) {
  SwitchConfig config;
  config.buffers.buffer = kibibytes(1024);
  config.watchdog.enabled = true;
  config.watchdog.detection = 200 * kUs;
  config.watchdog.restoration = 300 * kUs;
  config.watchdog.poll = 50 * kUs;
  config.watchdog.retrain_time = 20 * kUs;
  config.watchdog.action = action;
  return config;
}

std::vector<LinkConfig> three_links() {
  return {link_of(100, 1), link_of(100, 1), link_of(100, 1)};
}

/// Two stations send to the third, which pauses them from `from` on until about `to`.
struct StormBench : SwitchBench {
  StormBench(const SwitchConfig& config, Time from, Time to, int frames = 3000)
      : SwitchBench(config, three_links(), 394),
        storm(*this, station(2), 1U << 3, 0xFFFF, from, 100 * kUs, to),
        state(*this, "sw.port2.watchdog"),
        moment(*this, "sw.port2.watchdog"),
        accounts(*this, kUs) {
    for (unsigned s = 0; s < 2; ++s) {
      for (int i = 0; i < frames; ++i) station(s).queue(station(s).frame_to(2, 1250, 3));
    }
  }
  const PauseObeyed& onset() const { return device->pause_log().obeyed().at(0); }
  std::uint64_t sent() const { return stations[0]->sent + stations[1]->sent; }
  std::uint64_t arrived_between(Time from, Time to) const {
    std::uint64_t count = 0;
    for (const auto& a : stations[2]->arrived) count += a.first_bit >= from && a.last_bit < to;
    return count;
  }

  PauseStorm storm;
  bench::SignalLog state;
  bench::MomentLog moment;
  bench::AccountWatch accounts;
};

TEST(SwitchWatchdog, FiresWithinOnePollAfterDetectionAndAHundredthBefore) {
  RandomStream random(1, "phases");
  for (int run = 0; run < 60; ++run) {
    const support::FreshKernel kernel;
    SwitchConfig config = watched(WatchdogAction::kAlert);
    config.watchdog.poll = 50 * kUs + static_cast<Time>(random.below(150)) * kUs;
    config.watchdog.detection = 200 * kUs + static_cast<Time>(random.below(60'000'000));
    const auto from = static_cast<Time>(random.below(100'000'000));
    StormBench bench(config, from, kMillisecond);
    bench.run(kMillisecond);
    ASSERT_EQ(bench.moment.times.size(), 1U);
    const Time after = bench.moment.times[0] - bench.onset().begin;
    EXPECT_GE(after, config.watchdog.detection - config.watchdog.poll / 100);
    EXPECT_LE(after, config.watchdog.detection + config.watchdog.poll);
    EXPECT_EQ(bench.metric("sw.port2.watchdog_storms"), 1);
  }
}

// The queue is empty when the pause begins: it is blocked from its first frame on.
TEST(SwitchWatchdog, AQueueThatFillsLaterIsBlockedFromItsFirstFrameOn) {
  for (const Time first : {10 * kUs, 61 * kUs, 149 * kUs}) {
    const support::FreshKernel kernel;
    SwitchConfig config = watched(WatchdogAction::kAlert);
    config.watchdog.detection = 201 * kUs;  // a poll late by more than 1 us would be late by two
    StormBench bench(config, 0, 700 * kUs, 0);
    bench.station(0).queue(bench.station(0).frame_to(2, 1250, 3), first);
    bench.run(600 * kUs);
    ASSERT_EQ(bench.moment.times.size(), 1U);
    const Time arrives = first + Rate::gbps(100).time_of(1258) + 5 * kNanosecond;
    EXPECT_GE(bench.moment.times[0] - arrives, 201 * kUs - kUs / 2);
    EXPECT_LE(bench.moment.times[0] - arrives, 251 * kUs);
  }
}

TEST(SwitchWatchdog, AnEmptyQueueHasNoStormHoweverLongItIsPaused) {
  StormBench bench(watched(WatchdogAction::kDrop), 0, 2 * kMillisecond, 0);
  bench.run();
  EXPECT_EQ(bench.metric("sw.port2.watchdog_storms"), 0);
}

TEST(SwitchWatchdog, DropFlushesDiscardsAndLetsTheSendersGo) {
  StormBench bench(watched(WatchdogAction::kDrop), 20 * kUs, kMillisecond, 20'000);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  ASSERT_EQ(bench.state.changes.size(), 2U);
  const Time storm = bench.state.changes[0].first;
  const Time over = bench.state.changes[1].first;
  EXPECT_EQ(bench.state.changes[0].second, 8U);
  EXPECT_EQ(bench.state.changes[1].second, 0U);
  // Upstream was paused, and goes on when the flush has emptied its group.
  const auto& sent = bench.device->pause_log().sent();
  std::size_t ended_by_flush = 0;
  for (const PauseSent& pause : sent) ended_by_flush += pause.end == storm;
  EXPECT_EQ(ended_by_flush, 2U);
  EXPECT_EQ(bench.arrived_between(storm, over), 0U);
  EXPECT_GT(bench.arrived_between(over, kForever), 0U);
  // Every frame is delivered or counted, once, by its reason and at its port.
  EXPECT_EQ(bench.sent(), 40'000U);
  EXPECT_EQ(static_cast<double>(bench.station(2).received) + bench.metric("sw.dropped_watchdog"),
            40'000);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), bench.metric("sw.dropped_watchdog"));
  EXPECT_EQ(bench.metric("sw.port0.dropped_frames") + bench.metric("sw.port1.dropped_frames"),
            bench.metric("sw.dropped_watchdog"));
  EXPECT_GT(bench.metric("sw.dropped_watchdog"), 1000);
  EXPECT_EQ(bench.device->buffered_bytes(), 0U);
  EXPECT_EQ(bench.metric("sw.port2.watchdog_storms"), 1);
}

TEST(SwitchWatchdog, AStormIsOverAtTheFirstPollAfterTheRestorationTimeWithoutXoff) {
  for (const Time to : {610 * kUs, 780 * kUs, 930 * kUs}) {
    const support::FreshKernel kernel;
    StormBench bench(watched(WatchdogAction::kForward), 10 * kUs, to, 9000);
    bench.run();
    ASSERT_EQ(bench.state.changes.size(), 2U);
    const Time last = 10 * kUs + (to - 10 * kUs - 1) / (100 * kUs) * (100 * kUs);
    const Time over = bench.state.changes[1].first;
    EXPECT_EQ(over % (50 * kUs), 0);
    EXPECT_GE(over, last + 300 * kUs);
    EXPECT_LE(over, last + 350 * kUs + kUs);
  }
}

TEST(SwitchWatchdog, ForwardSendsAtLineRateThoughPaused) {
  StormBench bench(watched(WatchdogAction::kForward), 20 * kUs, kMillisecond, 6000);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  const Time storm = bench.moment.times.at(0);
  EXPECT_EQ(bench.station(2).received, 12'000U);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  EXPECT_EQ(bench.arrived_between(bench.onset().begin + kUs, storm), 0U);
  // 1,270 B of line a frame, from the storm's begin on.
  const double sent = static_cast<double>(bench.arrived_between(storm, storm + 400 * kUs));
  EXPECT_NEAR(sent, 400e6 / static_cast<double>(Rate::gbps(100).time_of(1270)), 30);
}

TEST(SwitchWatchdog, AlertIsCountedAndNothingElse) {
  StormBench bench(watched(WatchdogAction::kAlert), 20 * kUs, kMillisecond);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.moment.times.size(), 1U);
  EXPECT_EQ(bench.metric("sw.port2.watchdog_storms"), 1);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  EXPECT_EQ(bench.arrived_between(bench.onset().begin + kUs, bench.onset().end), 0U);
  EXPECT_EQ(bench.station(2).received, 6000U);
}

TEST(SwitchWatchdog, RetrainTakesTheLinkDownFlushesAndGoesOn) {
  StormBench bench(watched(WatchdogAction::kRetrain), 20 * kUs, 221 * kUs, 4000);
  bench::SignalLog near(bench, "sw_link2.up");
  bench::SignalLog far(bench, "h2_link.up");
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  const Time storm = bench.moment.times.at(0);
  const Time cable = 5 * kNanosecond;
  ASSERT_EQ(near.changes.size(), 2U);
  ASSERT_EQ(far.changes.size(), 2U);
  EXPECT_EQ(near.changes[0].first, storm);
  EXPECT_EQ(near.changes[1].first, storm + 20 * kUs);
  EXPECT_EQ(far.changes[0].first, storm + cable);
  EXPECT_EQ(far.changes[1].first, storm + cable + 20 * kUs);
  EXPECT_EQ(bench.arrived_between(bench.onset().begin + kUs, storm + 20 * kUs), 0U);
  EXPECT_GT(bench.arrived_between(storm + 20 * kUs, kForever), 1000U);
  EXPECT_EQ(static_cast<double>(bench.station(2).received) + bench.metric("sw.dropped_link_down"),
            8000);
  EXPECT_GT(bench.metric("sw.dropped_link_down"), 100);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), bench.metric("sw.dropped_link_down"));
  EXPECT_EQ(bench.device->pause_log().obeyed().at(0).end, storm) << "a dead link's pause is over";
  EXPECT_EQ(bench.device->buffered_bytes(), 0U);
}

// XOFF of 490 of every 500 quanta, and a frame in each gap.
TEST(SwitchWatchdog, ABusyQueueThatIsPaused98PercentOfTheTimeHasNoStorm) {
  const SwitchConfig config = watched(WatchdogAction::kDrop);
  SwitchBench bench(config, three_links(), 394);
  const bench::AccountWatch accounts(bench, kUs);
  for (int i = 0; i < 3000; ++i) bench.station(0).queue(bench.station(0).frame_to(2, 500, 3));
  const Time quantum = Rate::gbps(100).time_of(64);
  const PauseStorm storm(bench, bench.station(2), 1U << 3, 490, 0, 500 * quantum, 5 * kMillisecond);
  bench.run(5 * kMillisecond);
  EXPECT_EQ(bench.metric("sw.port2.watchdog_storms"), 0);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  const double paused = bench.metric("sw.port2.pause_us") / 5000;
  EXPECT_NEAR(paused, 0.98, 0.003);
  EXPECT_GT(bench.station(2).received, 1900U);
}

TEST(SwitchWatchdog, ItsPollsKeepNoFinishedRunAlive) {
  for (const auto action : {WatchdogAction::kDrop, WatchdogAction::kForward, WatchdogAction::kAlert,
                            WatchdogAction::kRetrain}) {
    const support::FreshKernel kernel;
    StormBench bench(watched(action), 20 * kUs, 500 * kUs);
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    ASSERT_EQ(bench.moment.times.size(), 1U);
    // The last XOFF at 420 us pauses for 335 us; then restoration and a poll, and what was held up.
    EXPECT_LT(bench.simulation.now(), 1400 * kUs);
  }
}

// A second storm after the first is over is found as well.
TEST(SwitchWatchdog, FindsTheNextStormToo) {
  StormBench bench(watched(WatchdogAction::kDrop), 20 * kUs, 400 * kUs, 30'000);
  const PauseStorm again(bench, bench.station(2), 1U << 3, 0xFFFF, 1500 * kUs, 100 * kUs,
                         2000 * kUs);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.moment.times.size(), 2U);
  ASSERT_EQ(bench.device->pause_log().obeyed().size(), 2U);
  const Time after = bench.moment.times[1] - bench.device->pause_log().obeyed()[1].begin;
  EXPECT_GE(after, 200 * kUs - kUs / 2);
  EXPECT_LE(after, 250 * kUs);
  EXPECT_EQ(static_cast<double>(bench.station(2).received) + bench.metric("sw.dropped_watchdog"),
            60'000);
}

}  // namespace
}  // namespace railyard
