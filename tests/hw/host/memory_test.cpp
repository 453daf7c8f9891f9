#include "hw/host/memory.h"

#include <gmock/gmock.h>

#include "tests/hw/host/host_bench.h"
#include "tests/support/allocations.h"
#include "tests/support/link_bench.h"

namespace railyard::host {
namespace {

using support::Asker;
using support::MemoryBench;
using support::Watcher;
using testing::ElementsAre;
using Bytes8 = std::vector<std::uint8_t>;

HostMemoryConfig two_nodes() {
  HostMemoryConfig config;
  config.nodes = 2;
  config.size = kibibytes(64);
  config.base = kibibytes(1024);
  return config;
}
/// Awaits something far away, so that nothing before it need be on time.
struct Later : Awaiter {
  explicit Later(Time at) : time(at) {}
  Time earliest() const override { return time; }
  Time time;
};

constexpr std::uint64_t kNode0 = 1024 * 1024;
constexpr std::uint64_t kNode1 = kNode0 + 64 * 1024;

TEST(HostMemory, CoversItsNodesOneBehindAnotherAndNothingElse) {
  MemoryBench bench(two_nodes());
  HostMemory& m = bench.memory;
  EXPECT_FALSE(m.covers(kNode0 - 1, 1));
  EXPECT_TRUE(m.covers(kNode0, 128 * 1024));
  EXPECT_FALSE(m.covers(kNode0, 128 * 1024 + 1));
  EXPECT_FALSE(m.covers(kNode1 + 64 * 1024, 1));
  EXPECT_FALSE(m.covers(kNode1, ~std::uint64_t{0}));
  EXPECT_FALSE(m.covers(~std::uint64_t{0}, 2));
  EXPECT_EQ(m.node_of(kNode1 - 1), 0U);
  EXPECT_EQ(m.node_of(kNode1), 1U);
  EXPECT_TRUE(m.side(1).covers(kNode0, 1));
  EXPECT_THROW(m.side(2), std::out_of_range);
}

TEST(HostMemory, AnAccessTakesTheLatencyAndAnotherNodesTheRemoteLatencyMore) {
  MemoryBench bench(two_nodes());
  Asker from0(bench, 0);
  Asker from1(bench, 1);
  bench.at(kMicrosecond, [&] { from0.ask(false, kNode0, 64); });
  bench.at(2 * kMicrosecond, [&] { from0.ask(false, kNode1, 64); });
  bench.at(3 * kMicrosecond, [&] { from1.ask(false, kNode1, 64); });
  bench.at(4 * kMicrosecond, [&] { from1.ask(true, kNode0, 64); });
  bench.run();
  ASSERT_EQ(from0.done.size(), 2U);
  ASSERT_EQ(from1.done.size(), 2U);
  EXPECT_EQ(from0.done[0].at, kMicrosecond + 90 * kNanosecond);
  EXPECT_EQ(from0.done[1].at, 2 * kMicrosecond + 190 * kNanosecond);
  EXPECT_EQ(from1.done[0].at, 3 * kMicrosecond + 90 * kNanosecond);
  EXPECT_EQ(from1.done[1].at, 4 * kMicrosecond + 190 * kNanosecond);
}

TEST(HostMemory, AnAccessStartsWhenTheBytesBeforeItHaveMoved) {
  MemoryBench bench;  // 200 GB/s: 5 ps a byte
  Asker asker(bench);
  bench.at(kMicrosecond, [&] {
    asker.ask(false, 0, 4096);
    asker.ask(true, 4096, 100);
    asker.ask(false, 8192, 64);
  });
  bench.run();
  const Time first = kMicrosecond + 90 * kNanosecond;
  ASSERT_EQ(asker.done.size(), 3U);
  EXPECT_EQ(asker.done[0].at, first);
  EXPECT_EQ(asker.done[1].at, first + 4096 * 5);
  EXPECT_EQ(asker.done[2].at, first + 4196 * 5);
  EXPECT_EQ(support::metric(bench.simulation, "memory.node0.queue_wait_count"), 3U);
  EXPECT_EQ(support::metric(bench.simulation, "memory.node0.bytes_read"), 4160U);
  EXPECT_EQ(support::metric(bench.simulation, "memory.node0.bytes_written"), 100U);
  EXPECT_EQ(support::metric(bench.simulation, "memory.node0.outstanding_peak"), 3U);
}

TEST(HostMemory, NodesHaveABandwidthEach) {
  MemoryBench bench(two_nodes());
  Asker asker(bench);
  bench.at(kMicrosecond, [&] {
    asker.ask(false, kNode0, 4096);
    asker.ask(false, kNode1, 4096);
    asker.ask(false, kNode0, 64);
  });
  bench.run();
  const Time local = kMicrosecond + 90 * kNanosecond;
  ASSERT_EQ(asker.done.size(), 3U);
  EXPECT_EQ(asker.done[0].at, local);
  EXPECT_EQ(asker.done[1].at, local + 4096 * 5);  // ticket 2, of node 0
  EXPECT_EQ(asker.done[1].ticket, 2U);
  EXPECT_EQ(asker.done[2].at, local + 100 * kNanosecond);
}

// 3 GB/s: a byte takes 333 1/3 ps, so every access ends in a fraction.
TEST(HostMemory, TheBandwidthIsExactOverAHundredThousandAccesses) {
  HostMemoryConfig config;
  config.bandwidth = Rate::gbps(24);
  MemoryBench bench(config);
  Asker asker(bench);
  asker.keep = false;
  constexpr std::uint64_t kAccesses = 100'000;
  std::uint64_t asked = 0;
  const auto ask = [&] {
    if (asked == kAccesses) return;
    asker.ask(asked % 2 == 0, asked % 16 * 4096, 61);
    ++asked;
  };
  asker.on_done = ask;
  bench.at(0, [&] {
    for (int i = 0; i < 16; ++i) ask();  // more than the latency holds
  });
  bench.run();
  EXPECT_EQ(asker.count, kAccesses);
  const std::uint64_t before_last = (kAccesses - 1) * 61;
  EXPECT_EQ(asker.last, 90 * kNanosecond + config.bandwidth.time_of(before_last));
}

TEST(HostMemory, AnIdleNodeStartsAtOnceAfterABurst) {
  HostMemoryConfig config;
  config.bandwidth = Rate::gbps(24);
  MemoryBench bench(config);
  Asker asker(bench);
  bench.at(0, [&] { asker.ask(false, 0, 61); });
  bench.at(kMicrosecond, [&] { asker.ask(false, 0, 61); });
  bench.run();
  EXPECT_EQ(asker.done.at(1).at, kMicrosecond + 90 * kNanosecond);
}

TEST(HostMemory, WritesAreSeenWhenTheyAreCommittedAndReadsSampleWhenTheyAreDone) {
  MemoryBench bench;
  Asker asker(bench);
  bench.at(0, [&] { asker.read(100, 4); });                             // done at 90 ns
  bench.at(10 * kNanosecond, [&] { asker.write(100, {1, 2, 3, 4}); });  // seen at 100 ns
  bench.at(11 * kNanosecond, [&] { asker.read(100, 4); });
  bench.run();
  ASSERT_EQ(asker.done.size(), 3U);
  EXPECT_EQ(asker.done[0].bytes, (Bytes8{0, 0, 0, 0}));
  EXPECT_EQ(asker.done[2].bytes, (Bytes8{1, 2, 3, 4}));
}

TEST(HostMemory, AWriteInADwordTouchesTheBytesThatAreEnabled) {
  MemoryBench bench;
  Asker asker(bench);
  bench.at(0, [&] {
    for (std::uint32_t enables = 0; enables < 16; ++enables) {
      asker.write(4096 + enables * 4, {1, 2, 3, 4}, static_cast<std::uint8_t>(enables));
    }
    asker.write(0x201, {7, 8}, 0b0100);        // its first byte is the dword's second
    asker.write(0x302, {1, 2, 3, 4}, 0b0001);  // over two dwords: all of it
  });
  bench.run();
  for (std::uint32_t enables = 0; enables < 16; ++enables) {
    std::uint8_t got[4];
    bench.memory.read(4096 + enables * 4, got, 4);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(got[i], (enables >> i & 1U) != 0 ? i + 1 : 0);
  }
  std::uint8_t got[4];
  bench.memory.read(0x200, got, 4);
  EXPECT_THAT(got, ElementsAre(0, 0, 8, 0));
  bench.memory.read(0x302, got, 4);
  EXPECT_THAT(got, ElementsAre(1, 2, 3, 4));
}

TEST(HostMemory, NobodyAtTheAddressFailsAfterTheLatency) {
  MemoryBench bench(two_nodes());
  Asker asker(bench, 1);
  bench.at(0, [&] {
    asker.read(0, 8);
    asker.write(4096, {1});
    asker.read(kNode1, 8);
  });
  bench.run();
  ASSERT_EQ(asker.done.size(), 3U);
  EXPECT_TRUE(asker.done[0].failed);
  EXPECT_TRUE(asker.done[1].failed);
  EXPECT_FALSE(asker.done[2].failed);
  EXPECT_EQ(asker.done[0].at, 90 * kNanosecond);
  EXPECT_EQ(asker.done[2].at, 90 * kNanosecond);  // and the failed ones took no bandwidth
}

TEST(HostMemory, AFailedAccessPassesNoneThatCameBefore) {
  MemoryBench bench;
  Asker asker(bench);
  bench.at(0, [&] {
    asker.ask(false, 0, 4096);
    asker.ask(false, 4096, 4096);
    asker.ask(false, bench.memory.config().end(), 64);
    asker.ask(false, 0, 64);
  });
  bench.run();
  ASSERT_EQ(asker.done.size(), 4U);
  EXPECT_EQ(asker.done[2].ticket, 2U);
  EXPECT_EQ(asker.done[2].at, asker.done[1].at);
  EXPECT_EQ(asker.done[3].at, 90 * kNanosecond + 8192 * 5);
}

TEST(HostMemory, ElidedRangesCountOnlyWhereTheDataIsElided) {
  MemoryBench bench({}, DataMode::kElided);
  bench.memory.elide(4096, 4096);
  Asker asker(bench);
  bench.at(0, [&] { asker.write(4096, {1, 2, 3, 4, 5}); });
  bench.at(kMicrosecond, [&] { asker.read(4096, 2); });
  bench.run();
  EXPECT_EQ(asker.done.at(1).bytes,
            (Bytes8{SparseMemory::elided_byte(4096), SparseMemory::elided_byte(4097)}));
}

TEST(HostMemory, ElideDoesNothingWhereTheDataIsCarried) {
  MemoryBench bench;
  bench.memory.elide(4096, 4096);
  Asker asker(bench);
  bench.at(0, [&] { asker.write(4096, {1, 2, 3, 4, 5}); });
  bench.at(kMicrosecond, [&] { asker.read(4096, 2); });
  bench.run();
  EXPECT_EQ(asker.done.at(1).bytes, (Bytes8{1, 2}));
}

TEST(HostMemory, AWatchIsToldOfWritesToItsRangeOnTime) {
  MemoryBench bench;
  bench.lazy.set_eager();
  Watcher watcher(bench);
  Asker asker(bench);
  bench.memory.watch(watcher, 0x100, 8);
  bench.at(0, [&] {
    asker.write(0xF8, {1, 2, 3, 4, 5, 6, 7, 8});  // ends before it
    asker.write(0x108, {1});                      // begins behind it
    asker.ask(true, 0x107, 1);                    // elided, but a write
  });
  const std::uint8_t one = 1;
  bench.at(kMicrosecond, [&] { bench.memory.write(0x100, &one, 1); });
  bench.at(2 * kMicrosecond, [&] {
    bench.memory.unwatch(watcher);
    bench.memory.write(0x100, &one, 1);
  });
  bench.run();
  EXPECT_THAT(watcher.times, ElementsAre(90 * kNanosecond + 9 * 5, kMicrosecond));
}

TEST(HostMemory, SaysWhatIsWatched) {
  MemoryBench bench;
  Watcher watcher(bench);
  EXPECT_FALSE(bench.memory.watched(0, 1 << 20));
  bench.memory.watch(watcher, 0x100, 8);
  EXPECT_TRUE(bench.memory.watched(0x107, 1));
  EXPECT_TRUE(bench.memory.side(0).watched(0, 0x101));
  EXPECT_FALSE(bench.memory.watched(0x108, 8));
  EXPECT_FALSE(bench.memory.watched(0, 0x100));
  bench.memory.unwatch(watcher);
  EXPECT_FALSE(bench.memory.watched(0x107, 1));
}

TEST(HostMemory, ANewWatchIsAnnounced) {
  MemoryBench bench;
  Watcher watcher(bench);
  std::vector<std::uint64_t> seen;
  bench.memory.on_watch_added([&](std::uint64_t address, std::uint64_t bytes) {
    EXPECT_TRUE(bench.memory.watched(address, bytes));
    seen = {address, bytes};
  });
  bench.memory.watch(watcher, 0x100, 8);
  EXPECT_THAT(seen, ElementsAre(0x100, 8));
}

// A watched write that comes late is a broken invariant, not a late call.
TEST(HostMemory, AWatchIsNeverToldLate) {
  MemoryBench bench;
  Watcher watcher(bench);
  Asker asker(bench);
  Later later(kMicrosecond);
  bench.lazy.add(later);
  bench.memory.watch(watcher, 0x100, 8);
  bench.at(0, [&] { asker.write(0x100, {1}); });
  EXPECT_THROW(bench.run(), sc_core::sc_report);
}

TEST(HostMemory, ACoresAccessTakesItsShareOfTheBandwidth) {
  MemoryBench bench(two_nodes());
  Asker asker(bench);
  Time local = 0;
  Time remote = 0;
  bench.at(0, [&] {
    local = bench.memory.reserve(0, kNode0, 64, false);
    asker.ask(false, kNode0, 64);
    remote = bench.memory.reserve(1, kNode0, 64, true);
  });
  bench.run();
  EXPECT_EQ(local, 90 * kNanosecond);
  EXPECT_EQ(asker.done.at(0).at, 90 * kNanosecond + 64 * 5);
  EXPECT_EQ(remote, 190 * kNanosecond + 128 * 5);
}

TEST(HostMemory, AnAccessAllocatesNothingOnceWarm) {
  HostMemoryConfig config;
  config.nodes = 2;
  MemoryBench bench(config);
  Asker asker(bench);
  asker.keep = false;
  Ref<net::Payload> payload = asker.payloads.acquire();
  payload->resize(4096);
  const auto ask = [&] {
    for (std::uint64_t i = 0; i < 64; ++i) {
      Ref<pcie::MemoryAccess> access =
          asker.make(i % 2 == 0, i * (config.size / 32) % (1 << 30), 4096);
      access->payload = payload;
      bench.memory.side(static_cast<unsigned>(i / 2 % 2)).access(std::move(access));
    }
  };
  std::uint64_t warm = 0;
  std::uint64_t late = 0;
  bench.at(0, ask);
  bench.at(10 * kMicrosecond, [&] { warm = support::allocations(); });
  for (int round = 1; round <= 100; ++round) bench.at((10 + round * 10) * kMicrosecond, ask);
  bench.at(2 * kMillisecond, [&] { late = support::allocations(); });
  bench.run();
  EXPECT_EQ(asker.count, 6464U);
  EXPECT_GT(warm, 0U);
  EXPECT_EQ(late, warm);
}

TEST(HostMemory, AccessesThatNobodyAwaitsWakeNoKernel) {
  MemoryBench bench;
  Asker asker(bench);
  Later later(kMillisecond);
  bench.lazy.add(later);
  bench.at(0, [&] {
    for (std::uint64_t i = 0; i < 1000; ++i) asker.ask(false, i * 4096, 4096);
  });
  bench.run();
  EXPECT_EQ(asker.count, 1000U);
  EXPECT_EQ(asker.last, 90 * kNanosecond + 999 * 4096 * 5);
  EXPECT_EQ(bench.simulation.kernel_events(), 2U);
}

double real_metric(const Simulation& simulation, const std::string& name) {
  for (const Metric& metric : simulation.metrics()) {
    if (metric.info.name == name) return metric.value.real;
  }
  throw std::out_of_range(name);
}

TEST(HostMemory, UtilisationIsTheShareOfTheBandwidthThatWasUsed) {
  MemoryBench bench;
  Asker asker(bench);
  bench.at(0, [&] {
    for (int i = 0; i < 10; ++i) asker.ask(i % 2 == 0, 0, 4000);  // 20 ns each
  });
  bench.at(400 * kNanosecond, [] {});
  bench.run();
  ASSERT_EQ(bench.simulation.now(), 400 * kNanosecond);
  EXPECT_DOUBLE_EQ(real_metric(bench.simulation, "memory.node0.utilisation"), 0.5);
}

/// Keeps what a signal does.
struct Changes : ProbeSink {
  void change(std::uint32_t /*id*/, std::uint64_t value, Time now) override {
    all.emplace_back(now, value);
  }
  std::vector<std::pair<Time, std::uint64_t>> all;
};

TEST(HostMemory, ItsQueueDepthIsTraced) {
  MemoryBench bench;
  bench.lazy.set_eager();
  Changes changes;
  for (auto& entry : bench.partition().probes().probes()) {
    if (entry.info.name == "memory.node0.queue_depth") entry.point->connect(&changes, 0);
  }
  Asker asker(bench);
  bench.at(10, [&] {
    asker.ask(false, 0, 100);
    asker.ask(false, 0, 100);
  });
  bench.run();
  const Time done = 10 + 90 * kNanosecond;
  using Change = std::pair<Time, std::uint64_t>;
  EXPECT_THAT(changes.all,
              ElementsAre(Change{10, 1}, Change{10, 2}, Change{done, 1}, Change{done + 500, 0}));
}

}  // namespace
}  // namespace railyard::host
