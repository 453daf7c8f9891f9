// A tester port whose flows DCQCN controls, against a stub that sends CNPs.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/hw/tester/port_bench.h"
#include "tests/support/link_bench.h"

namespace railyard {
namespace {

using support::flow_of;
using support::kFrame;
using support::kFrameToLastBit;
using support::PortBench;

constexpr Time kBurst = 10 * kNanosecond;

TesterConfig controlled() {
  TesterConfig config;
  config.congestion.algorithm = "dcqcn";
  config.congestion.burst = kBurst;
  return config;
}

/// Sends CNPs to flows, and keeps when the stub heard of their packets.
struct Bench : PortBench {
  explicit Bench(const TesterConfig& config = controlled()) : PortBench(config) {
    stub.on_packet = [this](net::Packet& packet, const PacketPhase& phase) {
      const std::uint32_t flow = (packet.frame.bth.destination_qp - 0x101) / 2;
      starts.at(flow).push_back(phase.last_bit - kFrameToLastBit);
    };
  }
  void cnp(Time at, std::uint32_t flow) {
    const FlowConfig of = flow_of(flow, 1);
    const Ref<net::Packet> data = FlowSource(of).make(pool(), 0);
    send_at(at, net::cnp_frame(data->frame, of.source_qp));
  }
  double rate_gbps(std::uint32_t flow) {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "flow" + std::to_string(flow) + ".rate_gbps") return m.value.real;
    }
    throw std::out_of_range("no such flow");
  }
  /// Packets of a flow that began in a span.
  std::int64_t begun(std::uint32_t flow, Time from, Time until) const {
    const std::vector<Time>& all = starts.at(flow);
    return std::count_if(all.begin(), all.end(), [&](Time t) { return t >= from && t < until; });
  }

  std::vector<std::vector<Time>> starts{4};
};

TEST(ControlledPort, AFlowGoesAtTheLinesRateUntilItsFirstCnp) {
  Bench bench;
  bench.port.send_flow(flow_of(0, 200));
  bench.run();
  ASSERT_EQ(bench.starts[0].size(), 200U);
  // The pacer counts whole cycles, and no rate is exceeded.
  EXPECT_NEAR(static_cast<double>(bench.starts[0].back()), 199.0 * kFrame, kNanosecond);
}

TEST(ControlledPort, ACnpHalvesTheRateOfItsFlow) {
  Bench bench;
  bench.port.send_flow(flow_of(0, 400));
  bench.cnp(5 * kMicrosecond, 0);
  bench.run();
  const std::vector<Time>& starts = bench.starts[0];
  ASSERT_EQ(starts.size(), 400U);
  const auto first = std::lower_bound(starts.begin(), starts.end(), 6 * kMicrosecond);
  EXPECT_NEAR(static_cast<double>(first[100] - first[0]), 100 * 2.0 * kFrame, kNanosecond);
}

// Of two flows at the line's rate that share it, one is cut to 1/8: what it leaves the other takes.
TEST(ControlledPort, AFlowThatIsHeldLetsAnotherOfItsPriorityPass) {
  TesterConfig config = controlled();
  config.congestion.burst = kMicrosecond;  // more than it waits for the line
  Bench bench(config);
  for (std::uint32_t i = 0; i < 2; ++i) bench.port.send_flow(flow_of(i, 1000));
  for (int i = 0; i < 3; ++i) bench.cnp((5 + i) * kMicrosecond, 0);
  bench.run();
  const Time from = 10 * kMicrosecond;
  const Time until = from + 400 * kFrame;
  EXPECT_NEAR(static_cast<double>(bench.begun(0, 0, 4 * kMicrosecond)),
              static_cast<double>(bench.begun(1, 0, 4 * kMicrosecond)), 1);
  EXPECT_NEAR(static_cast<double>(bench.begun(0, from, until)), 50, 1);
  EXPECT_NEAR(static_cast<double>(bench.begun(1, from, until)), 350, 1);
  for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(bench.starts[i].size(), 1000U);
}

TEST(ControlledPort, AFlowOfALowerRateThanItsLimitKeepsIt) {
  Bench bench;
  FlowConfig flow = flow_of(0, 100);
  flow.rate = Rate::gbps(40);
  bench.port.send_flow(flow);
  bench.cnp(5 * kMicrosecond, 0);  // 200 Gb/s
  bench.run();
  ASSERT_EQ(bench.starts[0].size(), 100U);
  EXPECT_EQ(bench.starts[0].back(), 990 * kFrame);
}

TEST(ControlledPort, ACnpOfAnotherPortsFlowIsAStray) {
  Bench bench;
  bench.port.send_flow(flow_of(0, 100));
  bench.cnp(kMicrosecond, 3);
  bench.run();
  EXPECT_EQ(support::metric(bench.simulation, "port.stray_packets"), 1U);
  EXPECT_NEAR(static_cast<double>(bench.starts[0].back()), 99.0 * kFrame, kNanosecond);
}

TEST(ControlledPort, TheClassOfAFlowIsItsPriority) {
  TesterConfig config = controlled();
  DcqcnClassConfig slow;
  slow.traffic_class = 5;
  slow.dcqcn.rp_max_rate = 40'000;
  config.congestion.classes.push_back(slow);
  Bench bench(config);
  FlowConfig flow = flow_of(1, 50);
  flow.priority = 5;
  bench.port.send_flow(flow);
  bench.run();
  EXPECT_NEAR(static_cast<double>(bench.starts[1].back()), 49 * 10.0 * kFrame, kBurst);
  EXPECT_NEAR(bench.rate_gbps(1), 40, 1e-3);
}

TEST(ControlledPort, WithoutAnAlgorithmACnpIsOnlyCounted) {
  Bench bench{TesterConfig()};
  bench.port.send_flow(flow_of(0, 200));
  bench.cnp(5 * kMicrosecond, 0);
  bench.run();
  EXPECT_EQ(bench.starts[0].back(), 199 * kFrame);
  EXPECT_EQ(support::metric(bench.simulation, "flow0.cnp_received"), 1U);
}

}  // namespace
}  // namespace railyard
