// Two ports on a link, PFC and payload included.
#include <gtest/gtest.h>

#include <string>

#include "hw/tester/port.h"
#include "tests/support/allocations.h"
#include "tlm/link/link_checker.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

class Partitions : public testing::TestWithParam<std::size_t> {};

TEST_P(Partitions, AllocateNothingAPacketOnceWarm) {
  SimulationConfig config;
  config.partitions = GetParam();
  Simulation simulation{config};
  Partition& p = simulation.partition(0);
  Partition& q = simulation.partition(1);
  LinkConfig link;
  link.length = metres(30);
  TesterConfig tester;
  tester.drain_rate = Rate::gbps(300);
  FlowConfig flow;
  flow.messages = 2000;
  flow.source.ip = net::Ipv4Address{1};
  flow.destination.ip = net::Ipv4Address{2};
  TesterPort a("a", p, tester, flow.source, link.rate, "b");
  TesterPort b("b", q, tester, flow.destination, link.rate, "a");
  LinkEnd a_end("a_link", p, link, Announce::kLastBit);
  LinkEnd b_end("b_link", q, link, Announce::kLastBit);
  bind_both(a, a_end);
  bind_both(b, b_end);
  LinkEnd::connect(a_end, b_end);
  check_link(a_end, b_end);
  a.send_flow(flow);
  b.expect_flow(flow);

  struct Meter {
    Meter(Partition& partition, const std::string& name)
        : event(Event::of<&Meter::read>(*this, partition.endpoint(name), Phase::kObserve)) {}
    void read() { count = support::allocations(); }
    Event event;
    std::uint64_t count = 0;
  };
  Meter warm(p, "warm");
  Meter late(p, "late");
  simulation.seal();
  p.scheduler().schedule(warm.event, 500 * kMicrosecond);
  p.scheduler().schedule(late.event, 3000 * kMicrosecond);
  simulation.run(kSecond);
  EXPECT_TRUE(b.complete(0));
  EXPECT_GT(warm.count, 0U);
  EXPECT_EQ(late.count, warm.count);
}

INSTANTIATE_TEST_SUITE_P(OneAndTwo, Partitions, testing::Values(1, 2));

}  // namespace
}  // namespace railyard
