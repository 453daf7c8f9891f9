// A user's own algorithm behind the interface of congestion control, over a slow link.
#include "tests/hw/congestion/delay_control.h"

#include <gmock/gmock.h>

#include "tests/hw/congestion/script.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

using test::DelayControl;

constexpr std::uint32_t kPathPacket = 4194;
constexpr Time kBase = 10 * kMicrosecond;  // a round trip over an empty queue

/// Senders of all that they may, a queue of 10 Gb/s, and acknowledgements.
struct Path : CongestionListener {
  explicit Path(const DelayControl::Config& config, std::uint32_t qps = 1)
      : control(config, simulation.partition()), script(simulation.partition()), flows(qps) {
    for (std::uint32_t qp = 0; qp < qps; ++qp) control.open({"flow" + std::to_string(qp), 3});
    control.set_listener(this);
    simulation.seal();
  }

  void may_send(std::uint32_t qp) override {
    told.push_back(qp);
    send(qp);
  }
  /// As a port does: what the window and the algorithm's time allow.
  void send(std::uint32_t qp) {
    const Time now = simulation.partition().now();
    Flow& flow = flows[qp];
    while (now < until && flow.unacknowledged + kPathPacket <= control.window(qp)) {
      const Time next = control.next_packet(qp);
      if (next > now) return script.at(next, [this, qp] { send(qp); });
      flow.unacknowledged += kPathPacket;
      control.sent(qp, kPathPacket);
      arrive(qp, now);
    }
  }
  void arrive(std::uint32_t qp, Time now) {
    const std::uint64_t queued = bytes_queued(now);
    deepest = std::max(deepest, queued);
    Acknowledgement ack;
    ack.bytes = kPathPacket;
    ack.ecn_echo = queued > mark_above;
    if (telemetry) ack.telemetry.push_back({link, queued, sent_bytes, now});
    sent_bytes += kPathPacket;
    free_at = std::max(free_at, now) + link.time_of(kPathPacket);
    ack.rtt = free_at + kBase - now;
    script.at(free_at + kBase, [this, qp, ack] {
      flows[qp].unacknowledged -= kPathPacket;
      flows[qp].acknowledged += kPathPacket;
      last_rtt = ack.rtt;
      control.acknowledged(qp, ack);
      send(qp);
    });
  }
  std::uint64_t bytes_queued(Time now) const {
    return free_at <= now ? 0 : static_cast<std::uint64_t>((free_at - now) / link.time_of(1));
  }
  void run(Time end) {
    until = end;
    for (std::uint32_t qp = 0; qp < flows.size(); ++qp) {
      script.at(0, [this, qp] { send(qp); });
    }
    simulation.run(end);
  }

  struct Flow {
    std::uint64_t unacknowledged = 0;
    std::uint64_t acknowledged = 0;
  };
  Simulation simulation{{}};
  DelayControl control;
  support::Script script;
  std::vector<Flow> flows;
  std::vector<std::uint32_t> told;
  Rate link = Rate::gbps(10);
  std::uint64_t mark_above = ~std::uint64_t{0};
  bool telemetry = false;
  std::uint64_t deepest = 0;
  std::uint64_t sent_bytes = 0;
  Time free_at = 0;
  Time last_rtt = 0;
  Time until = 0;
};

TEST(DelayControl, TwoFlowsShareTheWholeLinkAtTheTargetDelay) {
  Path path({}, 2);
  const Time end = 50 * kMillisecond;
  path.run(end);
  const double whole = 10.0 / 8000 * static_cast<double>(end);
  const auto a = static_cast<double>(path.flows[0].acknowledged);
  const auto b = static_cast<double>(path.flows[1].acknowledged);
  EXPECT_GT((a + b) / whole, 0.98);
  EXPECT_NEAR(a / (a + b), 0.5, 0.15);
  EXPECT_NEAR(static_cast<double>(path.last_rtt), 30.0 * kMicrosecond, 8.0 * kMicrosecond);
}

TEST(DelayControl, EchoesOfMarksKeepTheQueueShort) {
  DelayControl::Config config;
  config.target = 200 * kMicrosecond;
  config.first_window = 2;
  Path path(config);
  path.mark_above = 20'000;
  path.run(10 * kMillisecond);
  EXPECT_GT(path.deepest, 20'000U);
  EXPECT_LT(path.deepest, 20'000U + 2 * kPathPacket);  // without: 200 us, 240 KB
}

TEST(DelayControl, WithoutEchoesTheQueueGrowsToTheTarget) {
  DelayControl::Config config;
  config.target = 200 * kMicrosecond;
  config.first_window = 2;
  Path path(config);
  path.run(10 * kMillisecond);
  EXPECT_GT(path.deepest, 200'000U);
}

TEST(DelayControl, TelemetryOfTheSlowestHopBoundsTheWindowAtOnce) {
  DelayControl::Config config;
  config.first_window = 64;
  Path path(config);
  path.telemetry = true;
  path.script.at(0, [&] { EXPECT_EQ(path.control.window(0), 64U * kPathPacket); });
  path.script.at(kBase + 4 * kMicrosecond, [&] {
    EXPECT_LE(path.control.window(0), 37'500U);  // 30 us of 10 Gb/s
  });
  path.run(kMillisecond);
}

TEST(DelayControl, ItsListenerHearsOfAWindowThatGrew) {
  Path path({}, 2);
  path.run(1);  // nothing is acknowledged yet
  path.told.clear();
  Acknowledgement ack{kPathPacket, kBase, false, {}};
  const std::uint64_t before = path.control.window(1);
  path.control.acknowledged(1, ack);
  EXPECT_GT(path.control.window(1), before);
  EXPECT_THAT(path.told, testing::ElementsAre(1));
  ack.ecn_echo = true;
  path.control.acknowledged(1, ack);
  EXPECT_EQ(path.told.size(), 1U);
}

TEST(DelayControl, ANakHalvesTheWindowOnceARoundTrip) {
  Path path({});
  path.script.at(kMillisecond, [&] {
    path.control.nak(0);
    path.control.nak(0);
    EXPECT_EQ(path.control.window(0), 8U * kPathPacket);
  });
  path.script.at(2 * kMillisecond, [&] {
    path.control.nak(0);
    EXPECT_EQ(path.control.window(0), 4U * kPathPacket);
  });
  path.simulation.run(kSecond);
}

TEST(DelayControl, TimeoutsLeaveLessThanAPacketARoundTrip) {
  Path path({});
  EXPECT_EQ(path.control.next_packet(0), 0);
  path.control.timed_out(0);
  EXPECT_EQ(path.control.window(0), kPathPacket);
  path.control.sent(0, kPathPacket);
  EXPECT_EQ(path.control.next_packet(0), 0);  // the window alone holds it
  path.control.timed_out(0);
  path.control.timed_out(0);
  EXPECT_EQ(path.control.window(0), kPathPacket);
  path.control.sent(0, kPathPacket);
  EXPECT_EQ(path.control.next_packet(0), 120 * kMicrosecond);
  EXPECT_NEAR(path.control.rate_gbps(0), kPathPacket * 8000.0 / (120.0 * kMicrosecond), 1e-9);
}

}  // namespace
}  // namespace railyard
