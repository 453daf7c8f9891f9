// Once warm, a switch asks the heap for nothing a packet.
#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/allocations.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

// 8:1 at 100G with PFC, ECN, watchdog and statistics, for 4 ms: 48,000 frames, some 2,000 pauses.
TEST(SwitchAlloc, NothingAPacketOnceWarm) {
  for (const Arbitration arbitration : {Arbitration::kFifo, Arbitration::kPerIngress}) {
    for (const Switching switching : {Switching::kStoreAndForward, Switching::kCutThrough}) {
      const support::FreshKernel kernel;
      SwitchConfig config;
      config.arbitration = arbitration;
      config.switching = switching;
      config.buffers.buffer = kibibytes(2048);
      config.watchdog.enabled = true;
      config.watchdog.poll = 100 * kMicrosecond;
      config.ecn.average_weight = 3;
      SwitchBench bench(config, std::vector<LinkConfig>(9, link_of(100, 10)), 394);
      for (unsigned s = 0; s < 8; ++s) {
        auto& station = bench.station(s);
        station.control.reserve(100'000);
        for (int i = 0; i < 7000; ++i) station.queue(station.frame_to(8, 1000, 3));
      }
      bench.station(8).keeps = false;
      std::uint64_t warm = 0;
      std::uint64_t late = 0;
      std::uint64_t frames = 0;
      const bench::Timer first(bench.partition, kMillisecond, [&] {
        warm = support::allocations();
        frames = bench.station(8).received;
      });
      const bench::Timer last(bench.partition, 4 * kMillisecond, [&] {
        late = support::allocations();
        frames = bench.station(8).received - frames;
      });
      bench.run(4100 * kMicrosecond);
      EXPECT_GT(warm, 0U);
      EXPECT_EQ(late, warm);
      EXPECT_GT(frames, 30'000U);
      EXPECT_GT(bench.metric("sw.port8.ecn_marked"), 1000);
      EXPECT_GT(bench.metric("sw.port0.pfc_xoff_sent"), 50);
    }
  }
}

}  // namespace
}  // namespace railyard
