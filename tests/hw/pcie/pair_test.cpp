// A requester and memory at the two ends of one link.
#include <gtest/gtest.h>

#include "tests/hw/pcie/pair_bench.h"

namespace railyard::pcie::bench {
namespace {

std::vector<std::uint8_t> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::uint8_t> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::uint8_t>(i * 7 + seed);
  return all;
}

TEST(PcieLink, AWriteReachesMemoryAndAReadBringsItBack) {
  PairBench bench{PairConfig{}};
  const auto bytes = pattern(5000, 3);
  bench.run([&] {
    bench.write(0x1003, bytes);
    bench.read(0x1003, 5000, false, true);
  });
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[1].bytes, bytes);
  EXPECT_EQ(bench.done[1].status, Status::kSuccess);
}

TEST(PcieLink, WritesReachTheClosedForm) {
  PairBench bench{PairConfig{}};
  bench.keeps = false;
  bench.run([&] {
    for (int i = 0; i < 2000; ++i) bench.write_elided(4096U * (i % 16), 4096);
  });
  const double gbps = 2000.0 * 4096 * 8 * 1000 / static_cast<double>(bench.last_done);
  std::printf("%.2f GB/s, events %lu, kernel %lu\n", gbps / 8, bench.hierarchy.scheduler().fired(),
              bench.simulation.kernel_events());
  for (auto& [name, value] : bench.metrics()) {
    if (name.find("time.") != std::string::npos && value > 0) std::printf("%s %.1f\n", name.c_str(), value);
  }
  EXPECT_GT(gbps, 0);
}

TEST(PcieLink, ReadsReachTheClosedForm) {
  PairBench bench{PairConfig{}};
  bench.keeps = false;
  bench.run([&] {
    for (int i = 0; i < 2000; ++i) bench.read(4096U * (i % 16), 4096, true);
  });
  const double gbps = 2000.0 * 4096 * 8 * 1000 / static_cast<double>(bench.last_done);
  std::printf("%.2f GB/s, events %lu, kernel %lu\n", gbps / 8, bench.hierarchy.scheduler().fired(),
              bench.simulation.kernel_events());
  for (auto& [name, value] : bench.metrics()) {
    if ((name.find("time.") != std::string::npos || name.find("dma") == 0) && value > 0) std::printf("%s %.1f\n", name.c_str(), value);
  }
  EXPECT_GT(gbps, 0);
}

TEST(PcieLink, OneWriteOfAPageTakesFewKernelEvents) {
  for (const bool read : {false, true}) {
    PairBench bench{PairConfig{}};
    bench.run([&] { read ? bench.read(0, 4096) : bench.write(0, pattern(4096, 1)); });
    std::printf("kernel %lu steps %lu done %ld\n", bench.simulation.kernel_events(), bench.hierarchy.scheduler().fired(), bench.last_done);
    if (!read) break;
  }
}
TEST(PcieLink, Speed) {
  for (int kind = 0; kind < 1; ++kind) {
    const char* env = getenv("KIND");
    kind = env ? atoi(env) : 0;
    PairConfig config;
    config.checks = false;
    config.eager = kind >= 10;
    PairBench bench{config};
    bench.keeps = false;
    int left = 40000;
    int size = 4096;
    auto next = [&] {
      if (left-- > 0) (kind % 10 == 0) ? bench.write_elided(1ULL<<20, size) : bench.read(1ULL<<20, size, true);
    };
    bench.on_done = [&](const DmaDone&) { next(); };
    auto t0 = std::chrono::steady_clock::now();
    bench.run([&] { for (int i = 0; i < 16; ++i) next(); });
    double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    std::printf("kind %d: %.1f ns a TLP of 256 B, %.2f steps, kernel %.3f\n", kind, s * 1e9 / (40000 * 16), bench.hierarchy.scheduler().fired() / 640000.0, bench.simulation.kernel_events() / 640000.0);
  }
}
TEST(PcieLink, OneReadOfAPageTakesFewKernelEvents) {
    PairBench bench{PairConfig{}};
    bench.run([&] { bench.read(0, 4096); });
    std::printf("kernel %lu steps %lu done %ld\n", bench.simulation.kernel_events(), bench.hierarchy.scheduler().fired(), bench.last_done);
}

}  // namespace
}  // namespace railyard::pcie::bench
