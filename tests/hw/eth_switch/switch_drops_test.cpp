// Drops of a switch: each reason counted once, at the switch and at the port of its ingress; what
// came = what left + what was dropped + what is held.
#include <functional>
#include <numeric>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using bench::AccountWatch;
using bench::link_of;
using bench::SwitchBench;

constexpr std::array<const char*, kDropReasons> kReasons = {"bad_fcs",
                                                            "oversize",
                                                            "unknown_destination",
                                                            "link_down",
                                                            "group_threshold",
                                                            "queue_threshold",
                                                            "headroom",
                                                            "wred",
                                                            "watchdog"};

/// Only `reason` was counted, `frames` of it, all at port 0; and nothing was lost beside.
void expect_drops(SwitchBench& bench, const std::string& reason, std::uint64_t frames,
                  std::uint64_t lost_on_line = 0) {
  for (const char* each : kReasons) {
    EXPECT_EQ(bench.metric(std::string("sw.dropped_") + each), reason == each ? frames : 0) << each;
  }
  EXPECT_EQ(bench.metric("sw.dropped_frames"), frames);
  EXPECT_EQ(bench.metric("sw.port0.dropped_frames"), frames);
  EXPECT_EQ(bench.metric("sw.port1.dropped_frames"), 0);
  EXPECT_EQ(bench.station(1).received + frames + lost_on_line, bench.station(0).sent);
  EXPECT_EQ(bench.metric("sw.forwarded_frames"), bench.station(1).received + lost_on_line);
  EXPECT_EQ(bench.device->buffered_bytes(), 0U);
  EXPECT_EQ(bench.device->check(), std::nullopt);
}

void queue_frames(SwitchBench& bench, int count, std::uint32_t bytes, unsigned priority) {
  auto& station = bench.station(0);
  for (int i = 0; i < count; ++i) station.queue(station.frame_to(1, bytes, priority));
}

/// Data frames of the stub's own, for what a station does not send.
void send_raw(SwitchBench& bench, const net::Frame& frame, bool bad_fcs) {
  auto& station = bench.station(0);
  Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
  packet->frame = frame;
  packet->id = station.sent++;
  packet->bad_fcs = bad_fcs;
  packet->seal();
  station.stub.send_now(*packet);
}

TEST(SwitchDrops, ABadFcs) {
  SwitchBench bench(SwitchConfig{}, {link_of(100, 1), link_of(100, 1)});
  const AccountWatch accounts(bench);
  const bench::Timer bad(bench.partition, 0, [&] {
    send_raw(bench, bench.station(0).frame_to(1, 1000, 3), true);
    bench.station(0).queue(bench.station(0).frame_to(1, 1000, 3));
  });
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  expect_drops(bench, "bad_fcs", 1);
}

// A control frame whose FCS is bad says nothing.
TEST(SwitchDrops, ABadFcsOfAPause) {
  for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
    const support::FreshKernel kernel;
    SwitchConfig config;
    config.switching = switching;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    std::array<std::uint16_t, 8> quanta{};
    quanta.fill(1000);
    const bench::Timer bad(bench.partition, 0,
                           [&] { send_raw(bench, net::pfc_frame({}, 0xFF, quanta), true); });
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    expect_drops(bench, "bad_fcs", 1);
    EXPECT_TRUE(bench.device->pause_log().obeyed().empty());
    EXPECT_EQ(bench.metric("sw.port0.pfc_xoff_received"), 0);
  }
}

TEST(SwitchDrops, AFrameLongerThanItsPriorityAllows) {
  for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
    const support::FreshKernel kernel;
    SwitchConfig config;
    config.switching = switching;
    config.buffers.headroom.largest_lossless_frame = 4096;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    const AccountWatch accounts(bench);
    for (const std::uint32_t bytes : {4096, 4097, 9216, 9217}) {
      queue_frames(bench, 1, bytes, 3);  // 4,097 and more go
      queue_frames(bench, 1, bytes, 0);  // 9,217 goes
    }
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    expect_drops(bench, "oversize", 4);
  }
}

TEST(SwitchDrops, AnUnknownDestination) {
  for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
    const support::FreshKernel kernel;
    SwitchConfig config;
    config.switching = switching;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    const AccountWatch accounts(bench);
    bench.station(0).queue(bench.station(0).frame_to(77, 1000, 3));
    queue_frames(bench, 3, 1000, 3);
    net::Frame opaque;
    opaque.ethernet.type = static_cast<net::EtherType>(0x88B5);
    bench.station(0).queue(opaque);
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    expect_drops(bench, "unknown_destination", 2);
  }
}

