// A tester port's pauses, those that it obeys and those that it asks for, against a stub.
#include <gmock/gmock.h>

#include "hw/tester/port.h"
#include "tests/hw/tester/port_bench.h"
#include "tests/support/fresh_kernel.h"
#include "tests/support/link_bench.h"

namespace railyard {
namespace {

using support::Changes;
using support::flow_of;
using support::kControlFrame;
using support::kFrame;
using support::kFrameToLastBit;
using support::kQuantum;
using support::metric;
using support::pfc;
using support::PortBench;
using testing::ElementsAre;
using testing::HasSubstr;
using Change = std::pair<Time, std::uint64_t>;

/// The pauses sent, refreshes included, and XONs.
std::vector<Time> control_frames(const PortBench& bench) {
  std::vector<Time> times;
  for (const auto& r : bench.stub.received) {
    if (r.packet->frame.is_pfc()) times.push_back(r.phase.last_bit);
  }
  return times;
}

/// The stub sends all packets of the flow back to back, from now on.
struct Stream {
  Stream(PortBench& its_bench, const FlowConfig& flow) : bench(its_bench), source(flow) {
    bench.stub.on_line = [this](const PacketPhase&) {
      if (!source.done()) bench.stub.send_now(*source.make(bench.pool(), 0));
    };
    bench.send_at(0, source.make(bench.pool(), 0));
  }
  PortBench& bench;
  FlowSource source;
};

TEST(ObeyedPause, LetsTheFrameInProgressEndAndHoldsTheNext) {
  PortBench bench;
  bench.port.send_flow(flow_of(0, 8));
  bench.send_at(0, pfc(1 << 3, 1000));  // whole in the first frame
  bench.run();
  const std::vector<Time> times = bench.last_bits();
  ASSERT_EQ(times.size(), 8U);
  EXPECT_EQ(times[0], kFrameToLastBit);
  EXPECT_EQ(times[1], kControlFrame + 1000 * kQuantum + kFrameToLastBit);
}

TEST(ObeyedPause, TakesEffectAfterTheResponseDelayToThePicosecond) {
  constexpr Time kDelay = 905 * kQuantum;
  TesterConfig config;
  config.response_quanta = 905;
  PortBench bench(config);
  bench.port.send_flow(flow_of(0, 40));
  Changes heard(bench.simulation, "port.pause_received");
  Changes paused(bench.simulation, "port.paused");
  bench.send_at(0, pfc(1 << 3, 1000));
  bench.run();
  EXPECT_THAT(heard.all,
              ElementsAre(Change(kControlFrame, 8), Change(kControlFrame + 1000 * kQuantum, 0)));
  const Time from = kControlFrame + kDelay;
  const Time to = from + 1000 * kQuantum;
  EXPECT_THAT(paused.all, ElementsAre(Change(from, 8), Change(to, 0)));
  // Every frame begun before it took effect is whole, and the last of them ends in the pause.
  const std::vector<Time> times = bench.last_bits();
  const auto before = static_cast<std::size_t>((from + kFrame - 1) / kFrame);
  for (std::size_t i = 0; i < before; ++i) {
    EXPECT_EQ(times[i], static_cast<Time>(i) * kFrame + kFrameToLastBit);
  }
  EXPECT_GT(times[before - 1], from);
  EXPECT_EQ(times[before], to + kFrameToLastBit);
  const auto& log = bench.port.pause_log().obeyed();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].begin, from);
  EXPECT_EQ(log[0].end, to);
  EXPECT_EQ(log[0].priority, 3);
}

TEST(ObeyedPause, ThatTakesEffectWhenAFrameEndsHoldsTheNext) {
  TesterConfig config;
  config.response_quanta = 60;
  PortBench bench(config);
  bench.port.send_flow(flow_of(0, 8));
  // 76,800 ps of delay end with the first frame's gap, at 83,880 ps.
  bench.send_at(kFrame - 60 * kQuantum - kControlFrame, pfc(1 << 3, 1000));
  bench.run();
  EXPECT_EQ(bench.last_bits().at(1), kFrame + 1000 * kQuantum + kFrameToLastBit);
}

TEST(ObeyedPause, AnXonEndsAtOnce) {
  PortBench bench;
  bench.port.send_flow(flow_of(0, 8));
  bench.send_at(0, pfc(1 << 3, 0xFFFF));
  bench.send_at(2 * kControlFrame, pfc(1 << 3, 0));  // before the first frame ends
  bench.run();
  EXPECT_EQ(bench.last_bits().at(7), 7 * kFrame + kFrameToLastBit);
}

TEST(ObeyedPause, OfOtherPrioritiesIsNoMatter) {
  PortBench bench;
  bench.port.send_flow(flow_of(0, 8));
  bench.send_at(0, pfc(0xFF & ~(1 << 3), 0xFFFF));
  bench.run();
  EXPECT_EQ(bench.last_bits().at(7), 7 * kFrame + kFrameToLastBit);
}

