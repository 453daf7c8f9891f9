// Stores of cores to devices: write combining, order, and what happens when the path is full.
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

using support::SystemBench;
using support::SystemConfig;
using support::TestDevice;

constexpr std::uint64_t kDoorbell = 0x8000;
constexpr unsigned kLines = 200;

std::vector<std::uint8_t> line_of(unsigned number) {
  std::vector<std::uint8_t> line(64);
  for (unsigned i = 0; i < 64; ++i) line[i] = static_cast<std::uint8_t>(number * 31 + i);
  return line;
}

/// A device that takes a write at a time and stalls.
SystemConfig slow_device() {
  SystemConfig config;
  config.endpoint.credits.posted_headers = 1;
  config.endpoint.credits.posted_data = 16;
  config.host.root.posted_writes = 4;
  config.link.receive_stall.probability = 0.2;
  return config;
}

TEST(WriteCombining, ALineGoesAsOneTlpAndTheDoorbellComesBehindAll) {
  SystemBench bench{SystemConfig{}};
  double before = 0;
  double after = 0;
  bench.run([&](Core& core) {
    core.spend(10 * kMicrosecond);
    before = bench.metric("host.root.port0.tx_tlps");
    for (unsigned i = 0; i < kLines; ++i) {
      // In pieces, of which the first are not in the order of addresses.
      core.store_combining(bench.bar(0, 0) + 64 * i + 16, line_of(i).data() + 16, 8);
      core.store_combining(bench.bar(0, 0) + 64 * i, line_of(i).data(), 16);
      core.store_combining(bench.bar(0, 0) + 64 * i + 24, line_of(i).data() + 24, 40);
    }
    core.store_combining(bench.bar(0, 0) + 64 * kLines, line_of(0).data(), 20);
    core.fence();
    core.store(bench.bar(0, 0) + kDoorbell, 1, 4);
    core.spend(10 * kMicrosecond);
    after = bench.metric("host.root.port0.tx_tlps");
  });
  EXPECT_EQ(after - before, kLines + 2);
  const auto& writes = bench.device(0).writes;
  ASSERT_EQ(writes.size(), kLines + 2);
  for (unsigned i = 0; i < kLines; ++i) {
    EXPECT_EQ(writes[i].offset, 64 * i);
    EXPECT_EQ(writes[i].bytes, line_of(i));
  }
  EXPECT_EQ(writes[kLines].bytes.size(), 20U) << "a line that is not full goes at the fence";
  EXPECT_EQ(writes[kLines + 1].offset, kDoorbell);
  EXPECT_EQ(bench.errors(), "");
}

TEST(WriteCombining, ACoreWaitsForRoomAndAllArrivesInOrder) {
  for (const bool fast : {true, false}) {
    SystemBench bench{fast ? SystemConfig{} : slow_device()};
    bench.run([&](Core& core) {
      for (unsigned i = 0; i < kLines; ++i) {
        core.store_combining(bench.bar(0, 0) + 64 * i, line_of(i).data(), 64);
        if (i % 10 != 0) continue;
        core.fence();
        core.store(bench.bar(0, 0) + kDoorbell, i, 4);
      }
    });
    unsigned line = 0;
    unsigned doorbells = 0;
    for (const TestDevice::Write& write : bench.device(0).writes) {
      if (write.offset == kDoorbell) {
        EXPECT_EQ(write.bytes[0], static_cast<std::uint8_t>(10 * doorbells++));
        EXPECT_EQ(line, 10 * doorbells - 9);
        continue;
      }
      EXPECT_EQ(write.offset, 64 * line);
      EXPECT_EQ(write.bytes, line_of(line));
      ++line;
    }
    EXPECT_EQ(line, kLines);
    EXPECT_EQ(doorbells, kLines / 10);
    const double waited = bench.metric("host.core0.room_wait");
    if (fast) {
      EXPECT_EQ(waited, 0);
    } else {
      EXPECT_GT(waited, 20.0 * kMicrosecond);
    }
  }
}

// Nobody watches such writes, so nothing but the cores' waiting calls for their being on time.
TEST(WriteCombining, CoresWaitForRoomAlsoWhenTheyWriteMemoryOfDevices) {
  SystemConfig config = slow_device();
  config.device_memory = 1U << 20;
  config.direct = 2;
  config.cores = {0, 0};
  std::vector<Time> ends[2];
  for (const bool eager : {false, true}) {
    config.eager = eager;
    SystemBench bench{config};
    bool ready = false;
    const auto store = [&](Core& core, unsigned which) {
      for (unsigned i = 0; i < kLines; ++i) {
        core.store_combining(bench.bar(which, 4) + 64 * i, line_of(i).data(), 64);
        ends[eager ? 1 : 0].push_back(core.now());
      }
    };
    bench.host.core(1).set_program([&](Core& core) {
      while (!ready) core.spend(kMicrosecond);
      store(core, 1);
    });
    bench.run([&](Core& core) {
      ready = true;
      store(core, 0);
    });
    for (const auto& memory : bench.memories) {
      for (unsigned i = 0; i < kLines; ++i) {
        const auto from = memory->bytes().begin() + 64 * i;
        EXPECT_EQ(std::vector<std::uint8_t>(from, from + 64), line_of(i));
      }
    }
    EXPECT_GT(bench.metric("host.core0.room_wait"), 20.0 * kMicrosecond);
    EXPECT_GT(bench.metric("host.core1.room_wait"), 20.0 * kMicrosecond);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(WriteCombining, TwoCoresShareTheRoomAndEachKeepsItsOrder) {
  SystemConfig config = slow_device();
  config.cores = {0, 0};
  SystemBench bench{config};
  bool ready = false;
  const auto store = [&bench](Core& core, unsigned which) {
    for (unsigned i = 0; i < 100; ++i) core.store(bench.bar(0, 0) + 8 * which, i, 4);
  };
  bench.host.core(1).set_program([&](Core& core) {
    while (!ready) core.spend(kMicrosecond);
    store(core, 1);
  });
  bench.run([&](Core& core) {
    ready = true;
    store(core, 0);
  });
  unsigned next[2] = {0, 0};
  for (const TestDevice::Write& write : bench.device(0).writes) {
    EXPECT_EQ(write.bytes[0], next[write.offset / 8]++);
  }
  EXPECT_EQ(next[0], 100U);
  EXPECT_EQ(next[1], 100U);
}

}  // namespace
}  // namespace railyard
