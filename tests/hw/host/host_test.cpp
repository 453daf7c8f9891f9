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
  Time before = 0;
  Time took = 0;
  bench.run([&](Core& core) {
    core.store(bench.bar(0, 0) + 0x100, 0x1122334455667788, 8);
    before = core.now();
    read = core.load(bench.bar(0, 0) + 0x10, 8);
    took = core.now() - before;
  });
  std::printf("%s\nread took %ld doorbell %ld\n", bench.found.text().c_str(), took,
              bench.device(0).writes.at(0).at - before);
  ASSERT_EQ(bench.device(0).writes.size(), 1U);
  EXPECT_EQ(bench.device(0).writes[0].offset, 0x100U);
  EXPECT_EQ(bench.device(0).writes[0].bytes.size(), 8U);
  EXPECT_EQ(read, 0x1716151413121110U);
}

TEST(Host, ADeviceMovesDataAndRaisesAnInterrupt) {
  for (const bool eager : {false}) {
    SystemConfig config;
    config.eager = eager;
    SystemBench bench{config};
    const std::uint64_t data = (1ULL << 32) + 0x10000;
    const std::uint64_t flag = (1ULL << 32) + 0x20000;
    std::uint64_t seen = 0;
    Time start = 0, polled = 0, interrupted = 0;
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
    std::printf("poll %ld interrupt %ld\n", polled - start, interrupted - start);
    EXPECT_EQ(seen, 0x5A5A5A5A5A5A5A5AU);
    ASSERT_EQ(bench.device(0).done.size(), 3U);
    EXPECT_EQ(bench.device(0).done[2].bytes, std::vector<std::uint8_t>(4096, 0x5A));
    for (const Metric& m : bench.simulation.metrics())
      if (m.info.name.find("dev0.dma.read_stage") == 0 ||
          m.info.name.find("dev0.dma.request_latency_ns_mean") == 0)
        std::printf("%s %.1f\n", m.info.name.c_str(), m.value.real);
  }
}

TEST(Host, FindsDevicesBelowASwitch) {
  SystemConfig config;
  config.below_switch = 3;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    for (unsigned i = 0; i < 4; ++i) core.store(bench.bar(i, 0) + 8 * i, i, 4);
  });
  std::printf("%s\n", bench.found.text().c_str());
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_EQ(bench.device(i).writes.size(), 1U) << i;
    EXPECT_EQ(bench.device(i).writes[0].offset, 8 * i);
  }
}

}  // namespace
}  // namespace railyard