TEST(ObeyedPause, OfOnePriorityDoesNotBlockAnother) {
  PortBench bench;
  FlowConfig other = flow_of(1, 10);
  other.priority = 5;
  other.dscp = 40;
  bench.port.send_flow(flow_of(0, 10));
  bench.port.send_flow(other);
  bench.send_at(0, pfc(1 << 3, 1000));
  bench.run();
  std::vector<unsigned> dscps;
  for (const auto& r : bench.stub.received) dscps.push_back(r.packet->frame.dscp());
  ASSERT_EQ(dscps.size(), 20U);
  for (std::size_t i = 1; i <= 10; ++i) EXPECT_EQ(dscps[i], 40U);
  EXPECT_EQ(bench.last_bits()[10], 10 * kFrame + kFrameToLastBit);  // back to back
  EXPECT_EQ(bench.last_bits()[11], kControlFrame + 1000 * kQuantum + kFrameToLastBit);
}

TEST(ObeyedPause, CountsInPauseUsFromItsEffectToItsEndWhileThereIsSomethingToSend) {
  PortBench bench;
  FlowConfig late = flow_of(0, 2);
  late.start = kMicrosecond;
  bench.port.send_flow(late);
  bench.send_at(0, pfc(1 << 3, 1000));                 // to 1.28 us, the flow from 1 us on
  bench.send_at(3 * kMicrosecond, pfc(1 << 3, 1000));  // when all has been sent
  bench.run();
  const double expected = static_cast<double>(kControlFrame + 1000 * kQuantum - kMicrosecond);
  for (const Metric& m : bench.simulation.metrics()) {
    if (m.info.name != "port.pause_us") continue;
    EXPECT_NEAR(m.value.real * 1e6, expected, 1e-6);
  }
  EXPECT_EQ(metric(bench.simulation, "port.pfc_xoff_received"), 2U);
}

TEST(ObeyedPause, IsForgottenWhenTheLinkGoesDown) {
  for (const std::uint64_t response : {0, 905}) {
    const support::FreshKernel kernel;
    TesterConfig config;
    config.response_quanta = response;
    PortBench bench(config);
    bench.port.send_flow(flow_of(0, 1000));
    bench.send_at(0, pfc(1 << 3, 0xFFFF));  // 84 us
    bench.run(70 * kMicrosecond);
    const std::size_t before = bench.stub.received.size();
    EXPECT_LT(before, 20U);
    tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkDown);
    tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkUp);
    bench.run(75 * kMicrosecond);
    EXPECT_GT(bench.stub.received.size(), before + 50);
  }
}

TEST(ObeyedPause, IsAWaitForThePeerSIngress) {
  PortBench bench;
  bench.port.send_flow(flow_of(0, 8));
  bench.send_at(0, pfc(0xFF, 0xFFFF));
  bench.run(kMicrosecond);
  const std::vector<Wait> waits = bench.simulation.waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].info.waiter, "port.egress3");
  EXPECT_EQ(waits[0].info.holder, "stub.ingress3");
  EXPECT_EQ(waits[0].since, kControlFrame);
  bench.run();
  EXPECT_TRUE(bench.simulation.waits().empty());
}

TEST(SentPause, IsRefreshedWhileTheBufferStaysFull) {
  TesterConfig config;
  config.drain_rate = Rate::bits_per_second(100'000'000);  // 334 us a frame
  config.pfc.xoff = 5000;
  config.pfc.xon = 4200;
  PortBench bench(config);
  const FlowConfig flow = flow_of(0, 3);
  bench.port.expect_flow(flow);
  Stream stream(bench, flow);
  bench.run(400 * kMicrosecond);
  const std::vector<Wait> waits = bench.simulation.waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].info.waiter, "port.ingress3");
  EXPECT_EQ(waits[0].info.holder, "port.host");
  bench.run();
  const std::vector<Time> times = control_frames(bench);
  ASSERT_GE(times.size(), 3U);
  EXPECT_EQ(times[1] - times[0], 65535 * kQuantum / 2);
  EXPECT_EQ(bench.stub.received.back().packet->frame.mac_control.quanta[3], 0);
  EXPECT_TRUE(bench.port.complete(0));
  EXPECT_TRUE(bench.simulation.waits().empty());
  const auto& log = bench.port.pause_log().sent();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].begin, kFrame + kFrameToLastBit);  // the second frame
  EXPECT_EQ(log[0].cause_port, PauseLog::kNoPort);
  EXPECT_EQ(log[0].end, times.back() - kControlFrame);
}

