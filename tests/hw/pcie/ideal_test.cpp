// PCIe without packets: time, bandwidth and order of transfers.
#include <gmock/gmock.h>

#include "tests/hw/pcie/ideal_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(IdealPcie, AWriteLeavesInItsBytesTimeAndIsSeenALatencyAndAnAccessLater) {
  IdealBench bench;
  bench.run([&] { bench.give(bench.write_of(0x1000, pattern(4096, 1))); });
  EXPECT_EQ(bench.done[0].at, lane_time(4096));
  EXPECT_THAT(bench.commits,
              ElementsAre(Pair(lane_time(4096) + kLatency + kMemoryLatency, 0x1000)));
  EXPECT_EQ(bench.simulation.now(), lane_time(4096) + kLatency + kMemoryLatency);
}

TEST(IdealPcie, AReadTakesBothWaysTheMemoryAndItsBytes) {
  for (const std::uint32_t bytes : {0U, 1U, 64U, 4096U, 100'000U}) {
    const support::FreshKernel kernel;
    IdealBench bench;
    bench.run([&] { bench.give(bench.read_of(0x1000, bytes)); });
    EXPECT_EQ(bench.done[0].at, 2 * kLatency + kMemoryLatency + kReadLatency + lane_time(bytes))
        << bytes;
    EXPECT_EQ(bench.done[0].status, Status::kSuccess);
  }
}

TEST(IdealPcie, DataGoesThereAndBackWhateverItsPlaceAndSize) {
  IdealBench bench;
  const auto large = pattern(10'000, 3);
  bench.run([&] {
    bench.give(bench.write_of(0x1FFD, large));
    DmaRequest part = bench.write_of(0x9001, large);
    part.payload_offset = 5;
    part.bytes = 6;
    bench.give(std::move(part));
    bench.give(bench.read_of(0x1FFD, 10'000, true));
    bench.give(bench.read_of(0x9001, 6, true));
  });
  EXPECT_EQ(bench.done[2].bytes, large);
  EXPECT_EQ(bench.done[3].bytes, std::vector<std::uint8_t>(large.begin() + 5, large.begin() + 11));
}

// 2,000 transfers of sizes that no picosecond divides: the time is that of their sum, rounded once.
TEST(IdealPcie, BandwidthIsExactInBothDirectionsAtOnce) {
  IdealBench bench;
  std::uint64_t sum = 0;
  std::uint64_t last_write = 0;
  std::uint64_t last_read = 0;
  bench.run([&] {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::uint32_t bytes = 1 + i * 37 % 9000;
      sum += bytes;
      last_write = bench.give(IdealBench::elided(true, 0x10000 + i, bytes));
      last_read = bench.give(IdealBench::elided(false, 0x20000 + i, bytes));
    }
  });
  EXPECT_EQ(bench.done[last_write].at, lane_time(sum));
  EXPECT_EQ(bench.done[last_read].at,
            2 * kLatency + kMemoryLatency + kReadLatency + lane_time(sum));
}

TEST(IdealPcie, ALongReadAsksTheMemoryNoFasterThanItsDataMayCome) {
  IdealBench bench;
  std::vector<Time> asked;
  bench.memory.slow = [&](const MemoryAccess&) {
    asked.push_back(bench.hierarchy.now());
    return false;
  };
  bench.run([&] { bench.give(IdealBench::elided(false, 0x1000, 100 * 4096)); });
  ASSERT_EQ(asked.size(), 100U);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(asked[i], kLatency + lane_time(i * 4096)) << i;
  }
}

TEST(IdealPcie, WritesAreSeenInOrderWhateverTheirMemoryDoes) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess& access) { return access.address == 0x1000; };
  bench.run([&] {
    bench.give(bench.write_of(0x1000, pattern(64, 1)));
    bench.give(bench.write_of(0x2000, pattern(64, 2)));
  });
  const Time slow = lane_time(64) + kLatency + kMemoryLatency + kMicrosecond;
  EXPECT_THAT(bench.commits, ElementsAre(Pair(slow, 0x1000), Pair(slow, 0x2000)));
}

TEST(IdealPcie, ARelaxedWriteIsSeenAsSoonAsItsMemoryHasIt) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess& access) { return access.address == 0x1000; };
  bench.run([&] {
    bench.give(bench.write_of(0x1000, pattern(64, 1)));
    DmaRequest relaxed = bench.write_of(0x2000, pattern(64, 2));
    relaxed.relaxed = true;
    bench.give(std::move(relaxed));
    bench.give(bench.write_of(0x3000, pattern(64, 3)));
  });
  const Time slow = lane_time(64) + kLatency + kMemoryLatency + kMicrosecond;
  EXPECT_THAT(bench.commits, ElementsAre(Pair(lane_time(128) + kLatency + kMemoryLatency, 0x2000),
                                         Pair(slow, 0x1000), Pair(slow, 0x3000)));
}

TEST(IdealPcie, AReadOfNoByteIsAnsweredWhenTheWritesBeforeItAreSeen) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess& access) { return access.address == 0x1000; };
  bench.run([&] {
    bench.give(bench.write_of(0x1000, pattern(64, 1)));
    bench.give(bench.read_of(0x5000, 0));
  });
  const Time seen = lane_time(64) + kLatency + kMemoryLatency + kMicrosecond;
  EXPECT_EQ(bench.done[1].at, seen + kReadLatency + kLatency);
}

TEST(IdealPcie, AFencedReadFindsWhatWasWrittenBeforeAndAnotherReadNeedNotWait) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess& access) { return access.write; };
  const auto data = pattern(8192, 9);
  bench.run([&] {
    bench.give(bench.write_of(0x1000, data));
    bench.give(bench.read_of(0x5000, 64));
    bench.give(bench.read_of(0x1000, 8192, true));
  });
  EXPECT_EQ(bench.done[1].at, 2 * kLatency + kMemoryLatency + kReadLatency + lane_time(64));
  EXPECT_EQ(bench.done[2].bytes, data);
}

TEST(IdealPcie, AnInterruptArrivesBehindTheDataOfAllWritesBefore) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess& access) { return access.address == 0x1000; };
  bench.a.set_interrupts(40);
  bench.run([&] {
    bench.give(bench.write_of(0x1000, pattern(64, 1)));
    bench.a.interrupt(3);
    bench.give(bench.write_of(0x2000, pattern(64, 1)));
    bench.b.interrupt(5);  // another function's has its own order
  });
  const Time slow = lane_time(64) + kLatency + kMemoryLatency + kMicrosecond;
  EXPECT_THAT(bench.events, ElementsAre(Pair(lane_time(4) + kLatency, "interrupt 5"),
                                        Pair(slow, "interrupt 43")));
  EXPECT_THAT(bench.commits, ElementsAre(Pair(slow, 0x1000), Pair(slow, 0x2000)));
}

}  // namespace
}  // namespace railyard::pcie::bench
