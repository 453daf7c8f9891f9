// Many flows between two tester ports.
#include <gtest/gtest.h>

#include <vector>

#include "tests/hw/tester/port_bench.h"
#include "tests/support/fresh_kernel.h"
#include "tests/support/link_bench.h"

namespace railyard {
namespace {

using support::flow_of;
using support::metric;
using support::TwoPorts;

TEST(Flows, ShareALineFairly) {
  TwoPorts ports;
  constexpr std::uint32_t kFlows = 1000;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    FlowConfig flow = flow_of(i, 100);
    flow.data = DataMode::kElided;
    flow.priority = static_cast<std::uint8_t>(i % 8);
    ports.connect(flow);
  }
  ports.simulation.seal();
  ports.simulation.run(4 * kMillisecond);  // about half of it
  double sum = 0;
  double squares = 0;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    const auto bytes = static_cast<double>(ports.b.received_bytes(i));
    EXPECT_GT(bytes, 0);
    sum += bytes;
    squares += bytes * bytes;
  }
  EXPECT_GT(sum * sum / (kFlows * squares), 0.999);
  ports.simulation.run(kSecond);
  for (std::uint32_t i = 0; i < kFlows; ++i) EXPECT_TRUE(ports.b.complete(i));
  EXPECT_EQ(metric(ports.simulation, "b.received_packets"), kFlows * 100);
  EXPECT_EQ(metric(ports.simulation, "b.out_of_order_packets"), 0U);
}

/// Everything at once; all metrics of the run.
std::vector<Metric> eventful_run(std::size_t partitions, bool backwards) {
  support::FreshKernel kernel;
  TesterConfig a;
  a.response_quanta = 200;
  a.send_stall.probability = 0.01;
  TesterConfig b;
  b.drain_rate = Rate::gbps(300);
  b.receive_stall.probability = 0.01;
  b.stuck = {{20 * kMicrosecond, 5 * kMicrosecond}};
  SimulationConfig run;
  run.partitions = partitions;
  TwoPorts ports(a, b, run);
  constexpr std::uint32_t kFlows = 50;
  for (std::uint32_t n = 0; n < kFlows; ++n) {
    const std::uint32_t i = backwards ? kFlows - 1 - n : n;
    FlowConfig flow = flow_of(i, 40);
    flow.priority = static_cast<std::uint8_t>(3 + i % 2);
    if (i % 3 == 0) flow.rate = Rate::gbps(1 + i);
    flow.start = i % 5 * kMicrosecond;
    ports.connect(flow);
  }
  ports.simulation.seal();
  ports.simulation.run(kSecond);
  return ports.simulation.metrics();
}

TEST(Flows, GiveTheSameResultInAnyOrderOfConstructionAndInAnyPartition) {
  const std::vector<Metric> first = eventful_run(1, false);
  for (const auto& other :
       {eventful_run(1, false), eventful_run(1, true), eventful_run(2, false)}) {
    ASSERT_EQ(other.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(other[i].info.name, first[i].info.name);
      EXPECT_EQ(other[i].value.real, first[i].value.real) << first[i].info.name;
    }
  }
}

}  // namespace
}  // namespace railyard