TEST(SentPause, IsOfAllPrioritiesThatAreExpected) {
  TesterConfig config;
  config.drain_rate = Rate::gbps(1);
  config.pfc.xoff = 5000;
  config.pfc.xon = 4200;
  PortBench bench(config);
  FlowConfig other = flow_of(1, 1);
  other.priority = 6;
  bench.port.expect_flow(flow_of(0, 3));
  bench.port.expect_flow(other);
  Stream stream(bench, flow_of(0, 3));
  bench.run();
  const net::MacControl& xoff = bench.stub.received.at(0).packet->frame.mac_control;
  EXPECT_EQ(xoff.enable_vector, 1 << 3 | 1 << 6);
  EXPECT_THAT(xoff.quanta, ElementsAre(0, 0, 0, 0xFFFF, 0, 0, 0xFFFF, 0));
  EXPECT_EQ(bench.port.pause_log().sent().size(), 2U);
}

TEST(SentPause, HasTheNewestStateAfterTheLineWasDown) {
  TesterConfig config;
  config.drain_rate = Rate::bits_per_second(100'000'000);  // 334 us a frame
  config.pfc.xoff = 5000;
  config.pfc.xon = 4200;
  config.pfc.quanta = 2;  // 2.56 ns: hundreds of thousands of refreshes while the line is down
  PortBench bench(config);
  bench.port.expect_flow(flow_of(0, 3));
  bench.simulation.partition();
  tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkDown);
  Stream stream(bench, flow_of(0, 3));
  bench.run(500 * kMicrosecond);
  EXPECT_TRUE(bench.stub.received.empty());
  EXPECT_LT(bench.pool().packets.capacity(), 20U);
  tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkUp);
  bench.run(501 * kMicrosecond);
  ASSERT_FALSE(bench.stub.received.empty());
  EXPECT_TRUE(bench.stub.received[0].packet->frame.is_pfc());
  EXPECT_LT(bench.stub.received[0].phase.last_bit, 501 * kMicrosecond);
}

TEST(SentPause, IsRepeatedWhenTheLinkIsUpAgain) {
  TesterConfig config;
  config.stuck = {{0, 0}};
  PortBench bench(config);
  bench.port.expect_flow(flow_of(0, 100));
  Stream stream(bench, flow_of(0, 20));  // 83 KB; XOFF at 64 KiB
  bench.run(5 * kMicrosecond);
  ASSERT_EQ(control_frames(bench).size(), 1U);
  tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkDown);
  tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkUp);
  bench.run(6 * kMicrosecond);  // a refresh would come after 42 us
  EXPECT_EQ(control_frames(bench).size(), 2U);
}

TEST(Stuck, TheReceiverTakesNothingAndPausesItsPeerUntilItIsOver) {
  TesterConfig config;
  config.stuck = {{kMicrosecond, 200 * kMicrosecond}};
  PortBench bench(config);
  const FlowConfig flow = flow_of(0, 40);  // past XOFF, within the buffer
  bench.port.expect_flow(flow);
  Stream stream(bench, flow);
  bench.run(200 * kMicrosecond);
  const auto taken = static_cast<std::uint64_t>((kMicrosecond + kFrame - kFrameToLastBit) / kFrame);
  EXPECT_EQ(bench.port.received_bytes(0), taken * 4096);
  EXPECT_THAT(explain(bench.simulation.waits()), HasSubstr("port.ingress3 waits for port.host"));
  bench.run();
  const std::vector<Time> times = control_frames(bench);
  ASSERT_EQ(times.size(), 6U);  // XOFF, four refreshes of 41.9 us, XON
  EXPECT_EQ(times[5] - kControlFrame, 201 * kMicrosecond);
  EXPECT_EQ(bench.port.completed_at(0), 201 * kMicrosecond);
  EXPECT_TRUE(bench.port.complete(0));
  EXPECT_EQ(metric(bench.simulation, "port.overflow"), 0U);
}

TEST(Stuck, ForGoodItPausesItsPeerForGood) {
  TesterConfig config;
  config.stuck = {{0, 0}};
  PortBench bench(config);
  const FlowConfig flow = flow_of(0, 40);
  bench.port.expect_flow(flow);
  Stream stream(bench, flow);
  bench.run(10 * kMillisecond);
  EXPECT_EQ(bench.port.received_bytes(0), 0U);
  const std::vector<Time> times = control_frames(bench);
  EXPECT_EQ(times.size(),
            1 + static_cast<std::size_t>((10 * kMillisecond - times[0]) / (65535 * kQuantum / 2)));
}

TEST(Stuck, AFrameThatIsBeingTakenIsTakenOnAfterwards) {
  TesterConfig config;
  config.drain_rate = Rate::gbps(4);  // 2 ns a byte
  config.stuck = {{2 * kMicrosecond, kMicrosecond}, {4 * kMicrosecond, kMicrosecond}};
  PortBench bench(config);
  const FlowConfig flow = flow_of(0, 1);
  bench.port.expect_flow(flow);
  Stream stream(bench, flow);
  bench.run();
  EXPECT_EQ(bench.port.completed_at(0), kFrameToLastBit + 4174 * Time{2000} + 2 * kMicrosecond);
}

}  // namespace
}  // namespace railyard
