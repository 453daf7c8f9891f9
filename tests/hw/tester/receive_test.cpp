// What a tester port makes of what it receives, from a stub.
#include <gmock/gmock.h>

#include "hw/tester/port.h"
#include "tests/hw/tester/port_bench.h"
#include "tests/support/fresh_kernel.h"
#include "tests/support/link_bench.h"

namespace railyard {
namespace {

using support::flow_of;
using support::kControlFrame;
using support::kFrame;
using support::kFrameToLastBit;
using support::metric;
using support::pfc;
using support::PortBench;

/// A port that answers marks, and the packets of one flow to it.
struct MarkBench : PortBench {
  explicit MarkBench(const FlowConfig& its_flow, TesterConfig config = {})
      : PortBench(enabled(config)), flow(its_flow) {
    port.expect_flow(flow);
  }
  static TesterConfig enabled(TesterConfig config) {
    config.cnp.enabled = true;
    return config;
  }
  void send_marked(Time at) {
    const Ref<net::Packet> packet = source.make(pool(), 0);
    packet->frame.set_ecn(net::Ecn::kCe);
    send_at(at, packet);
  }
  FlowConfig flow;
  FlowSource source{flow};
};

TEST(Cnp, AnswersTheFirstMarkAndThenOneAnInterval) {
  MarkBench bench(flow_of(0, 100));
  for (Time i = 0; i < 100; ++i) bench.send_marked(2 * i * kMicrosecond);
  bench.run();
  std::vector<Time> sent;
  for (const Time last_bit : bench.last_bits())
    sent.push_back(last_bit - (8 + 78) * support::kByte);
  // Marks come every 2 us; the first that comes 50 us after an answered one or later is answered.
  // The block takes it at its next edge and offers the CNP three later.
  const Time taken = (kFrameToLastBit / kNanosecond + 1) * kNanosecond;
  ASSERT_EQ(sent.size(), 4U);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i], taken + 3 * kNanosecond + static_cast<Time>(i) * 50 * kMicrosecond);
  }
  EXPECT_EQ(metric(bench.simulation, "port.ce_received"), 100U);
  EXPECT_EQ(metric(bench.simulation, "flow0.ce_packets"), 100U);
  EXPECT_EQ(metric(bench.simulation, "port.cnp_sent"), 4U);
}

TEST(Cnp, ComesLaterByTheDelay) {
  TesterConfig config;
  config.cnp.delay = 100 * kMicrosecond;
  MarkBench bench(flow_of(0, 100), config);
  // Of marks every 2 us until 198 us, those of 0, 50, 100 and 150 us are answered.
  for (Time i = 0; i < 100; ++i) bench.send_marked(2 * i * kMicrosecond);
  bench.run();
  const Time taken = (kFrameToLastBit / kNanosecond + 1) * kNanosecond;
  ASSERT_EQ(bench.stub.received.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const Time since = static_cast<Time>(i) * 50 * kMicrosecond + 100 * kMicrosecond;
    EXPECT_EQ(bench.last_bits()[i] - (8 + 78) * support::kByte, taken + kNanosecond + since);
  }
}

// Two flows from one address and one from another, marked a microsecond apart.
TEST(Cnp, IntervalCountsForAFlowAnAddressOrThePort) {
  const std::vector<std::pair<CnpScope, std::size_t>> scopes = {
      {CnpScope::kQueuePair, 3}, {CnpScope::kAddress, 2}, {CnpScope::kPort, 1}};
  for (const auto& [scope, cnps] : scopes) {
    const support::FreshKernel kernel;
    TesterConfig config;
    config.cnp.scope = scope;
    FlowConfig first = flow_of(0, 1);
    FlowConfig second = flow_of(1, 1);
    FlowConfig third = flow_of(2, 1);
    third.source.ip = *net::parse_ipv4("10.0.9.9");
    MarkBench bench(first, config);
    bench.port.expect_flow(second);
    bench.port.expect_flow(third);
    Time at = kMicrosecond;
    bench.send_marked(0);
    for (const FlowConfig& flow : {second, third}) {
      const Ref<net::Packet> marked = FlowSource(flow).make(bench.pool(), 0);
      marked->frame.set_ecn(net::Ecn::kCe);
      bench.send_at(at, marked);
      at += kMicrosecond;
    }
    bench.run();
    EXPECT_EQ(bench.stub.received.size(), cnps);
  }
}

TEST(Cnp, FlowsAreAnsweredEachForItself) {
  MarkBench bench(flow_of(0, 3));
  const FlowConfig second = flow_of(1, 1);
  bench.port.expect_flow(second);
  bench.send_marked(0);
  bench.send_marked(kMicrosecond);
  const Ref<net::Packet> marked = FlowSource(second).make(bench.pool(), 0);
  marked->frame.set_ecn(net::Ecn::kCe);
  bench.send_at(2 * kMicrosecond, marked);
  bench.run();
  ASSERT_EQ(bench.stub.received.size(), 2U);
  EXPECT_EQ(bench.stub.received[0].packet->frame.bth.destination_qp, bench.flow.source_qp);
  EXPECT_EQ(bench.stub.received[1].packet->frame.bth.destination_qp, second.source_qp);
}

class Family : public testing::TestWithParam<bool> {};

