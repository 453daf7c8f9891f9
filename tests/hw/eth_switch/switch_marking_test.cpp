// ECN of a switch: which frames of a queue that was filled and then let go leave with CE.
#include <cmath>
#include <functional>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

constexpr Bytes kBytes = 1000;
constexpr std::size_t kMarkedFrames = 100;

/// What happened to frames 0 to 99, which came while their port was paused and left when it was
/// not.
enum class Fate : std::uint8_t { kLost, kPassed, kMarked };
struct Outcome {
  std::vector<Fate> fates = std::vector<Fate>(kMarkedFrames, Fate::kLost);
  std::size_t count(Fate fate) const {
    return static_cast<std::size_t>(std::count(fates.begin(), fates.end(), fate));
  }
};

Outcome fill_and_release(const SwitchConfig& config, unsigned priority = 3,
                         net::Ecn ecn = net::Ecn::kEct0) {
  const support::FreshKernel kernel;
  SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
  net::Frame frame = bench.station(0).frame_to(1, kBytes, priority);
  frame.ipv4.ecn = ecn;
  for (std::size_t i = 0; i < kMarkedFrames; ++i) bench.station(0).queue(frame);
  bench.station(1).send_pfc(static_cast<std::uint8_t>(1U << priority), 10'000);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  Outcome outcome;
  for (const auto& arrival : bench.station(1).arrived) {
    const bool marked = ecn != net::Ecn::kCe && arrival.frame.ecn() == net::Ecn::kCe;
    EXPECT_EQ(arrival.frame.ecn(), marked ? net::Ecn::kCe : ecn);
    outcome.fates[arrival.id] = marked ? Fate::kMarked : Fate::kPassed;
  }
  EXPECT_EQ(bench.metric("sw.port1.ecn_marked"), outcome.count(Fate::kMarked));
  EXPECT_EQ(bench.metric("sw.dropped_wred"), outcome.count(Fate::kLost));
  EXPECT_EQ(bench.metric("sw.port0.ecn_marked"), 0);
  return outcome;
}

SwitchConfig step(WredPoint point, Bytes at) {
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 0;
  config.ecn.point = point;
  config.ecn.kmin = config.ecn.kmax = at;
  return config;
}

// Frame i finds i frames before it, and leaves 99 - i behind it.
TEST(SwitchMarking, AtEnqueueByTheDepthThatAFrameFinds) {
  const Outcome outcome = fill_and_release(step(WredPoint::kEnqueue, 20 * kBytes));
  for (std::size_t i = 0; i < kMarkedFrames; ++i) {
    EXPECT_EQ(outcome.fates[i], i > 20 ? Fate::kMarked : Fate::kPassed) << i;
  }
}

TEST(SwitchMarking, AtDequeueByTheDepthThatAFrameLeaves) {
  const Outcome outcome = fill_and_release(step(WredPoint::kDequeue, 20 * kBytes));
  for (std::size_t i = 0; i < kMarkedFrames; ++i) {
    EXPECT_EQ(outcome.fates[i], kMarkedFrames - 1 - i > 20 ? Fate::kMarked : Fate::kPassed) << i;
  }
}

TEST(SwitchMarking, ByTheAveragedDepth) {
  for (const std::uint32_t weight : {1, 3, 5}) {
    SwitchConfig config = step(WredPoint::kEnqueue, 30 * kBytes);
    config.ecn.average_weight = weight;
    const Outcome outcome = fill_and_release(config);
    double average = 0;
    for (std::size_t i = 0; i < kMarkedFrames; ++i) {
      average += (static_cast<double>(i * kBytes) - average) / std::ldexp(1.0, weight);
      if (std::abs(average - 30'000) < 2) continue;  // within the integer average's error
      EXPECT_EQ(outcome.fates[i], average > 30'000 ? Fate::kMarked : Fate::kPassed) << i;
    }
  }
}

TEST(SwitchMarking, AClassOfItsOwnProfileMarksByIt) {
  SwitchConfig config = step(WredPoint::kDequeue, 20 * kBytes);
  ClassWredConfig other{5, config.ecn};
  other.wred.kmin = other.wred.kmax = 90 * kBytes;
  other.wred.point = WredPoint::kEnqueue;
  config.ecn_classes = {other, {0, config.ecn}};
  config.ecn_classes[1].wred.enabled = false;
  EXPECT_EQ(fill_and_release(config, 3).count(Fate::kMarked), 79U);
  EXPECT_EQ(fill_and_release(config, 5).count(Fate::kMarked), 9U);
  EXPECT_EQ(fill_and_release(config, 0).count(Fate::kMarked), 0U);
}

TEST(SwitchMarking, NoneAtKminOrBelowAllAboveKmaxAndALineBetween) {
  SwitchConfig config = step(WredPoint::kDequeue, 20 * kBytes);
  config.ecn.kmax = 60 * kBytes;
  std::vector<int> marks(kMarkedFrames);
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    const support::FreshKernel kernel;
    SimulationConfig simulation;
    simulation.seed = static_cast<std::uint64_t>(run) + 1;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)}, 0, simulation);
    auto& station = bench.station(0);
    for (std::size_t i = 0; i < kMarkedFrames; ++i) station.queue(station.frame_to(1, kBytes, 3));
    bench.station(1).send_pfc(1U << 3, 10'000);
    bench.run();
    for (const auto& arrival : bench.station(1).arrived) {
      marks[kMarkedFrames - 1 - arrival.id] += arrival.frame.ecn() == net::Ecn::kCe;  // by depth
    }
  }
  double slope = 0;
  double expected = 0;
  for (std::size_t depth = 0; depth < kMarkedFrames; ++depth) {
    if (depth <= 20 || depth >= 60) {
      EXPECT_EQ(marks[depth], depth <= 20 ? 0 : kRuns) << depth;
      continue;
    }
    slope += marks[depth];
    expected += kRuns * static_cast<double>(depth - 20) / 40;
  }
  EXPECT_NEAR(slope / expected, 1, 0.05);
}

TEST(SwitchMarking, AFrameOfNoEctPassesUnlessItIsToBeDropped) {
  for (const WredPoint point : {WredPoint::kEnqueue, WredPoint::kDequeue}) {
    SwitchConfig config = step(point, 20 * kBytes);
    EXPECT_EQ(fill_and_release(config, 3, net::Ecn::kNotEct).count(Fate::kPassed), kMarkedFrames);
    config.ecn.drop_non_ect = true;
    EXPECT_EQ(fill_and_release(config, 3, net::Ecn::kNotEct).count(Fate::kPassed), 21U);
    EXPECT_EQ(fill_and_release(config, 3, net::Ecn::kEct1).count(Fate::kMarked), 79U);
  }
}

TEST(SwitchMarking, AFrameThatHasCePassesUncounted) {
  for (const WredPoint point : {WredPoint::kEnqueue, WredPoint::kDequeue}) {
    SwitchConfig config = step(point, 20 * kBytes);
    config.ecn.drop_non_ect = true;
    EXPECT_EQ(fill_and_release(config, 3, net::Ecn::kCe).count(Fate::kPassed), kMarkedFrames);
  }
}

// A sender that keeps its packet to send it again finds it as it was.
TEST(SwitchMarking, LeavesAPacketAloneThatItsSenderHolds) {
  for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
    const support::FreshKernel kernel;
    SwitchConfig config = step(WredPoint::kDequeue, 0);
    config.switching = switching;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    std::vector<Ref<net::Packet>> kept;
    std::vector<std::unique_ptr<bench::Timer>> timers;
    for (int i = 0; i < 20; ++i) {
      const auto send = [&bench, &kept] {
        auto& station = bench.station(0);
        Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
        packet->frame = station.frame_to(1, kBytes, 3);
        packet->id = station.sent++;
        packet->seal();
        kept.push_back(packet);
        station.stub.send_now(*packet);
      };
      timers.push_back(
          std::make_unique<bench::Timer>(bench.partition, Time{100} * i * kNanosecond, send));
    }
    bench.station(1).send_pfc(1U << 3, 1000);
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    std::size_t marked = 0;
    for (const auto& a : bench.station(1).arrived) marked += a.frame.ecn() == net::Ecn::kCe;
    EXPECT_GT(marked, 10U);
    EXPECT_EQ(marked, bench.metric("sw.port1.ecn_marked"));
    for (const auto& packet : kept) EXPECT_EQ(packet->frame.ecn(), net::Ecn::kEct0);
  }
}

}  // namespace
}  // namespace railyard
