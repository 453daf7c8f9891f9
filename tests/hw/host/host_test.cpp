// A host and its devices as a whole.
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

using support::SystemBench;
using support::SystemConfig;
using support::TestDevice;

TEST(Host, FindsADeviceAndReachesItsRegisters) {
  SystemBench bench{SystemConfig{}};
  std::uint64_t read = 0;
  bench.run([&](Core& core) {
    core.store(bench.bar(0, 0) + 0x100, 0x1122334455667788, 8);
    read = core.load(bench.bar(0, 0) + 0x10, 8);
  });
  ASSERT_EQ(bench.device(0).writes.size(), 1U);
  EXPECT_EQ(bench.device(0).writes[0].offset, 0x100U);
  EXPECT_EQ(bench.device(0).writes[0].bytes,
            (std::vector<std::uint8_t>{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}));
  EXPECT_EQ(read, 0x1716151413121110U);
  EXPECT_EQ(bench.errors(), "");
}

TEST(Host, ADeviceMovesDataAndRaisesAnInterrupt) {
  for (const bool eager : {false, true}) {
    SystemConfig config;
    config.eager = eager;
    SystemBench bench{config};
    const std::uint64_t data = support::kMemory + 0x10000;
    const std::uint64_t flag = support::kMemory + 0x20000;
    std::uint64_t seen = 0;
    Time start = 0;
    Time polled = 0;
    Time interrupted = 0;
    bench.run([&](Core& core) {
      bench.set_vector(core, 0, 3, 40);
      bench.enable_msix(core, 0);
      start = core.now();
      bench.device(0).write(data, std::vector<std::uint8_t>(9000, 0x5A));
      bench.device(0).write(flag, {1, 0, 0, 0});
      bench.device(0).endpoint.interrupt(3);
      core.poll(flag, 4, [](std::uint64_t value) { return value == 1; });
      polled = core.now();
      seen = core.load(data + 8992, 8);
      core.wait_interrupt(40);
      interrupted = core.now();
      bench.device(0).read(data, 4096);
    });
    EXPECT_EQ(seen, 0x5A5A5A5A5A5A5A5AU);
    // 9,000 B in 36 TLPs take 157 ns on the line; the line, the root complex and memory 300 ns.
    EXPECT_GT(polled - start, 457 * kNanosecond);
    EXPECT_LT(polled - start, 600 * kNanosecond);
    EXPECT_GT(interrupted - polled, config.host.core.interrupt_latency - 150 * kNanosecond);
    ASSERT_EQ(bench.device(0).done.size(), 3U);
    EXPECT_EQ(bench.device(0).done[2].bytes, std::vector<std::uint8_t>(4096, 0x5A));
    EXPECT_EQ(bench.errors(), "");
  }
}

// dma.h promises it, also for a write whose TLPs the line takes at once.
TEST(Host, ATransferIsNeverDoneWithinTheCallThatGivesIt) {
  SystemBench bench{SystemConfig{}};
  bench.run([&](Core& core) {
    core.spend(10 * kMicrosecond);
    bench.device(0).write(support::kMemory, {1});
    EXPECT_EQ(bench.device(0).done.size(), 0U);
  });
  EXPECT_EQ(bench.device(0).done.size(), 1U);
}

}  // namespace
}  // namespace railyard