TEST_P(Family, OfACnpIsThatOfItsFlowWithAddressesExchanged) {
  FlowConfig flow = flow_of(0, 1);
  if (GetParam()) {
    flow.source.ip = *net::parse_ipv6("fd00::1");
    flow.destination.ip = *net::parse_ipv6("fd00::2");
  }
  flow.vlan = 9;
  TesterConfig config;
  config.cnp.dscp = 50;
  config.cnp.priority = 7;
  MarkBench bench(flow, config);
  bench.send_marked(0);
  bench.run();
  const net::Frame& cnp = bench.stub.received.at(0).packet->frame;
  EXPECT_EQ(cnp.bth.opcode, net::Opcode::kCnp);
  EXPECT_EQ(cnp.bth.destination_qp, flow.source_qp);
  EXPECT_EQ(cnp.ethernet.source, flow.destination.mac);
  EXPECT_EQ(cnp.ethernet.destination, flow.source.mac);
  EXPECT_EQ(cnp.ethernet.vid, 9);
  EXPECT_EQ(cnp.ethernet.pcp, 7);
  EXPECT_EQ(cnp.dscp(), 50);
  if (GetParam()) {
    EXPECT_EQ(cnp.ipv6.source, std::get<net::Ipv6Address>(flow.destination.ip));
    EXPECT_EQ(cnp.ipv6.destination, std::get<net::Ipv6Address>(flow.source.ip));
  } else {
    EXPECT_EQ(cnp.ipv4.source, std::get<net::Ipv4Address>(flow.destination.ip));
    EXPECT_EQ(cnp.ipv4.destination, std::get<net::Ipv4Address>(flow.source.ip));
  }
}

INSTANTIATE_TEST_SUITE_P(V4AndV6, Family, testing::Bool());

TEST(Cnp, GoesAheadOfDataAndBehindPfc) {
  TesterConfig config;
  config.drain_rate = Rate::gbps(236);
  config.pfc.xoff = 4175;
  config.pfc.xon = 4174;
  MarkBench bench(flow_of(0, 2), config);
  bench.port.send_flow(flow_of(1, 4));
  // The second comes while the first is taken: XOFF. While the packet after it is on the line the
  // first has been taken: an XON and, three cycles later, a CNP are due.
  bench.send_marked(0);
  bench.send_marked(kFrame);
  bench.run();
  std::vector<std::string> order;
  for (const auto& r : bench.stub.received) {
    const net::Frame& f = r.packet->frame;
    order.emplace_back(f.is_pfc() ? "PFC" : f.bth.opcode == net::Opcode::kCnp ? "CNP" : "data");
  }
  EXPECT_THAT(order, testing::ElementsAre("data", "data", "PFC", "data", "PFC", "CNP", "data"));
}

TEST(Cnp, IsHeldByAPauseOfItsPriorityAlone) {
  MarkBench bench(flow_of(0, 3));
  bench.send_at(0, pfc(1 << 6, 0xFFFF));
  bench.send_marked(kMicrosecond);
  bench.send_marked(60 * kMicrosecond);  // one waits already
  bench.run(80 * kMicrosecond);
  EXPECT_TRUE(bench.stub.received.empty());
  const std::vector<Wait> waits = bench.simulation.waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].info.waiter, "port.egress6");
  bench.run();
  ASSERT_EQ(bench.stub.received.size(), 1U);
  EXPECT_EQ(bench.stub.received[0].phase.first_bit,
            kControlFrame + 0xFFFF * support::kQuantum + 8 * support::kByte);
}

TEST(Cnp, IsNotSentUnlessEnabled) {
  PortBench bench;
  const FlowConfig flow = flow_of(0, 1);
  bench.port.expect_flow(flow);
  const Ref<net::Packet> packet = FlowSource(flow).make(bench.pool(), 0);
  packet->frame.set_ecn(net::Ecn::kCe);
  bench.send_at(0, packet);
  bench.run();
  EXPECT_TRUE(bench.stub.received.empty());
  EXPECT_EQ(metric(bench.simulation, "port.ce_received"), 1U);
}

TEST(Receive, LateAndRepeatedAndLostPacketsAreTold) {
  PortBench bench;
  const FlowConfig flow = flow_of(0, 6);
  bench.port.expect_flow(flow);
  FlowSource source(flow);
  std::vector<Ref<net::Packet>> packets;
  while (!source.done()) packets.push_back(source.make(bench.pool(), 0));
  Time at = 0;
  for (const int i : {0, 2, 5, 2, 4}) {  // 1 and 3 never come
    bench.send_at(at, packets[static_cast<std::size_t>(i)]);
    at += kFrame;
  }
  net::Frame stray = packets[0]->frame;
  stray.bth.destination_qp = 0x777;
  bench.send_at(at, stray);
  bench.run();
  const Simulation& s = bench.simulation;
  EXPECT_EQ(metric(s, "port.received_packets"), 4U);
  EXPECT_EQ(metric(s, "port.out_of_order_packets"), 1U);
  EXPECT_EQ(metric(s, "port.duplicate_packets"), 1U);
  EXPECT_EQ(metric(s, "port.lost_packets"), 2U);
  EXPECT_EQ(metric(s, "port.stray_packets"), 1U);
  EXPECT_EQ(metric(s, "flow0.out_of_order_packets"), 1U);
  EXPECT_EQ(metric(s, "flow0.lost_packets"), 2U);
  EXPECT_TRUE(bench.port.ended(0));
  EXPECT_FALSE(bench.port.complete(0));
  EXPECT_EQ(bench.port.completed_at(0), 4 * kFrame + kFrameToLastBit);
}

}  // namespace
}  // namespace railyard
