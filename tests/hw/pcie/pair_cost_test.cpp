// What a transfer costs the simulator.
#include <gtest/gtest.h>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/allocations.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

TEST(PcieCost, AnUncontendedWriteOfAPageTakesLessThanTwentyKernelEvents) {
  PairBench bench{PairConfig{}};
  bench.run([&] { bench.write(0, std::vector<std::uint8_t>(4096, 1)); });
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_LT(bench.simulation.kernel_events(), 20U);
  EXPECT_GT(bench.hierarchy.scheduler().fired(), 40U);
}

TEST(PcieCost, AnUncontendedReadOfAPageTakesLessThanTwentyKernelEvents) {
  PairBench bench{PairConfig{}};
  bench.run([&] { bench.read(0, 4096); });
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_LT(bench.simulation.kernel_events(), 20U);
  EXPECT_GT(bench.hierarchy.scheduler().fired(), 40U);
}

// The wakes of a run of long writes, in which watches of 64 B at `address` begin now and then.
std::uint64_t wakes_with_watches(std::uint64_t address) {
  constexpr unsigned kWatches = 20;
  PairConfig config;
  config.alarms = kWatches;
  const support::FreshKernel kernel;
  PairBench bench{config};
  bench.run([&] {
    bench.write_elided(0, 1U << 20);
    for (unsigned i = 0; i < kWatches; ++i) {
      bench.at(i, (i + 1) * 600 * kNanosecond, [&] { bench.hierarchy.watch_added(address, 64); });
    }
  });
  return bench.simulation.kernel_events();
}

// A core that begins to wait for one line is no reason to have all writes to others on time.
TEST(PcieCost, AWatchHasTheWritesOnTimeThatItIsFor) {
  const std::uint64_t elsewhere = wakes_with_watches(1U << 23);
  EXPECT_LT(elsewhere, 60U);
  EXPECT_GT(wakes_with_watches(1U << 19), elsewhere + 10);
}

// Writes and reads with their bytes, both directions at once, all checkers on, with the rings and
// pools as large as they get.
TEST(PcieCost, NothingIsAllocatedAfterWarmUp) {
  constexpr unsigned kWarm = 10'000;
  constexpr unsigned kAll = 30'000;
  PairConfig config;
  config.root_credits = {4, 64, 4, 4, 0, 0};
  // Its looks make lists of who waits.
  config.run.deadlock.after = kSecond;
  PairBench bench{config};
  bench.keeps = false;
  unsigned done = 0, given = 0;
  std::uint64_t before = 0, after = 0;
  const Ref<net::Payload> payload = bench.hierarchy.payloads().acquire();
  payload->resize(4096);
  const auto give = [&] {
    DmaRequest request;
    request.write = given % 3 != 0;
    request.relaxed = given % 7 == 0;
    request.address = std::uint64_t{given} % 64 * 8192;
    request.bytes = 1 + given * 37 % 4096;
    ++given;
    if (request.write) request.payload = payload;
    bench.give(std::move(request));
  };
  bench.on_done = [&](const DmaDone&) {
    ++done;
    if (done == kWarm) before = support::allocations();
    if (done == kAll - 64) after = support::allocations();
    if (given < kAll) give();
  };
  bench.run([&] {
    for (int i = 0; i < 32; ++i) give();
  });
  EXPECT_EQ(done, kAll);
  EXPECT_GT(before, 0U);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace railyard::pcie::bench