// 4 us of outage: what is queued then is flushed, what comes then has no way, the rest arrives.
TEST(SwitchDrops, ALinkThatIsDown) {
  for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
    const support::FreshKernel kernel;
    SwitchConfig config;
    config.switching = switching;
    LinkConfig slow = link_of(50, 1);
    slow.outages = {{5 * kMicrosecond, 4 * kMicrosecond}};
    SwitchBench bench(config, {link_of(100, 1), slow});
    const AccountWatch accounts(bench, 10 * kNanosecond);
    queue_frames(bench, 400, 1000, 3);
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    // The frame on the line when the link went down left the switch.
    const auto lost = static_cast<std::uint64_t>(bench.metric("h1_link.lost_down"));
    EXPECT_LE(lost, 1U);
    const auto dropped = static_cast<std::uint64_t>(bench.metric("sw.dropped_link_down"));
    EXPECT_GT(dropped, 60U);
    expect_drops(bench, "link_down", dropped, lost);
  }
}

SwitchConfig lossy(Alpha group, Alpha queue) {
  SwitchConfig config;
  config.buffers.buffer = kibibytes(1024);
  config.buffers.lossy.alpha = group;
  config.buffers.lossy.queue_alpha = queue;
  config.buffers.pfc.enabled = false;
  config.buffers.pfc.response_quanta = 0;
  config.ecn.enabled = false;
  return config;
}

/// Frames to a port that is paused meanwhile; returns how many of 1,000 found no room.
std::uint64_t overflow(SwitchBench& bench) {
  const AccountWatch accounts(bench);
  queue_frames(bench, 1000, 1518, 0);
  bench.station(1).send_pfc(1, 0xFFFF);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  return 1000 - bench.station(1).received;
}

TEST(SwitchDrops, ALossyGroupBeyondItsThreshold) {
  SwitchBench bench(lossy({-3}, {3}), {link_of(100, 1), link_of(100, 1)});
  const std::uint64_t dropped = overflow(bench);
  // 1/9 of 5,461 cells holds 75 frames of 8 cells.
  EXPECT_EQ(dropped, 1000U - 75U);
  expect_drops(bench, "group_threshold", dropped);
}

TEST(SwitchDrops, ALossyQueueBeyondItsThreshold) {
  SwitchBench bench(lossy({3}, {-3}), {link_of(100, 1), link_of(100, 1)});
  const std::uint64_t dropped = overflow(bench);
  EXPECT_EQ(dropped, 1000U - 75U);
  expect_drops(bench, "queue_threshold", dropped);
}

SwitchConfig small_lossless() {
  SwitchConfig config;
  config.buffers.buffer = kibibytes(1024);
  config.ecn.enabled = false;
  return config;
}
constexpr std::uint64_t kNever = 10'000'000;  // quanta: a station that ignores PFC

TEST(SwitchDrops, AHeadroomByHandThatIsTooSmall) {
  SwitchConfig config = small_lossless();
  config.buffers.headroom.rule = HeadroomRule::kByHand;
  config.buffers.headroom.size = 10'000;
  SwitchBench bench(config, {link_of(100, 1), link_of(50, 1)}, kNever);
  const AccountWatch accounts(bench);
  queue_frames(bench, 3000, 1518, 3);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  const auto dropped = static_cast<std::uint64_t>(bench.metric("sw.dropped_headroom"));
  EXPECT_GT(dropped, 500U);
  expect_drops(bench, "headroom", dropped);
}

TEST(SwitchDrops, AComputedHeadroomThatAPeerOverrunsEndsTheRun) {
  for (const HeadroomRule rule : {HeadroomRule::kExact, HeadroomRule::kSonic}) {
    const support::FreshKernel kernel;
    SwitchConfig config = small_lossless();
    config.buffers.headroom.rule = rule;
    SwitchBench bench(config, {link_of(100, 1), link_of(50, 1)}, kNever);
    queue_frames(bench, 3000, 1518, 3);
    try {
      bench.run();
      FAIL() << "a lossless frame was lost in silence";
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), kInvariantReport);
      const std::string text = report.get_msg();
      EXPECT_NE(text.find("sw.port0"), std::string::npos) << text;
      EXPECT_NE(text.find("headroom of lossless priority 3 overflowed"), std::string::npos) << text;
    }
  }
}

