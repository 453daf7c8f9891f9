// How long pauses last: received ones, sent ones as the peer sees them, and those that are kept up.
#include <algorithm>
#include <cstdlib>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

Time quantum_of(std::uint64_t gbps) { return Rate::gbps(gbps).time_of(64); }

TEST(SwitchRefresh, AReceivedPauseLastsItsQuantaFromTheResponseDelayOn) {
  for (const std::uint64_t gbps : {10, 25, 100, 400, 800}) {
    for (const std::uint32_t quanta : {1, 2, 17, 1000, 65'535}) {
      for (const std::uint32_t response : {0, 1, 67, 905}) {
        SCOPED_TRACE(testing::Message() << gbps << "G, " << quanta << " after " << response);
        const support::FreshKernel kernel;
        SwitchConfig config;
        config.buffers.pfc.response_quanta = response;
        SwitchBench bench(config, {link_of(gbps, 3), link_of(gbps, 3)});
        bench.station(1).send_pfc(1U << 3 | 1U << 5, static_cast<std::uint16_t>(quanta));
        EXPECT_EQ(bench.run(), RunEnd::kDrained);
        const auto& obeyed = bench.device->pause_log().obeyed();
        ASSERT_EQ(obeyed.size(), 2U);
        const Time arrives = Rate::gbps(gbps).time_of(72) + 15 * kNanosecond;
        for (const PauseObeyed& pause : obeyed) {
          EXPECT_EQ(pause.port, 1);
          // At the last edge within the response time, which is two cycles at least.
          const Time latest =
              arrives + std::max(Rate::gbps(gbps).time_of(64ULL * response), 2 * config.clock);
          EXPECT_LE(pause.begin, latest);
          EXPECT_GT(pause.begin, latest - config.clock);
          const Time longer = pause.end - pause.begin - Rate::gbps(gbps).time_of(64ULL * quanta);
          EXPECT_LE(std::abs(longer), std::max(quantum_of(gbps), config.clock));
        }
      }
    }
  }
}

// The way back is idle, so nothing but the clock's grid lies between decision and frame.
TEST(SwitchRefresh, ThePeerSeesXoffToXonAsTheBufferDecided) {
  for (const Time clock : {Time{500}, Time{1000}, Time{7000}, 40 * kNanosecond}) {
    for (const std::uint32_t latency : {0, 2, 30}) {
      SCOPED_TRACE(testing::Message() << "clock " << clock << " ps, latency " << latency);
      const support::FreshKernel kernel;
      SwitchConfig config;
      config.clock = clock;
      config.buffers.pfc.latency = latency;
      config.buffers.buffer = kibibytes(1024);
      for (StageConfig* stage :
           {&config.pipeline.mac, &config.pipeline.parser, &config.pipeline.ingress,
            &config.pipeline.buffer, &config.pipeline.scheduler, &config.pipeline.egress}) {
        stage->interval = 0;
      }
      SwitchBench bench(config, {link_of(100, 10), link_of(100, 10), link_of(100, 10)}, 394);
      for (unsigned from = 0; from < 2; ++from) {
        auto& station = bench.station(from);
        for (int i = 0; i < 1500; ++i) station.queue(station.frame_to(2, 1048, 3));
      }
      EXPECT_EQ(bench.run(), RunEnd::kDrained);
      std::size_t pauses = 0;
      for (const unsigned from : {0U, 1U}) {
        std::vector<PauseSent> decided;
        for (const PauseSent& p : bench.device->pause_log().sent()) {
          if (p.port == from) decided.push_back(p);
        }
        const auto& seen = bench.station(from).control;
        ASSERT_EQ(seen.size(), 2 * decided.size());
        const Time bound = std::max(quantum_of(100), clock);
        const Time flight = Rate::gbps(100).time_of(72) + 50 * kNanosecond;
        for (std::size_t i = 0; i < decided.size(); ++i, ++pauses) {
          const auto& [xoff, xoff_frame] = seen[2 * i];
          const auto& [xon, xon_frame] = seen[2 * i + 1];
          EXPECT_EQ(xoff_frame.mac_control.quanta[3], 0xFFFF);
          EXPECT_EQ(xon_frame.mac_control.quanta[3], 0);
          const Time longer = xon - xoff - (decided[i].end - decided[i].begin);
          EXPECT_LE(std::abs(longer), bound);
          const Time waited = xoff - flight - decided[i].begin - clock * latency;
          EXPECT_GE(waited, 0);
          EXPECT_LE(waited, clock);
        }
      }
      EXPECT_GT(pauses, 4U);
    }
  }
}

/// The longest time from one XOFF to the next before XON, at a peer whose incoming line is full of
/// the largest frames.
struct Gaps {
  Time longest = 0;
  std::size_t refreshes = 0;
};
Gaps gaps_of(std::uint64_t gbps, Switching switching, std::uint8_t also_paused) {
  const support::FreshKernel kernel;
  SwitchConfig config;
  config.switching = switching;
  config.buffers.pfc.quanta = 1024;
  config.buffers.pfc.priorities = {3, 4};
  config.buffers.pfc.response_quanta = 0;
  config.buffers.headroom.largest_frame = 16'384;
  config.buffers.lossless.alpha = {-7};
  SwitchBench bench(config, {link_of(gbps, 2000), link_of(gbps, 3), link_of(gbps, 3)}, 0);
  for (int i = 0; i < 600; ++i) {
    bench.station(0).queue(bench.station(0).frame_to(2, 4000, i % 2 == 0 ? 3 : 4));
    bench.station(1).queue(bench.station(1).frame_to(0, 16'384, 0));
  }
  const Time quantum = quantum_of(gbps);
  const bench::PauseStorm storm(bench, bench.station(2), 1U << 3, 0xFFFF, 0, 60'000 * quantum,
                                100'000 * quantum);
  // The other priority comes and goes, which moves the refresh that both share.
  const bench::PauseStorm other(bench, bench.station(2), also_paused, 700, 0, 1'777 * quantum,
                                100'000 * quantum);
  bench.run(100'000 * quantum);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  Gaps gaps;
  Time last = kForever;
  for (const auto& [at, frame] : bench.station(0).control) {
    if ((frame.mac_control.enable_vector >> 3 & 1U) == 0) continue;
    if (last != kForever) gaps.longest = std::max(gaps.longest, at - last);
    last = frame.mac_control.quanta[3] == 0 ? kForever : at;
    ++gaps.refreshes;
  }
  EXPECT_NE(last, kForever) << "the pause stands";
  EXPECT_LT(100'000 * quantum - last, 1024 * quantum);
  return gaps;
}

TEST(SwitchRefresh, NoPauseRunsOutAtThePeerWithTheLeastQuantaAndTheLargestFrames) {
  for (const std::uint64_t gbps : {10, 25, 400}) {
    for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
      for (const unsigned other : {0U, 1U << 4}) {
        SCOPED_TRACE(testing::Message() << gbps << "G, other priorities " << other);
        const Gaps gaps = gaps_of(gbps, switching, static_cast<std::uint8_t>(other));
        EXPECT_LT(gaps.longest, 1024 * quantum_of(gbps));
        EXPECT_GT(gaps.longest, 512 * quantum_of(gbps)) << "the line was never busy";
        EXPECT_GT(gaps.refreshes, 60U);
      }
    }
  }
}

}  // namespace
}  // namespace railyard
