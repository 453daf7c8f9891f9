// Reads in flight, by Little's law: their bandwidth is what is outstanding over the round trip.
#include <gtest/gtest.h>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

constexpr std::uint32_t kRead = 512;
constexpr Time kRoundTrip = 600 * kNanosecond;

struct MeasuredReads {
  double rate = 0;  // GB/s
  double in_flight = 0;
  double latency = 0;  // ns, of a request, without its wait for a tag
  double tags_share = 0;
};

MeasuredReads run(PairConfig config, std::uint32_t outstanding, unsigned reads, unsigned depth) {
  const support::FreshKernel kernel;
  PairBench bench{config};
  bench.requester.set_limits(config.max_payload, config.max_read_request, outstanding);
  bench.keeps = false;
  unsigned given = 0;
  const auto give = [&] {
    if (given < reads) bench.read(std::uint64_t{given++} % 64 * 4096, kRead, true);
  };
  bench.on_done = [&](const DmaDone&) { give(); };
  bench.run([&] {
    for (unsigned i = 0; i < depth; ++i) give();
  });
  // Until the last answer: acknowledgements follow it.
  const double time = static_cast<double>(bench.last_done) / kNanosecond;
  const double all = static_cast<double>(bench.simulation.now()) / kNanosecond;
  MeasuredReads m;
  m.rate = double{kRead} * reads / time;
  m.in_flight = bench.metric("dma.reads_in_flight_mean") * all / time;
  for (const auto& [name, value] : bench.metrics()) {
    if (name.rfind("dma.read_stage.", 0) == 0) m.latency += value;
  }
  m.latency -= bench.metric("dma.read_stage.tag_ns");
  m.tags_share = bench.metric("device.time.tags_ns") / all;
  return m;
}

// Memory as slow as makes one read of 512 B take the round trip.
PairConfig at_round_trip() {
  PairConfig config;
  config.requester.tags = 256;
  const support::FreshKernel kernel;
  PairBench bench{config};
  bench.run([&] { bench.read(0, kRead, true); });
  config.memory_latency += kRoundTrip - bench.last_done;
  return config;
}

void expect_little(const MeasuredReads& m, double outstanding) {
  const double expected = outstanding * kRead / (static_cast<double>(kRoundTrip) / kNanosecond);
  EXPECT_NEAR(m.rate / expected, 1, 0.02) << outstanding;
  EXPECT_NEAR(m.in_flight / outstanding, 1, 0.02) << outstanding;
  // The law itself, of what was measured.
  EXPECT_NEAR(m.in_flight * kRead / m.latency / m.rate, 1, 0.002) << outstanding;
}

TEST(PcieOutstandingReads, TagsOverRoundTripBoundTheBandwidth) {
  const PairConfig config = at_round_trip();
  for (const std::uint32_t tags : {8U, 16U, 32U, 59U}) {
    const MeasuredReads m = run(config, tags, 8000, 128);
    expect_little(m, tags);
    EXPECT_GT(m.tags_share, 0.5) << tags;
    if (tags < 59) continue;
    EXPECT_NEAR(m.rate, 50, 1);
  }
}

TEST(PcieOutstandingReads, RoomForCompletionsOverRoundTripBoundsTheBandwidth) {
  PairConfig config = at_round_trip();
  for (const std::uint32_t reads : {8U, 16U, 32U, 59U}) {
    config.requester.completion_room = std::uint64_t{reads} * kRead;
    const MeasuredReads m = run(config, 256, 8000, 128);
    expect_little(m, reads);
    EXPECT_GT(m.tags_share, 0.5) << reads;
  }
}

// Then the line is what limits, and time is not lost for tags.
TEST(PcieOutstandingReads, EnoughTagsLeaveTheBandwidthToTheLine) {
  const MeasuredReads m = run(at_round_trip(), 256, 8000, 128);
  EXPECT_GT(m.rate, 57);
  EXPECT_LT(m.tags_share, 0.01);
}

// A request's parts sum to its latency, the wait for a tag among them.
TEST(PcieOutstandingReads, TheStagesOfARequestSumToItsLatency) {
  const support::FreshKernel kernel;
  PairBench bench{PairConfig{}};
  bench.requester.set_limits(256, 512, 4);
  bench.run([&] {
    for (std::uint32_t i = 0; i < 100; ++i) bench.read(std::uint64_t{i} * 4096, 1000 + i * 17);
  });
  double sum = 0;
  for (const auto& [name, value] : bench.metrics()) {
    if (name.rfind("dma.read_stage.", 0) == 0) sum += value;
  }
  EXPECT_GT(bench.metric("dma.read_stage.tag_ns"), 1000);
  EXPECT_NEAR(sum, bench.metric("dma.request_latency_ns_mean"), 0.01);
}

}  // namespace
}  // namespace railyard::pcie::bench