// A link that comes up again has forgotten its pause: its station sends until the XOFF is repeated,
// into a headroom that is not empty. Three times is too much for it; a fault, not the switch's.
TEST(SwitchDrops, AHeadroomThatOutagesFillAgainAndAgain) {
  SwitchConfig config = small_lossless();
  LinkConfig shaky = link_of(100, 1);
  for (const Time at : {40, 60, 80, 100})
    shaky.outages.push_back({at * kMicrosecond, kMicrosecond});
  SwitchBench bench(config, {shaky, link_of(100, 1)}, 394);
  const AccountWatch accounts(bench);
  queue_frames(bench, 10'000, 65, 3);
  bench.station(1).send_pfc(1U << 3, 0xFFFF);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  const auto lost = static_cast<std::uint64_t>(bench.metric("sw_link0.lost_down") +
                                               bench.metric("h0_link.lost_down"));
  const auto dropped = static_cast<std::uint64_t>(bench.metric("sw.dropped_headroom"));
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), dropped);
  EXPECT_LE(bench.station(0).sent - bench.station(1).received - dropped, lost);
  EXPECT_GT(bench.metric("sw.port0.pfc_xoff_sent"), 4);
}

// Of the first XOFFs some are lost on the line, and the station sends until one is repeated: the
// headroom is not for that. A fault that was configured, not the switch's.
TEST(SwitchDrops, AHeadroomThatLostPausesFill) {
  SwitchConfig config = small_lossless();
  LinkConfig losing = link_of(100, 1);
  losing.drop_probability = 0.5;
  SwitchBench bench(config, {losing, link_of(50, 1)}, 394);
  const AccountWatch accounts(bench);
  queue_frames(bench, 20'000, 1518, 3);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  const auto lost = static_cast<std::uint64_t>(bench.metric("h0_link.tx_dropped"));
  const auto dropped = static_cast<std::uint64_t>(bench.metric("sw.dropped_headroom"));
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), dropped);
  EXPECT_EQ(bench.station(0).sent, bench.station(1).received + dropped + lost);
}

// A switch of the same configuration at the other end may forward in spite of a pause.
TEST(SwitchDrops, AHeadroomThatAWatchdogForwardsInto) {
  SwitchConfig config = small_lossless();
  config.watchdog.enabled = true;
  config.watchdog.action = WatchdogAction::kForward;
  SwitchBench bench(config, {link_of(100, 1), link_of(50, 1)}, kNever);
  const AccountWatch accounts(bench);
  queue_frames(bench, 3000, 1518, 3);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  const auto dropped = static_cast<std::uint64_t>(bench.metric("sw.dropped_headroom"));
  EXPECT_GT(dropped, 500U);
  expect_drops(bench, "headroom", dropped);
}

TEST(SwitchDrops, AFrameThatWredHitsAndThatCannotBeMarked) {
  for (const WredPoint point : {WredPoint::kEnqueue, WredPoint::kDequeue}) {
    const support::FreshKernel kernel;
    SwitchConfig config;
    config.buffers.pfc.response_quanta = 0;
    config.ecn.point = point;
    config.ecn.kmin = config.ecn.kmax = 20'000;
    config.ecn.drop_non_ect = true;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    const AccountWatch accounts(bench);
    net::Frame frame = bench.station(0).frame_to(1, 1000, 3);
    frame.ipv4.ecn = net::Ecn::kNotEct;
    for (int i = 0; i < 100; ++i) bench.station(0).queue(frame);
    bench.station(1).send_pfc(1U << 3, 4000);
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    // At enqueue none comes to more than 20 frames: 21 stay. At dequeue the last 21 leave no more.
    expect_drops(bench, "wred", 79);
    EXPECT_EQ(bench.metric("sw.port1.ecn_marked"), 0);
  }
}

// A route to a port that no cable is in.
TEST(SwitchDrops, APortWithoutACable) {
  Simulation simulation{SimulationConfig{}};
  Partition& partition = simulation.partition();
  const LinkConfig link = link_of(100, 1);
  EthSwitch device("sw", partition, SwitchConfig{}, {SwitchLine{link, "h0"}, std::nullopt});
  bench::Station station("h0", partition, link, 0, Announce::kLastBit);
  LinkEnd end("sw_link0", partition, link, device.announce());
  bind_both(device.port(0), end);
  LinkEnd::connect(end, station.link);
  device.forwarding().add_route(net::Ipv4Address{0x0A000001U}, device.forwarding().add_group({1}));
  simulation.seal();
  station.queue(station.frame_to(1, 1000, 3));
  station.start();
  EXPECT_EQ(simulation.run(kMillisecond), RunEnd::kDrained);
  for (const Metric& m : simulation.metrics()) {
    if (m.info.name == "sw.dropped_link_down") {
      EXPECT_EQ(m.value.whole, 1U);
    }
  }
}

}  // namespace
}  // namespace railyard
