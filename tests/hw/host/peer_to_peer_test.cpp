// Peer to peer: below one switch, by way of the root complex by access control, and from one root
// port to another.
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

using support::DeviceMemory;
using support::SystemBench;
using support::SystemConfig;

constexpr std::uint32_t kBytes = 1U << 20;

enum class Way : std::uint8_t { kSwitch, kRedirected, kRoot };

SystemConfig config_of(Way way) {
  SystemConfig config;
  config.direct = way == Way::kRoot ? 2 : 0;
  config.below_switch = way == Way::kRoot ? 0 : 2;
  config.host.enumeration.acs_redirect = way == Way::kRedirected;
  config.device_memory = kBytes;
  return config;
}

/// GB/s of writes as they become visible in the memory that is written to.
double rate_of(const DeviceMemory& memory) {
  EXPECT_EQ(memory.written, kBytes);
  const auto bytes = static_cast<double>(memory.written - memory.last_bytes);
  return bytes / static_cast<double>(memory.last_write - memory.first_write) * 1e3;
}

struct Rates {
  double one_way = 0;
  double sum = 0;  // of both ways at once
};

Rates write_rates(Way way) {
  Rates rates;
  for (const bool both : {false, true}) {
    SystemBench bench{config_of(way)};
    bench.run([&](Core& core) {
      core.spend(support::kQuiet);
      bench.device(0).write_elided(bench.bar(1, 4), kBytes);
      if (both) bench.device(1).write_elided(bench.bar(0, 4), kBytes);
    });
    EXPECT_EQ(bench.errors(), "");
    if (both) {
      rates.sum = rate_of(*bench.memories[0]) + rate_of(*bench.memories[1]);
    } else {
      rates.one_way = rate_of(*bench.memories[1]);
      EXPECT_EQ(bench.memories[0]->written, 0U);
    }
    const double through_root = bench.metric("host.root.peer_to_peer");
    const double tlps = both ? 2.0 * kBytes / 256 : 1.0 * kBytes / 256;
    EXPECT_EQ(through_root, way == Way::kSwitch ? 0 : tlps);
  }
  return rates;
}

// 256 B of 280 B of a line of 63.02 GB/s.
constexpr double kLineRate = 57.61;

TEST(PeerToPeer, BelowASwitchBothWaysAreTwiceOne) {
  const Rates rates = write_rates(Way::kSwitch);
  EXPECT_NEAR(rates.one_way, kLineRate, 0.01 * kLineRate);
  EXPECT_NEAR(rates.sum, 2 * kLineRate, 0.02 * 2 * kLineRate);
}

TEST(PeerToPeer, AcrossTheRootBothWaysAreTwiceOne) {
  const Rates rates = write_rates(Way::kRoot);
  EXPECT_NEAR(rates.one_way, kLineRate, 0.01 * kLineRate);
  EXPECT_NEAR(rates.sum, 2 * kLineRate, 0.02 * 2 * kLineRate);
}

TEST(PeerToPeer, RedirectedBothWaysShareTheSwitchesLink) {
  const Rates rates = write_rates(Way::kRedirected);
  EXPECT_NEAR(rates.one_way, kLineRate, 0.015 * kLineRate);
  EXPECT_NEAR(rates.sum, kLineRate, 0.03 * kLineRate);
}

/// From a write's being given to its arrival at a register of the other device.
struct Times {
  Time write = 0;
  Time read = 0;
};

Times latencies(Way way) {
  SystemConfig config = config_of(way);
  config.link.skip_interval = 0;
  SystemBench bench{config};
  Times times;
  bench.run([&](Core& core) {
    core.spend(support::kQuiet);
    const Time start = core.now();
    bench.device(0).write(bench.bar(1, 0) + 64, {1, 2, 3, 4});
    core.spend(support::kQuiet);
    times.write = bench.device(1).writes.at(0).at - start;
    const Time then = core.now();
    bench.device(0).read(bench.bar(1, 4) + 128, 64);
    core.spend(support::kQuiet);
    times.read = bench.device(0).done.at(1).at - then;
  });
  EXPECT_EQ(bench.errors(), "");
  return times;
}

TEST(PeerToPeer, LatenciesDifferByTheCrossingsOfTheWay) {
  const Times below = latencies(Way::kSwitch);
  const Times redirected = latencies(Way::kRedirected);
  const Times root = latencies(Way::kRoot);
  const SystemConfig config;
  const Rate rate = config.link.rate();
  const Time through_switch = config.pcie_switch.latency;
  const Time through_root = config.host.root.request_latency;
  // A picosecond may be lost at each line that starts anew.
  constexpr double kRounding = 4;
  const auto near = [](Time a, Time b, const char* what) {
    EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b), kRounding) << what;
  };
  near(root.write - below.write, through_root - through_switch, "the root in place of the switch");
  near(root.read - below.read, 2 * (through_root - through_switch), "the same there and back");
  // Up and down again: two lines, the root complex, and the switch a second time.
  const Time up_and_down = 2 * config.link.latency + through_root + through_switch;
  near(redirected.write - below.write, up_and_down + 2 * rate.time_of(28), "a write of 4 B");
  near(redirected.read - below.read, 2 * up_and_down + 2 * (rate.time_of(24) + rate.time_of(84)),
       "a read of 64 B");
}

TEST(PeerToPeer, BytesArriveAsTheyWereAlsoUnderTheIommu) {
  for (const Way way : {Way::kSwitch, Way::kRedirected, Way::kRoot}) {
    for (const bool iommu : {false, true}) {
      if (iommu && way == Way::kSwitch) continue;  // a switch routes by what the device wrote
      SystemConfig config = config_of(way);
      config.host.root.iommu.enabled = iommu;
      SystemBench bench{config};
      std::vector<std::uint8_t> bytes(5000);
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
      bench.run([&](Core& core) {
        // Redirected, an address has to be that of the other device for the switch to redirect it.
        const std::uint64_t target = bench.bar(1, 4);
        const bool moved = iommu && way == Way::kRoot;
        const std::uint64_t address = moved ? 0x7000'0000 : target;
        if (iommu) {
          EXPECT_EQ(bench.host.root().iommu().map(bench.device(0).endpoint.id(), address, target,
                                                  1U << 16, true),
                    pcie::MapStatus::kDone);
        }
        bench.device(0).write(address + 1001, bytes);
        bench.device(0).read(address + 1001, 5000, false, true);
        core.spend(support::kQuiet);
      });
      const auto& memory = bench.memories[1]->bytes();
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), memory.begin() + 1001));
      ASSERT_EQ(bench.device(0).done.size(), 2U);
      EXPECT_EQ(bench.device(0).done[1].bytes, bytes);
      EXPECT_EQ(bench.errors(), "");
    }
  }
}

}  // namespace
}  // namespace railyard
