// Registers of devices, configuration space, write combining.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/hw/host/core_bench.h"
#include "tests/support/link_bench.h"

namespace railyard::host {
namespace {

using support::CoreBench;
using support::kNs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Address kDevice = CoreBench::kDevice;

/// (address, bytes) of all writes that the device got.
std::vector<std::pair<Address, std::size_t>> shapes(const CoreBench& bench) {
  std::vector<std::pair<Address, std::size_t>> all;
  for (const auto& write : bench.port.writes) all.emplace_back(write.address, write.bytes.size());
  return all;
}

std::vector<std::uint8_t> numbers(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

TEST(HostCoreDevice, AStoreIsPostedAndCostsOnlyItself) {
  CoreBench bench;
  bench.core([&](Core& core) {
    core.store(kDevice + 4, 0xAABBCCDD, 4);
    EXPECT_EQ(core.now(), 10 * kNs);
    core.store(kDevice + 8, 1, 8);
  });
  bench.run();
  ASSERT_EQ(bench.port.writes.size(), 2U);
  EXPECT_EQ(bench.port.writes[0].at, 10 * kNs);
  EXPECT_EQ(bench.port.writes[0].address, kDevice + 4);
  EXPECT_THAT(bench.port.writes[0].bytes, ElementsAre(0xDD, 0xCC, 0xBB, 0xAA));
  EXPECT_EQ(bench.port.writes[1].bytes.size(), 8U);
}

TEST(HostCoreDevice, ALoadWaitsForItsAnswer) {
  CoreBench bench;
  bench.port.registers[kDevice] = 0x1122334455667788;
  bench.core([&](Core& core) {
    EXPECT_EQ(core.load(kDevice, 4), 0x55667788U);
    EXPECT_EQ(core.now(), 800 * kNs);
  });
  bench.run();
  EXPECT_THAT(bench.port.reads, ElementsAre(std::make_pair(kDevice, 4U)));
  EXPECT_EQ(support::metric(bench.simulation, "core0.device_read_count"), 1U);
  EXPECT_EQ(bench.errors.count(), 0U);
}

TEST(HostCoreDevice, ALoadThatFailsReadsAsAllOnesAndTheErrorLogSaysSo) {
  CoreBench bench;
  bench.core([&](Core& core) { EXPECT_EQ(core.load(kDevice + 2, 2), 0xFFFFU); });
  bench.run();
  ASSERT_EQ(bench.errors.count(), 1U);
  EXPECT_THAT(bench.errors.entries()[0].what, HasSubstr("unsupported request"));
  EXPECT_THAT(bench.errors.entries()[0].what, HasSubstr("0xc0000002"));
}

TEST(HostCoreDevice, CoresThatReadAtOneTimeEachGetTheirOwnAnswer) {
  CoreBench bench;
  std::vector<std::uint64_t> got(3);
  for (std::size_t i = 0; i < 3; ++i) {
    bench.port.registers[kDevice + 8 * i] = 100 + i;
    bench.core([&got, i](Core& core) { got[i] = core.load(kDevice + 8 * i, 8); });
  }
  bench.run();
  EXPECT_THAT(got, ElementsAre(100, 101, 102));
}

TEST(HostCoreDevice, AStoreWaitsWhileThereIsNoRoom) {
  CoreBench bench;
  bench.port.room = 1;
  bench.at(kMicrosecond, [&] {
    bench.port.room = 1;
    bench.port.listener().cpu_room();
  });
  bench.core([&](Core& core) {
    core.store(kDevice, 1, 4);
    core.store(kDevice, 2, 4);
    EXPECT_EQ(core.now(), kMicrosecond);
  });
  bench.run();
  EXPECT_EQ(bench.port.writes.size(), 2U);
  EXPECT_EQ(support::metric(bench.simulation, "core0.room_wait"), 980'000U);
}

TEST(HostCoreDevice, RoomGoesToWhoHasWaitedLongest) {
  CoreBench bench;
  bench.port.room = 0;
  for (int i = 1; i <= 6; ++i) {
    bench.at(i * kMicrosecond, [&] {
      bench.port.room = 1;
      bench.port.listener().cpu_room();
    });
  }
  // Named so that the one that waits longest comes last by name.
  bench.core("b", [](Core& core) {
    for (std::uint64_t i = 0; i < 3; ++i) core.store(kDevice, i, 4);
  });
  bench.core("a", [](Core& core) {
    core.spend(5 * kNs);
    for (std::uint64_t i = 0; i < 3; ++i) core.store(kDevice + 8, i, 4);
  });
  bench.run();
  std::vector<Address> order;
  for (const auto& write : bench.port.writes) order.push_back(write.address - kDevice);
  EXPECT_THAT(order, ElementsAre(0, 8, 0, 8, 0, 8));
}

TEST(HostCoreDevice, WhoComesWhenThereIsRoomDoesNotPassWhoWaited) {
  CoreBench bench;
  bench.port.room = 0;
  for (int i = 1; i <= 2; ++i) {
    bench.at(i * kMicrosecond, [&] {
      bench.port.room = 1;
      bench.port.listener().cpu_room();
    });
  }
  bench.core("a", [](Core& core) {
    core.spend(990 * kNs);
    core.store(kDevice, 1, 4);  // at 1 us, before the other by name
  });
  bench.core("b", [](Core& core) { core.store(kDevice + 8, 1, 4); });
  bench.run();
  ASSERT_EQ(bench.port.writes.size(), 2U);
  EXPECT_EQ(bench.port.writes[0].address, kDevice + 8);
  EXPECT_EQ(bench.port.writes[0].at, kMicrosecond);
  EXPECT_EQ(bench.port.writes[1].at, 2 * kMicrosecond);
}

TEST(HostCoreDevice, RoomForTwoServesTwo) {
  CoreBench bench;
  bench.port.room = 0;
  bench.at(kMicrosecond, [&] {
    bench.port.room = 2;
    bench.port.listener().cpu_room();
  });
  bench.core([](Core& core) { core.store(kDevice, 1, 4); });
  bench.core([](Core& core) { core.store(kDevice + 8, 1, 4); });
  bench.run();
  ASSERT_EQ(bench.port.writes.size(), 2U);
  EXPECT_EQ(bench.port.writes[1].at, kMicrosecond);
}

TEST(HostCoreDevice, TheEcamWindowIsConfigurationSpace) {
  CoreBench bench;
  bench.port.config[{pcie::DeviceId::of(1, 2, 3).value, 0x10}] = 0x44332211;
  bench.port.config[{pcie::DeviceId::of(1, 2, 3).value, 0x14}] = 0x88776655;
  const Address base = bench.map.config_address(pcie::DeviceId::of(1, 2, 3), 0);
  bench.core([&](Core& core) {
    EXPECT_EQ(core.load(base + 0x10, 4), 0x44332211U);
    EXPECT_EQ(core.now(), 800 * kNs);
    EXPECT_EQ(core.load(base + 0x11, 2), 0x3322U);
    EXPECT_EQ(core.load(base + 0x10, 8), 0x8877665544332211U);
    EXPECT_EQ(core.load(base + 0x13, 3), 0x665544U);  // of two dwords
    const Time before = core.now();
    core.store(base + 0x14, 0xDEADBEEF, 4);  // not posted
    EXPECT_EQ(core.now() - before, 800 * kNs);
    EXPECT_EQ(core.load(base + 0x14, 4), 0xDEADBEEFU);
    EXPECT_EQ(core.load(base + 0x1000, 4), 0xFFFFFFFFU);  // nobody: no error
  });
  bench.run();
  EXPECT_EQ(bench.errors.count(), 0U);
}

TEST(HostCoreCombining, AFullLineGoesOutWholeAtOnce) {
  CoreBench bench;
  const std::vector<std::uint8_t> line = numbers(64);
  bench.core([&](Core& core) {
    core.store_combining(kDevice + 64, line.data(), 40);
    EXPECT_THAT(bench.port.writes, IsEmpty());
    core.store_combining(kDevice + 104, line.data() + 40, 24);
    EXPECT_THAT(shapes(bench), ElementsAre(std::make_pair(kDevice + 64, 64U)));
    EXPECT_EQ(core.now(), 2 * 2 * kNs + 10 * kNs);
  });
  bench.run();
  EXPECT_EQ(bench.port.writes.at(0).bytes, line);
}

TEST(HostCoreCombining, AStoreOverLinesFillsEach) {
  CoreBench bench;
  const std::vector<std::uint8_t> bytes = numbers(200);
  bench.core([&](Core& core) { core.store_combining(kDevice + 32, bytes.data(), 200); });
  bench.run();
  EXPECT_THAT(shapes(bench),
              ElementsAre(std::make_pair(kDevice + 64, 64U), std::make_pair(kDevice + 128, 64U),
                          std::make_pair(kDevice + 32, 32U), std::make_pair(kDevice + 192, 40U)));
  EXPECT_EQ(bench.port.writes[1].bytes[0], 32 + 64 + 1);
}

/// Two lines with holes, then what `flush` does.
void expect_flushed(const std::function<void(Core&)>& flush, bool flushed) {
  CoreBench bench;
  const std::vector<std::uint8_t> bytes = numbers(16);
  std::vector<std::pair<Address, std::size_t>> seen;
  bench.port.registers[kDevice + 0x800] = 0;
  bench.core([&](Core& core) {
    core.store_combining(kDevice + 128 + 8, bytes.data(), 4);
    core.store_combining(kDevice + 4, bytes.data(), 8);
    core.store_combining(kDevice + 128, bytes.data(), 4);
    core.store_combining(kDevice + 128 + 12, bytes.data(), 2);
    flush(core);
    seen = shapes(bench);
  });
  bench.run();
  if (!flushed) {
    EXPECT_THAT(seen, IsEmpty());
    return;
  }
  seen.resize(3);
  EXPECT_THAT(seen,
              ElementsAre(std::make_pair(kDevice + 128, 4U), std::make_pair(kDevice + 136, 6U),
                          std::make_pair(kDevice + 4, 8U)));
}

TEST(HostCoreCombining, AFenceSendsPartsInRunsTheOldestLineFirst) {
  expect_flushed([](Core& core) { core.fence(); }, true);
}
TEST(HostCoreCombining, AnUncachedStoreComesBehindWhatWasCombined) {
  expect_flushed([](Core& core) { core.store(kDevice + 0x900, 1, 4); }, true);
}
TEST(HostCoreCombining, ALoadOfADeviceSendsWhatWasCombined) {
  expect_flushed([](Core& core) { core.load(kDevice + 0x800, 4); }, true);
}
TEST(HostCoreCombining, ALoadOfMemorySendsWhatWasCombined) {
  expect_flushed([](Core& core) { core.load(0x1000, 4); }, true);
}
TEST(HostCoreCombining, AStoreToMemoryAndTimeSendNothing) {
  expect_flushed(
      [](Core& core) {
        core.store(0x1000, 1, 4);
        core.spend(kMillisecond);
      },
      false);
}

TEST(HostCoreCombining, TheOldestLineGoesWhenBuffersRunOut) {
  CoreConfig config;
  config.combining_buffers = 2;
  CoreBench bench(config);
  const std::vector<std::uint8_t> bytes = numbers(8);
  bench.core([&](Core& core) {
    core.store_combining(kDevice + 64, bytes.data(), 8);
    core.store_combining(kDevice, bytes.data(), 8);
    core.store_combining(kDevice + 72, bytes.data(), 8);
    EXPECT_THAT(bench.port.writes, IsEmpty());
    core.store_combining(kDevice + 128, bytes.data(), 8);
    EXPECT_THAT(shapes(bench), ElementsAre(std::make_pair(kDevice + 64, 16U)));
  });
  bench.run();
  EXPECT_EQ(bench.port.writes.size(), 3U);  // a program that ends leaves nothing behind
}

TEST(HostCoreCombining, ALaterStoreReplacesAnEarlierOne) {
  CoreBench bench;
  const std::uint8_t one = 1;
  const std::uint8_t two = 2;
  bench.core([&](Core& core) {
    core.store_combining(kDevice + 3, &one, 1);
    core.store_combining(kDevice + 3, &two, 1);
    core.fence();
  });
  bench.run();
  ASSERT_EQ(bench.port.writes.size(), 1U);
  EXPECT_THAT(bench.port.writes[0].bytes, ElementsAre(2));
}

TEST(HostCoreCombining, AFenceCostsItsTimeAndThatOfItsWrites) {
  CoreBench bench;
  const std::uint8_t one = 1;
  bench.core([&](Core& core) {
    core.fence();
    EXPECT_EQ(core.now(), 10 * kNs);
    core.store_combining(kDevice, &one, 1);
    core.fence();
    EXPECT_EQ(core.now(), 10 * kNs + 2 * kNs + 10 * kNs + 10 * kNs);
  });
  bench.run();
}

}  // namespace
}  // namespace railyard::host
