// A requester behind DCQCN's own blocks: packets are spaced by the rate.
#include <gtest/gtest.h>

#include <memory>

#include "hw/congestion/dcqcn.h"
#include "tests/hw/nic/requester_bench.h"

namespace railyard::nic {
namespace {

using requester_test::requester_config;
using requester_test::RequesterBench;

struct Controlled {
  explicit Controlled(std::uint32_t megabits, Time burst = 2 * kNanosecond,
                      std::uint32_t qps = requester_config().limits.qps)
      : bench(with_qps(qps), [&](Simulation& simulation) {
          CongestionConfig config;
          config.algorithm = "dcqcn";
          config.dcqcn.rp_max_rate = megabits;
          config.dcqcn.rp_min_rate = std::min(megabits, 100U);
          config.burst = burst;
          dcqcn = std::make_unique<Dcqcn>(
              config, ControlledPort{simulation.partition(), "nic", Rate::gbps(400), blocks});
          for (std::uint32_t slot = 0; slot < qps; ++slot) dcqcn->open({});
          dcqcn->seal();
          return dcqcn.get();
        }) {
    dcqcn->start();
  }
  static NicConfig with_qps(std::uint32_t qps) {
    NicConfig config = requester_config();
    config.limits.qps = qps;
    return config;
  }
  void write(Qp& qp, std::uint32_t packets) {
    bench.post(qp, bench.message(abi::Opcode::kRdmaWrite, packets * 1024));
  }
  std::vector<Time> taken() const {
    std::vector<Time> times;
    for (const auto& sent : bench.transmit.sent) times.push_back(sent.taken);
    return times;
  }

  Blocks blocks;
  std::unique_ptr<Dcqcn> dcqcn;
  RequesterBench bench;
};

class RequesterRate : public testing::TestWithParam<std::uint32_t> {};

// All but the first have a header less, so a middle packet is the measure.
TEST_P(RequesterRate, SpacesPacketsByTheirBytesOverTheRateWithinAClock) {
  constexpr std::uint32_t kPackets = 50;
  Controlled c(GetParam());
  Qp& qp = c.bench.add_qp();
  c.write(qp, kPackets);
  const std::uint32_t line = net::line_bytes(1024 + 14 + 20 + 8 + 12 + 4 + 4);
  const double interval = line * 8e6 / GetParam();  // ps
  c.bench.run(static_cast<Time>(interval * (kPackets + 3)) + 10 * kMicrosecond);
  const std::vector<Time> taken = c.taken();
  ASSERT_EQ(taken.size(), kPackets);
  for (std::size_t i = 3; i + 1 < kPackets; ++i) {
    EXPECT_NEAR(static_cast<double>(taken[i] - taken[i - 1]), interval, 1000) << i;
  }
  // No error adds up, but for the rounding of the interval.
  EXPECT_NEAR(static_cast<double>(taken[kPackets - 2] - taken[2]), interval * (kPackets - 4),
              2000 + interval * kPackets * 1e-5);
}

INSTANTIATE_TEST_SUITE_P(MegabitsPerSecond, RequesterRate,
                         testing::Values(10, 1'000, 25'000, 100'000, 200'000));

TEST(RequesterRates, AQueuePairThatRestedCatchesUpItsBurstAndNoMore) {
  Controlled c(10'000, 3 * kMicrosecond);  // a packet takes 0.87 us
  Qp& qp = c.bench.add_qp();
  c.write(qp, 20);
  c.bench.run(40 * kMicrosecond);
  const std::size_t before = c.bench.transmit.sent.size();
  ASSERT_EQ(before, 20U);
  c.write(qp, 20);
  c.bench.run(5 * kMicrosecond);
  // 3.4 packets of the burst, 1 that may begin, and what 5 us less the WQE's read let go.
  const std::size_t more = c.bench.transmit.sent.size() - before;
  EXPECT_GE(more, 8U);
  EXPECT_LE(more, 10U);
}

// While the priority is paused, the buffer is full and nothing is decided.
TEST(RequesterRates, APauseIsCaughtUpByTheBurstAndNoMore) {
  Controlled c(10'000, 3 * kMicrosecond);
  Qp& qp = c.bench.add_qp();
  c.write(qp, 60);
  c.bench.run(10 * kMicrosecond);
  c.bench.transmit.paused = 0xFF;
  c.bench.run(50 * kMicrosecond);
  const std::size_t before = c.bench.transmit.sent.size();
  EXPECT_LT(before, 20U);
  c.bench.transmit.resume(0xFF);
  c.bench.run(5 * kMicrosecond);
  const std::size_t more = c.bench.transmit.sent.size() - before;
  EXPECT_GE(more, 8U);  // 3.4 of the burst, one that may begin, and 5.6 that 5 us let go
  EXPECT_LE(more, 10U);
}

// At 10 Mb/s each, a packet of all of them in 0.87 ms.
TEST(RequesterRates, AThousandSlowQueuePairsCostFewEventsAPacket) {
  constexpr std::uint32_t kQps = 1000;
  Controlled c(10, kMicrosecond, kQps);
  for (std::uint32_t i = 0; i < kQps; ++i) c.bench.add_qp();
  for (auto& qp : c.bench.qps.all) c.write(*qp, 8);
  c.bench.run(kMillisecond);
  const std::uint64_t events = c.bench.partition().scheduler().fired();
  const std::size_t packets = c.bench.transmit.sent.size();
  c.bench.run(4 * kMillisecond);
  const std::size_t sent = c.bench.transmit.sent.size() - packets;
  EXPECT_NEAR(static_cast<double>(sent), 4.6 * kQps, 0.6 * kQps);
  const double cost = static_cast<double>(c.bench.partition().scheduler().fired() - events) /
                      static_cast<double>(sent);
  RecordProperty("events_a_packet_in_thousandths", static_cast<int>(1000 * cost));
  EXPECT_LT(cost, 6.0);  // the timer, the turn, and those of the fakes
}

}  // namespace
}  // namespace railyard::nic
