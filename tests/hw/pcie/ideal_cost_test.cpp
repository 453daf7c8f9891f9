// PCIe without packets: what it costs, and that nobody sees its steps come late.
#include <gmock/gmock.h>

#include "tests/hw/pcie/ideal_bench.h"
#include "tests/support/allocations.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/random.h"

namespace railyard::pcie::bench {
namespace {

TEST(IdealPcie, APageTakesFewKernelEvents) {
  for (const bool write : {true, false}) {
    const support::FreshKernel kernel;
    IdealBench bench;
    bench.run([&] {
      bench.give(write ? bench.write_of(0x1000, pattern(4096, 1)) : bench.read_of(0x1000, 4096));
    });
    // One is the test's own.
    EXPECT_LE(bench.simulation.kernel_events(), 6U) << write;
    EXPECT_LE(bench.hierarchy.scheduler().fired(), 6U) << write;
  }
}

TEST(IdealPcie, ALongTransferTakesFewKernelEventsAndAFewStepsAPage) {
  for (const bool write : {true, false}) {
    const support::FreshKernel kernel;
    IdealBench bench;
    constexpr std::uint32_t kPages = 1000;
    bench.run([&] { bench.give(IdealBench::elided(write, 0x1000, kPages * 4096)); });
    const Time ends = lane_time(kPages * 4096);
    EXPECT_EQ(bench.last_done, write ? ends : ends + 2 * kLatency + kMemoryLatency + kReadLatency);
    EXPECT_LE(bench.simulation.kernel_events(), write ? 8U : 600U);
    EXPECT_LE(bench.hierarchy.scheduler().fired(), 6U * kPages);
  }
}

TEST(IdealPcie, AllocatesNothingOnceWarm) {
  IdealBench bench;
  bench.keeps = false;
  bench.memory.on_commit = {};
  bench.memory.slow = [](const MemoryAccess& access) { return access.address % 3 == 0; };
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  int left = 40'000;
  std::uint8_t line[8] = {};
  bench.on_done = [&](const DmaDone&) {
    if (--left == 20'000) before = support::allocations();
    if (left == 0) after = support::allocations();
    if (left <= 0) return;
    // It repeats, so the most that is under way at once is soon met.
    const std::uint32_t bytes = 1 + static_cast<std::uint32_t>(left) % 7 * 1300;
    const std::uint64_t address = static_cast<std::uint64_t>(left % 7) * 0x3001;
    IdealFunction& who = left % 2 == 0 ? bench.a : bench.b;
    if (left % 3 == 0) {
      bench.give(who, bench.read_of(address, 9000, left % 5 == 0));
    } else if (left % 3 == 1) {
      bench.give(who, IdealBench::elided(true, address, bytes));
    } else {
      bench.give(who, IdealBench::elided(true, kDeviceMemory + address, bytes));
      bench.pcie.cpu_write(kRegisters, line, 8);
      bench.pcie.cpu_read(kRegisters, 8, 0);
    }
  };
  bench.run([&] {
    for (int i = 0; i < 16; ++i) bench.give(bench.read_of(0, 9000));
  });
  EXPECT_LE(left, 0);
  EXPECT_GT(before, 0U);
  EXPECT_EQ(after, before);
}

// Everything that anybody outside sees, in a run of random traffic.
std::vector<std::string> random_run(std::uint64_t seed, bool eager) {
  const support::FreshKernel kernel;
  IdealBench bench(eager);
  RandomStream random(seed, "traffic");
  bench.memory.slow = [&](const MemoryAccess& access) { return access.address % 5 == 0; };
  std::vector<std::string> log;
  const auto say = [&](const std::string& what) {
    log.push_back(std::to_string(bench.simulation.partition().now()) + " " + what);
  };
  int left = 400;
  const auto next = [&] {
    if (left-- <= 0) return;
    IdealFunction& who = random.below(2) == 0 ? bench.a : bench.b;
    std::uint64_t address = random.below(1U << 16);
    const std::uint64_t where = random.below(8);
    if (where == 0) address += kNobody;
    if (where == 1) address += kDeviceMemory;
    const auto bytes = static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 65 : 9000));
    if (random.below(2) == 0) {
      DmaRequest request = bench.write_of(address, pattern(bytes, static_cast<unsigned>(left)));
      request.relaxed = random.below(4) == 0;
      bench.give(who, std::move(request));
    } else {
      bench.give(who, bench.read_of(address, bytes, random.below(3) == 0));
    }
    if (random.below(4) == 0) who.interrupt(static_cast<unsigned>(random.below(8)));
    if (random.below(4) == 0) bench.pcie.cpu_read(kRegisters + 8 * random.below(4), 8, 0);
    const std::uint64_t value = random.below(256);
    if (random.below(4) == 0) {
      bench.pcie.cpu_write(kRegisters + 8, reinterpret_cast<const std::uint8_t*>(&value), 8);
    }
    if (random.below(8) == 0) {
      bench.give(who, bench.write_of(kRegisters + 8 * random.below(4), {3, 2, 1, 0}));
    }
  };
  bench.on_done = [&](const DmaDone& finished) {
    std::uint64_t sum = static_cast<std::uint64_t>(finished.status);
    if (finished.payload) {
      for (std::size_t i = 0; i < finished.payload->size(); ++i) {
        sum = sum * 31 + finished.payload->data()[i];
      }
    }
    say("done " + std::to_string(finished.ticket) + " " + std::to_string(sum));
    next();
  };
  bench.run([&] {
    for (int i = 0; i < 10; ++i) next();
  });
  for (const auto& [at, what] : bench.events) log.push_back(std::to_string(at) + " " + what);
  for (const auto& [at, where] : bench.commits) {
    log.push_back(std::to_string(at) + " commit " + std::to_string(where));
  }
  for (const Metric& metric : bench.simulation.metrics()) {
    log.push_back(metric.info.name + " " + std::to_string(metric.value.real) + " " +
                  std::to_string(metric.value.whole));
  }
  log.push_back("end " + std::to_string(bench.simulation.now()));
  EXPECT_EQ(bench.hierarchy.scheduler().eager(), eager);  // nothing is attended any more
  return log;
}

TEST(IdealPcie, IsTheSameLazyAndEager) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::string> lazy = random_run(seed, false);
    EXPECT_GT(lazy.size(), 800U);
    EXPECT_EQ(lazy, random_run(seed, true)) << seed;
  }
}

}  // namespace
}  // namespace railyard::pcie::bench
