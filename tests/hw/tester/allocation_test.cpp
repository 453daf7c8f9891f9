// A hundred flows between two ports, paced and not, with payload, PFC and CNPs.
#include <gtest/gtest.h>

#include "tests/hw/tester/port_bench.h"
#include "tests/support/allocations.h"
#include "tests/support/link_bench.h"

namespace railyard {
namespace {

using support::flow_of;
using support::metric;
using support::TwoPorts;

/// A switch in between would mark: here the receiving port's line does, every eleventh packet, so
/// that all flows are marked soon (each makes its CNP once).
struct Marker : LinkObserver {
  void transmitted(const net::Packet&, const Transmission&) override {}
  void delivered(const FrameInFlight& frame, Time) override {
    if (++count % 11 == 0) frame.packet->frame.set_ecn(net::Ecn::kCe);
  }
  void lost(const FrameInFlight&, Time) override {}
  std::uint64_t count = 0;
};

void expect_no_allocation_once_warm(const TesterConfig& sender, const TesterConfig& receiver,
                                    std::size_t partitions, Time until) {
  SimulationConfig run;
  run.partitions = partitions;
  TwoPorts ports(sender, receiver, run, metres(30));
  Marker marker;
  ports.a_end.set_observers(nullptr, nullptr);  // not the checker, which sees both ends
  ports.b_end.set_observers(nullptr, &marker);
  for (std::uint32_t i = 0; i < 100; ++i) {
    FlowConfig flow = flow_of(i, 2000);
    if (i % 2 == 0) flow.rate = Rate::gbps(2);
    ports.connect(flow);
  }
  Partition& p = ports.simulation.partition(0);
  std::uint64_t warm = 0;
  std::uint64_t late = 0;
  support::At warm_reading(p, "warm", [&] { warm = support::allocations(); });
  support::At late_reading(p, "late", [&] { late = support::allocations(); });
  ports.simulation.seal();
  p.scheduler().schedule(warm_reading.event(), 2 * kMillisecond);
  p.scheduler().schedule(late_reading.event(), until);
  ports.simulation.run(kSecond);
  EXPECT_GT(warm, 0U);
  EXPECT_EQ(late, warm);
  EXPECT_GT(ports.simulation.now(), until);
  EXPECT_EQ(metric(ports.simulation, "b.received_packets"), 200'000U);
  EXPECT_GT(metric(ports.simulation, "a.cnp_received"), 1000U);
  if (receiver.drain_rate) {
    EXPECT_GT(metric(ports.simulation, "b.pfc_xoff_sent"), 100U);
  }
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_TRUE(ports.b.complete(i));
}

class Partitions : public testing::TestWithParam<std::size_t> {};

TEST_P(Partitions, AllocateNothingAPacketOnceWarm) {
  TesterConfig sender;
  sender.response_quanta = 905;
  TesterConfig receiver;
  receiver.drain_rate = Rate::gbps(300);
  receiver.cnp.enabled = true;
  expect_no_allocation_once_warm(sender, receiver, GetParam(), 15 * kMillisecond);
}

TEST_P(Partitions, NorWithCongestionControl) {
  TesterConfig config;
  config.cnp.enabled = true;
  config.cnp.interval = 4 * kMicrosecond;
  config.cnp.delay = kMicrosecond;
  config.congestion.algorithm = "dcqcn";
  config.congestion.dcqcn = DcqcnParameters::of(DcqcnSet::kTuned);
  expect_no_allocation_once_warm(config, config, GetParam(), 15 * kMillisecond);
}

INSTANTIATE_TEST_SUITE_P(OneAndTwo, Partitions, testing::Values(1, 2));

}  // namespace
}  // namespace railyard
