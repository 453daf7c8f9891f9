// Traffic classes of an egress: order, shares, pauses, maps, and turns of the ingress ports.
#include <functional>
#include <map>
#include <numeric>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

SwitchConfig roomy() {
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 0;
  config.ecn.enabled = false;
  return config;
}

unsigned priority_of(const bench::Station::Arrival& arrival) {
  return arrival.frame.ipv4.dscp / 8U;
}

/// Classes of any sizes are filled while the port is paused, and share it when it is let go.
/// Returns bytes by class until the first of the weighted ones runs out.
std::array<double, 8> shares(const SwitchConfig& config,
                             const std::map<unsigned, std::uint32_t>& frame_bytes) {
  SwitchBench bench(config, std::vector<LinkConfig>(9, link_of(400, 1)));
  const bench::AccountWatch accounts(bench, 10 * kMicrosecond);
  constexpr std::uint64_t kEach = 3'000'000;
  std::array<std::uint64_t, 8> left{};
  for (const auto& [priority, bytes] : frame_bytes) {
    auto& station = bench.station(priority);
    for (std::uint64_t sum = 0; sum < kEach; sum += bytes, ++left[priority]) {
      station.queue(station.frame_to(8, bytes, priority));
    }
  }
  bench.station(8).send_pfc(0xFF, 0xFFFF);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  std::array<double, 8> bytes{};
  for (const auto& arrival : bench.station(8).arrived) {
    const unsigned p = priority_of(arrival);
    bytes[p] += frame_bytes.at(p);
    const bool strict = p >= 6;
    if (--left[p] == 0 && !strict) break;
    // A strict class is through before any other begins.
    EXPECT_TRUE(strict || left[6] == 0);
    EXPECT_TRUE(p == 7 || left[7] == 0);
  }
  return bytes;
}

