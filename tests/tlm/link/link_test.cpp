#include "tlm/link/link.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "tests/support/allocations.h"
#include "tests/support/fresh_kernel.h"
#include "tests/support/link_bench.h"
#include "tests/support/link_drift.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using support::LinkBench;
using support::metric;
using testing::HasSubstr;

LinkConfig fast_link() {
  LinkConfig config;
  config.rate = Rate::gbps(400);
  config.length = metres(20);  // 100 ns
  return config;
}

TEST(Link, AFrameArrivesAfterPreambleSerialisationAndPropagation) {
  LinkBench bench(fast_link());
  bench.run(1, 1000);  // 1018 B from destination address to FCS
  ASSERT_EQ(bench.right.received.size(), 1U);
  const PacketPhase& phase = bench.right.received[0].phase;
  EXPECT_EQ(phase.first_bit, 8 * 20 + 100'000);
  EXPECT_EQ(phase.last_bit, (8 + 1018) * 20 + 100'000);
  EXPECT_EQ(bench.simulation.now(), phase.last_bit);
}

TEST(Link, CutThroughIsAnnouncedAtTheFirstBit) {
  std::vector<Time> seen;
  LinkBench bench(fast_link(), {}, Announce::kFirstBit);
  bench.right.on_packet = [&](net::Packet&, const PacketPhase& phase) {
    seen.push_back(bench.simulation.now());
    EXPECT_EQ(bench.simulation.now(), phase.first_bit);
  };
  bench.run(3, 1000);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[1] - seen[0], (8 + 1018 + 12) * 20);
}

TEST(Link, ManyFramesAreUnderWayAtOnceAndArriveInOrder) {
  LinkConfig config = fast_link();
  config.length = metres(10'000);  // 50 us
  LinkBench bench(config);
  bench.run(5000, 1000);
  ASSERT_EQ(bench.right.received.size(), 5000U);
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(bench.right.received[i].packet->id, i);
}

class LinkDrift : public support::LinkRates {};

TEST_P(LinkDrift, AGigabyteDoesNotDrift) { support::expect_no_drift(rate(), 1'000'000'000); }

INSTANTIATE_TEST_SUITE_P(Rates, LinkDrift, support::every_rate());

TEST(Link, AllocatesNothingAPacketOnceWarm) {
  LinkBench bench(fast_link());
  std::uint64_t at_warm = 0;
  std::uint64_t at_end = 0;
  bench.right.on_packet = [&](net::Packet& packet, const PacketPhase&) {
    if (packet.id == 1000) at_warm = support::allocations();
    if (packet.id == 99'999) at_end = support::allocations();
  };
  bench.run(100'000, 1000);
  EXPECT_GT(at_warm, 0U);
  EXPECT_EQ(at_end, at_warm);
}

TEST(Link, BitErrorsSpoilAsManyFramesAsTheyShould) {
  LinkConfig config = fast_link();
  config.bit_error_rate = 1e-5;
  LinkBench bench(config);
  std::uint64_t bad = 0;
  bench.right.on_packet = [&](net::Packet& packet, const PacketPhase&) {
    bad += packet.bad_fcs ? 1 : 0;
  };
  constexpr double kFrames = 100'000;
  bench.run(100'000, 1000);
  const double p = 1 - std::pow(1 - 1e-5, 1018 * 8);
  EXPECT_NEAR(static_cast<double>(bad), kFrames * p, 4 * std::sqrt(kFrames * p * (1 - p)));
  EXPECT_EQ(metric(bench.simulation, "right_link.rx_corrupted"), bad);
}

/// Sends a packet that its sender keeps, over a link that will break it.
void expect_only_the_copy_is_bad(LinkBench& bench, std::uint32_t payload_bytes) {
  const Ref<net::Packet> kept = bench.simulation.partition().packets().packets.acquire();
  kept->frame.payload_bytes = payload_bytes;
  kept->seal();
  bench.left.send_now(*kept);
  bench.simulation.run(kSecond);
  ASSERT_EQ(bench.right.received.size(), 1U);
  EXPECT_TRUE(bench.right.received[0].packet->bad_fcs);
  EXPECT_FALSE(kept->bad_fcs);
}

TEST(Link, TheSendersPacketStaysWholeWhenItsCopyIsSpoilt) {
  LinkConfig config = fast_link();
  config.bit_error_rate = 1;
  LinkBench bench(config);
  expect_only_the_copy_is_bad(bench, 100);
}

TEST(Link, DropsAreCountedAndNeverDelivered) {
  LinkConfig config = fast_link();
  config.drop_probability = 0.25;
  LinkBench bench(config);
  bench.run(10'000, 100);
  const std::uint64_t dropped = metric(bench.simulation, "left_link.tx_dropped");
  EXPECT_NEAR(static_cast<double>(dropped), 2500, 4 * std::sqrt(10'000 * 0.25 * 0.75));
  EXPECT_EQ(bench.right.received.size() + dropped, 10'000U);
}

TEST(Link, AnOutageLosesWhatIsUnderWayAndWhatIsSentMeanwhile) {
  LinkConfig config = fast_link();
  config.outages = {{10 * kMicrosecond, 5 * kMicrosecond}};
  LinkBench bench(config);
  std::vector<PacketPhase::Kind> told;
  bench.right.on_line = [&](const PacketPhase& phase) { told.push_back(phase.kind); };
  bench.run(1000, 1000);
  EXPECT_THAT(told, testing::ElementsAre(PacketPhase::Kind::kLinkDown, PacketPhase::Kind::kLinkUp));
  const std::uint64_t lost = metric(bench.simulation, "left_link.lost_down") +
                             metric(bench.simulation, "right_link.lost_down");
  EXPECT_EQ(bench.right.received.size() + lost, 1000U);
  // 5 us of sending (a frame takes 20.76 ns) and 100 ns of cable
  EXPECT_NEAR(static_cast<double>(lost), 5100 / 20.76, 2);
}

TEST(Link, AFrameCutShortAfterItsFirstBitWasAnnouncedIsBad) {
  LinkConfig config = fast_link();
  config.outages = {{105 * kNanosecond, 0}};
  LinkBench bench(config, {}, Announce::kFirstBit);  // the first bit comes at 100.16 ns
  bench.run(1, 9000);
  ASSERT_EQ(bench.right.received.size(), 1U);
  EXPECT_TRUE(bench.right.received[0].packet->bad_fcs);
  EXPECT_EQ(metric(bench.simulation, "right_link.rx_corrupted"), 1U);
}

TEST(Link, TheSendersPacketStaysWholeWhenAnOutageCutsIt) {
  LinkConfig config = fast_link();
  config.outages = {{105 * kNanosecond, 0}};
  LinkBench bench(config, {}, Announce::kFirstBit);
  expect_only_the_copy_is_bad(bench, 9000);
}

TEST(Link, TwoPartitionsMeasureWhatOneDoes) {
  std::vector<std::vector<std::string>> reports;
  for (const std::size_t partitions : {1, 2}) {
    const support::FreshKernel kernel;
    LinkConfig config = fast_link();
    config.bit_error_rate = 1e-6;
    config.drop_probability = 0.01;
    config.outages = {{20 * kMicrosecond, kMicrosecond}};
    SimulationConfig run;
    run.partitions = partitions;
    LinkBench bench(config, run);
    bench.run(10'000, 777);
    std::vector<std::string>& report = reports.emplace_back();
    for (const Metric& m : bench.simulation.metrics()) {
      report.push_back(m.info.name + "=" + std::to_string(m.value.real));
    }
    for (const auto& r : bench.right.received) report.push_back(std::to_string(r.phase.last_bit));
    bench.right.received.clear();
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST(Link, AnotherSeedGivesOtherErrors) {
  std::vector<std::uint64_t> corrupted;
  for (const std::uint64_t seed : {1, 2}) {
    const support::FreshKernel kernel;
    LinkConfig config = fast_link();
    config.bit_error_rate = 1e-6;
    SimulationConfig run;
    run.seed = seed;
    LinkBench bench(config, run);
    bench.run(50'000, 777);
    corrupted.push_back(metric(bench.simulation, "right_link.rx_corrupted"));
  }
  EXPECT_NE(corrupted[0], corrupted[1]);
}

TEST(Link, NoDelayOverAPartitionsBorderIsRefused) {
  LinkConfig config = fast_link();
  config.length = Length{0};
  SimulationConfig run;
  run.partitions = 2;
  EXPECT_THROW(LinkBench(config, run), ConfigError);
}

TEST(Link, TwoFramesAtOnceOnOneLineBreakAnInvariant) {
  LinkBench bench(fast_link());
  bench.left_to_send = 10;
  bench.send_next();
  EXPECT_THROW(bench.send_next(), sc_core::sc_report);
}

}  // namespace
}  // namespace railyard
