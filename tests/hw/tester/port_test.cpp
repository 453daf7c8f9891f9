// A tester port against a stub on the other end of its line: what it sends, and when.
#include "hw/tester/port.h"

#include <gmock/gmock.h>

#include "tests/hw/tester/port_bench.h"
#include "tests/support/link_bench.h"

namespace railyard {
namespace {

using support::flow_of;
using support::kByte;
using support::kFrame;
using support::kFrameToLastBit;
using support::metric;
using support::pfc;
using support::PortBench;

TEST(TesterPort, SendsAtLineRate) {
  PortBench bench;
  bench.port.send_flow(flow_of(0, 8));
  bench.run();
  ASSERT_EQ(bench.stub.received.size(), 8U);
  EXPECT_EQ(bench.stub.received[7].phase.last_bit, 7 * kFrame + kFrameToLastBit);
}

TEST(TesterPort, MarksItsPacketsAsTheFlowSays) {
  PortBench bench;
  FlowConfig flow = flow_of(0, 1);
  flow.dscp = 12;
  flow.vlan = 7;
  flow.priority = 5;
  bench.port.send_flow(flow);
  FlowConfig plain = flow_of(1, 1);
  plain.ecn = false;
  bench.port.send_flow(plain);
  bench.run();
  const net::Frame& frame = bench.stub.received.at(0).packet->frame;
  EXPECT_EQ(frame.dscp(), 12);
  EXPECT_EQ(frame.ecn(), net::Ecn::kEct0);
  EXPECT_EQ(frame.ethernet.pcp, 5);
  EXPECT_EQ(frame.ethernet.vid, 7);
  EXPECT_EQ(frame.udp.source_port, net::udp_source_port(flow.source_qp, flow.destination_qp));
  EXPECT_EQ(bench.stub.received.at(1).packet->frame.ecn(), net::Ecn::kNotEct);
}

TEST(TesterPort, APacedFlowKeepsItsRateBesideAnUnpacedOne) {
  PortBench bench;
  FlowConfig paced = flow_of(0, 2000);
  paced.rate = Rate::gbps(10);
  paced.data = DataMode::kElided;
  bench.port.send_flow(paced);
  FlowConfig greedy = flow_of(1, 90'000);
  greedy.data = DataMode::kElided;
  greedy.destination_qp = 0x999;
  bench.port.send_flow(greedy);
  std::vector<Time> sent;
  std::uint64_t frames = 0;
  bench.stub.on_packet = [&](net::Packet& packet, const PacketPhase& phase) {
    ++frames;
    if (packet.frame.bth.destination_qp == paced.destination_qp) {
      sent.push_back(phase.last_bit - kFrameToLastBit);
    }
  };
  bench.run();
  ASSERT_EQ(sent.size(), 2000U);
  const Time interval = 40 * kFrame;
  for (std::size_t i = 0; i < sent.size(); ++i) {  // at most a frame late, never drifting
    const Time late = sent[i] - static_cast<Time>(i) * interval;
    EXPECT_GE(late, 0);
    EXPECT_LE(late, 2 * kFrame);
  }
  EXPECT_EQ(frames, 92'000U);
  EXPECT_EQ(bench.simulation.now(), 92'000 * kFrame);  // the line was never idle
}

TEST(TesterPort, ARateIsExactToAMillionthOverALongRun) {
  PortBench bench;
  FlowConfig flow = flow_of(0, 200'000);
  flow.rate = Rate::bits_per_second(33'333'000'000);
  flow.data = DataMode::kElided;
  bench.port.send_flow(flow);
  Time first = 0;
  Time last = 0;
  bench.stub.on_packet = [&](net::Packet&, const PacketPhase& phase) {
    if (first == 0) first = phase.last_bit;
    last = phase.last_bit;
  };
  bench.run();
  const double bits = 199'999.0 * (8 + 4174 + 12) * 8;
  const double rate = bits / (static_cast<double>(last - first) * 1e-12);
  EXPECT_NEAR(rate / 33'333'000'000.0, 1, 1e-9);
}

TEST(TesterPort, AFlowAtTheLineSRateLeavesNoGap) {
  PortBench bench;
  FlowConfig flow = flow_of(0, 100);
  flow.rate = Rate::gbps(400);
  bench.port.send_flow(flow);
  bench.run();
  EXPECT_EQ(bench.stub.received.at(99).phase.last_bit, 99 * kFrame + kFrameToLastBit);
}

TEST(TesterPort, ARateSetInTheMiddleActsAtOnceAndNothingIsCaughtUp) {
  PortBench bench;
  FlowConfig flow = flow_of(0, 40);
  flow.rate = Rate::gbps(1);  // 33.552 us a packet
  bench.port.send_flow(flow);
  Partition& p = bench.simulation.partition();
  const Time faster_at = 50 * kMicrosecond;
  const Time slower_at = faster_at + 7 * kMicrosecond;
  support::At faster(p, "faster", [&] { bench.port.set_rate(0, Rate::gbps(40)); });
  support::At slower(p, "slower", [&] { bench.port.set_rate(0, Rate::gbps(1)); });
  support::At unlimited(p, "unlimited", [&] { bench.port.set_rate(0, {}); });
  bench.simulation.seal();
  p.scheduler().schedule(faster.event(), faster_at);
  p.scheduler().schedule(slower.event(), slower_at);
  p.scheduler().schedule(unlimited.event(), 100 * kMicrosecond);
  bench.simulation.run(kSecond);
  std::vector<Time> sent;
  for (const auto& r : bench.stub.received) sent.push_back(r.phase.last_bit - kFrameToLastBit);
  ASSERT_EQ(sent.size(), 40U);
  const Time slow = 400 * kFrame;
  const Time fast = 10 * kFrame;
  EXPECT_EQ(sent[1], slow);
  EXPECT_EQ(sent[2], faster_at);  // due at 33.552 + 0.839 us at the new rate
  std::size_t i = 3;
  for (; sent[i] < slower_at; ++i) EXPECT_EQ(sent[i] - sent[i - 1], fast) << i;
  EXPECT_EQ(i, 3U + 8);
  EXPECT_EQ(sent[i] - sent[i - 1], slow);
  EXPECT_EQ(sent[i + 1], 100 * kMicrosecond);
  for (i += 2; i < sent.size(); ++i) EXPECT_EQ(sent[i] - sent[i - 1], kFrame) << i;
}

TEST(TesterPort, APacedFlowCatchesNothingUpAfterAPause) {
  PortBench bench;
  FlowConfig flow = flow_of(0, 30);
  flow.rate = Rate::gbps(40);
  bench.port.send_flow(flow);
  bench.send_at(kMicrosecond, pfc(1 << 3, 10'000));  // 12.8 us
  bench.run();
  const std::vector<Time> times = bench.last_bits();
  ASSERT_EQ(times.size(), 30U);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 10 * kFrame);
}

TEST(TesterPort, TheSourcesOfOnePortAreEachItsOwn) {
  PortBench bench;
  bench.port.send_flow(flow_of(0, 1));
  EXPECT_THROW(bench.port.send_flow(flow_of(0, 1)), std::logic_error);
  bench.port.expect_flow(flow_of(1, 1));
  EXPECT_THROW(bench.port.expect_flow(flow_of(1, 1)), std::logic_error);
  EXPECT_THROW(bench.port.set_rate(9, {}), std::out_of_range);
  EXPECT_THROW(bench.port.received_bytes(9), std::out_of_range);
}

TEST(TesterPort, ACorruptedPayloadIsABrokenInvariant) {
  PortBench bench;
  const FlowConfig flow = flow_of(0, 1);
  bench.port.expect_flow(flow);
  const Ref<net::Packet> packet = FlowSource(flow).make(bench.pool(), 0);
  packet->payload->data()[7] ^= 0x80;
  bench.send_at(0, packet);
  EXPECT_THROW(bench.run(), sc_core::sc_report);
}

TEST(TesterPort, SaysWhatItWaitsForWhenItsLinkNeverComesBack) {
  PortBench bench;
  EXPECT_TRUE(bench.simulation.waits().empty());
  bench.port.send_flow(flow_of(0, 8));
  bench.simulation.seal();
  tell(bench.port_end.rx, *bench.packet({}), PacketPhase::Kind::kLinkDown);
  try {
    bench.simulation.run(kSecond);
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(),
                testing::HasSubstr("port waits for port.tx: the link to come up"));
  }
}

struct Recorder : FlowListener {
  void on_sent(std::size_t flow, std::uint32_t bytes, Time now) override {
    sent.emplace_back(flow, bytes, now);
    if (port != nullptr) port->set_rate(flow, Rate::gbps(4));
  }
  void on_cnp(std::size_t flow, Time now) override { cnps.emplace_back(flow, now); }
  void on_ce(std::size_t flow, Time now) override { ces.emplace_back(flow, now); }
  TesterPort* port = nullptr;
  std::vector<std::tuple<std::size_t, std::uint32_t, Time>> sent;
  std::vector<std::pair<std::size_t, Time>> cnps, ces;
};

TEST(TesterPort, ItsListenerHearsOfPacketsAndMaySetTheirRate) {
  PortBench bench;
  Recorder recorder;
  recorder.port = &bench.port;
  bench.port.set_listener(&recorder);
  bench.port.send_flow(flow_of(5, 3));
  bench.run();
  EXPECT_THAT(recorder.sent,
              testing::ElementsAre(std::tuple(5, 4174, 0), std::tuple(5, 4174, 100 * kFrame),
                                   std::tuple(5, 4174, 200 * kFrame)));
}

TEST(TesterPort, ItsListenerHearsOfCnpsAndMarks) {
  PortBench bench;
  Recorder recorder;
  bench.port.set_listener(&recorder);
  bench.port.send_flow(flow_of(5, 1));
  const FlowConfig in = flow_of(6, 1);
  bench.port.expect_flow(in);
  const Ref<net::Packet> marked = FlowSource(in).make(bench.pool(), 0);
  const net::Frame cnp = net::cnp_frame(marked->frame, flow_of(5, 1).source_qp);
  marked->frame.set_ecn(net::Ecn::kCe);
  bench.send_at(0, marked);
  bench.send_at(kMicrosecond, cnp);
  bench.run();
  EXPECT_THAT(recorder.ces, testing::ElementsAre(std::pair(6, kFrameToLastBit)));
  const Time arrived = kMicrosecond + (8 + net::frame_bytes(cnp)) * kByte;
  EXPECT_THAT(recorder.cnps, testing::ElementsAre(std::pair(5, arrived)));
  EXPECT_EQ(metric(bench.simulation, "flow5.cnp_received"), 1U);
  EXPECT_EQ(metric(bench.simulation, "flow6.ce_packets"), 1U);
  EXPECT_EQ(metric(bench.simulation, "port.cnp_received"), 1U);
  EXPECT_EQ(metric(bench.simulation, "port.ce_received"), 1U);
}

}  // namespace
}  // namespace railyard