TEST(SwitchScheduling, StrictClassesGoFirstAndTheOthersShareByWeightTo1Percent) {
  SwitchConfig config = roomy();
  config.buffers.buffer = kibibytes(262'144);
  config.buffers.pfc.enabled = false;
  config.scheduler.classes = {{7, true, {}},  {6, true, {}},  {0, false, 10}, {1, false, 20},
                              {2, false, 30}, {3, false, 40}, {4, false, 25}, {5, false, 100}};
  config.scheduler.quantum = 1500;
  const std::array<double, 6> weights = {10, 20, 30, 40, 25, 100};
  const auto bytes = shares(
      config, {{0, 1500}, {1, 300}, {2, 1000}, {3, 1024}, {4, 64}, {5, 1500}, {6, 700}, {7, 9000}});
  const double all = std::accumulate(bytes.begin(), bytes.begin() + 6, 0.0);
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (unsigned c = 0; c < 6; ++c) EXPECT_NEAR(bytes[c] / all, weights[c] / weight, 0.01) << c;
  for (unsigned c = 0; c < 6; ++c) {
    EXPECT_NEAR(bytes[c] / bytes[5], weights[c] / 100, 0.01 * weights[c] / 100 + 0.002) << c;
  }
}

TEST(SwitchScheduling, APausedClassLeavesItsShareToTheOthers) {
  SwitchBench bench(roomy(), std::vector<LinkConfig>(9, link_of(100, 1)));
  for (unsigned p = 0; p < 8; ++p) {
    auto& station = bench.station(p);
    for (int i = 0; i < 300; ++i) station.queue(station.frame_to(8, 1000, p));
  }
  bench.station(8).send_pfc(0b1010'1010, 0xFFFF);  // 335 us; the others need 98 us
  bench.run(300 * kMicrosecond);
  EXPECT_EQ(bench.station(8).received, 1200U);
  std::array<int, 8> by{};
  for (const auto& arrival : bench.station(8).arrived) ++by[priority_of(arrival)];
  for (unsigned p = 0; p < 8; ++p) EXPECT_EQ(by[p], p % 2 == 0 ? 300 : 0) << p;
  // The line was never idle for the others.
  const auto& arrived = bench.station(8).arrived;
  EXPECT_EQ(arrived.back().last_bit - arrived.front().last_bit,
            Rate::gbps(100).time_of(1199ULL * 1020));
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.station(8).received, 2400U);
}

/// Which pause stops a frame: its priority; none: 8.
unsigned priority_seen(const SwitchConfig& config, const std::function<void(net::Frame&)>& edit) {
  for (unsigned p = 0; p < 8; ++p) {
    const support::FreshKernel kernel;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    net::Frame frame = bench.station(0).frame_to(1, 1000, 0);
    edit(frame);
    bench.station(0).queue(frame);
    bench.station(1).send_pfc(static_cast<std::uint8_t>(1U << p), 0xFFFF);
    bench.run(100 * kMicrosecond);
    if (bench.station(1).received == 0) return p;
  }
  return 8;
}

TEST(SwitchScheduling, DscpAndPcpGiveThePriorityByTheirMaps) {
  SwitchConfig config = roomy();
  config.classifier.dscp = {{10, 5}, {46, 2}};
  const auto with_dscp = [](std::uint8_t dscp) {
    return [dscp](net::Frame& frame) { frame.ipv4.dscp = dscp; };
  };
  EXPECT_EQ(priority_seen(config, with_dscp(10)), 5U);
  EXPECT_EQ(priority_seen(config, with_dscp(46)), 2U);
  EXPECT_EQ(priority_seen(config, with_dscp(47)), 5U) << "not listed: DSCP / 8";
  config.classifier.trust = Trust::kPcp;
  config.classifier.pcp = {{1, 7}};
  config.classifier.port_priority = 4;
  const auto with_pcp = [](std::uint8_t pcp) {
    return [pcp](net::Frame& frame) {
      frame.ipv4.dscp = 10;
      frame.ethernet.has_vlan = true;
      frame.ethernet.pcp = pcp;
    };
  };
  EXPECT_EQ(priority_seen(config, with_pcp(1)), 7U);
  EXPECT_EQ(priority_seen(config, with_pcp(6)), 6U);
  EXPECT_EQ(priority_seen(config, with_dscp(10)), 4U) << "no tag: the port's";
}

/// 1,000 frames of station 0 wait before 10 of station 1 come. Returns after how many of station 0
/// the last of station 1 leaves.
std::size_t flood_before_victim(Arbitration arbitration) {
  const support::FreshKernel kernel;
  SwitchConfig config = roomy();
  config.arbitration = arbitration;
  SwitchBench bench(config, {link_of(100, 1), link_of(100, 1), link_of(100, 1)});
  for (int i = 0; i < 1000; ++i) bench.station(0).queue(bench.station(0).frame_to(2, 1000, 0));
  for (int i = 0; i < 10; ++i) {
    bench.station(1).queue(bench.station(1).frame_to(2, 1001, 0), 100 * kMicrosecond);
  }
  bench.station(2).send_pfc(1, 30'000);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  std::size_t flood = 0;
  std::size_t victims = 0;
  for (const auto& arrival : bench.station(2).arrived) {
    const bool victim = net::frame_bytes(arrival.frame) == 1001;
    ++(victim ? victims : flood);
    if (victims == 10) break;
  }
  return flood;
}

TEST(SwitchScheduling, AFloodFromOneIngressStarvesAnotherUnlessTheyTakeTurns) {
  EXPECT_EQ(flood_before_victim(Arbitration::kFifo), 1000U);
  EXPECT_LE(flood_before_victim(Arbitration::kPerIngress), 10U);
}

/// Priorities 3 and 4 share a class; 4 is paused, and its frames from station 0 came first. Returns
/// how many of priority 3 from station 1 arrive meanwhile.
std::uint64_t behind_a_paused_head(Arbitration arbitration) {
  const support::FreshKernel kernel;
  SwitchConfig config = roomy();
  config.arbitration = arbitration;
  config.classifier.traffic_classes = {{4, 3}};
  SwitchBench bench(config, {link_of(100, 1), link_of(100, 1), link_of(100, 1)});
  for (int i = 0; i < 50; ++i) {
    bench.station(0).queue(bench.station(0).frame_to(2, 1000, 4));
    bench.station(1).queue(bench.station(1).frame_to(2, 1000, 3), 20 * kMicrosecond);
  }
  bench.station(2).send_pfc(1U << 4, 0xFFFF);
  bench.run(200 * kMicrosecond);
  const std::uint64_t meanwhile = bench.station(2).received;
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.station(2).received, 100U);
  return meanwhile;
}

TEST(SwitchScheduling, AHeadThatIsPausedHoldsUpTheQueueUnlessIngressesTakeTurns) {
  EXPECT_EQ(behind_a_paused_head(Arbitration::kFifo), 0U);
  EXPECT_EQ(behind_a_paused_head(Arbitration::kPerIngress), 50U);
}

// The egress pipeline takes a frame every 100 ns, less than any of the four ports could.
TEST(SwitchScheduling, PortsShareAnEgressPipelineThatIsTheBottleneck) {
  SwitchConfig config = roomy();
  config.pipeline.ports = 8;
  config.pipeline.egress.interval = 100;
  config.buffers.pfc.enabled = false;
  SwitchBench bench(config, std::vector<LinkConfig>(8, link_of(100, 1)));
  for (unsigned s = 0; s < 4; ++s) {
    auto& station = bench.station(s);
    for (int i = 0; i < 1000; ++i) station.queue(station.frame_to(s + 4, 500, 0));
  }
  bench.run(100 * kMicrosecond);
  std::uint64_t all = 0;
  for (unsigned s = 4; s < 8; ++s) {
    all += bench.station(s).received;
    EXPECT_NEAR(static_cast<double>(bench.station(s).received), 247, 5) << s;
  }
  EXPECT_NEAR(static_cast<double>(all), 989, 5);
}

}  // namespace
}  // namespace railyard
