// Several cores: order at one time, allocation, the end.
#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>

#include "tests/hw/host/core_bench.h"
#include "tests/support/allocations.h"
#include "tests/support/stacks.h"

namespace railyard::host {
namespace {

using support::CoreBench;
using support::kNs;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Address kSpinFlag = 0x2000;

/// The order in which cores made in order of `names` act at one time.
std::string order_of(const std::vector<std::string>& names) {
  CoreBench bench;
  std::string order;
  bench.dma(3 * kMicrosecond, kSpinFlag, 1);
  for (const std::string& name : names) {
    bench.core(name, [&order, name](Core& core) {
      order += name;
      // Scheduled in another order than that of the names.
      core.spend(name == "a" ? 600 * kNs : 400 * kNs);
      core.spend(name == "a" ? 400 * kNs : 600 * kNs);
      order += name;
      core.poll(kSpinFlag, 8, [](std::uint64_t v) { return v != 0; });
      order += name;
    });
  }
  bench.run();
  return order;
}

TEST(HostCores, ActAtOneTimeInTheOrderOfTheirNames) {
  EXPECT_EQ(order_of({"a", "b", "c"}), "abcabcabc");
}
TEST(HostCores, WhateverTheOrderInWhichTheyWereMade) {
  EXPECT_EQ(order_of({"c", "a", "b"}), "abcabcabc");
}

TEST(HostCores, AllocateNothingOnceWarm) {
  CoreBench bench;
  bench.port.registers[CoreBench::kDevice] = 5;
  bench.port.writes.reserve(100'000);
  bench.port.reads.reserve(100'000);
  std::uint64_t warm = 0;
  std::uint64_t late = 0;
  const std::vector<std::uint8_t> bytes(100, 1);
  bench.core([&](Core& core) {
    std::vector<std::uint8_t> copy(5000);
    for (std::uint64_t round = 1; round <= 300; ++round) {
      if (round == 100) warm = support::allocations();
      core.store(0x3000, round, 8);
      core.poll(kSpinFlag, 8, [round](std::uint64_t v) { return v == round; });
      core.load(0x3000, 8);
      core.store(CoreBench::kDevice, round, 4);
      core.load(CoreBench::kDevice, 8);
      // No bytes of the fake's that are larger than before.
      core.read(0x5000, copy.data(), copy.size());
      core.write(0x5000, copy.data(), copy.size());
    }
    late = support::allocations();
  });
  bench.core([&](Core& core) {
    for (std::uint64_t round = 1; round <= 300; ++round) {
      core.poll(0x3000, 8, [round](std::uint64_t v) { return v == round; });
      core.store(kSpinFlag, round, 8);
    }
  });
  bench.run();
  EXPECT_GT(warm, 0U);
  EXPECT_LE(late - warm, 201U);  // the fake keeps each write's bytes: one a round
  EXPECT_EQ(bench.port.writes.size(), 300U);
}

TEST(HostCores, AStoreThatFindsNoRoomExplainsARunThatEnds) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  CoreBench bench;
  bench.port.room = 0;
  bench.core([](Core& core) { core.store(CoreBench::kDevice + 16, 1, 4); });
  try {
    bench.run();
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(),
                HasSubstr("core0 waits for root: room for a posted write to 0xc0000010"));
  }
}

// A program's own things go when the simulation goes, wherever the program waits.
TEST(HostCores, AProgramThatWaitsIsUnwound) {
  const auto thing = std::make_shared<int>(7);
  {
    CoreBench bench;
    bench.port.room = 0;
    const auto holds = [thing](const std::function<void(Core&)>& then) {
      return [thing, then](Core& core) {
        const std::shared_ptr<int> mine = thing;
        const std::vector<int> heap(1000, *mine);
        then(core);
        ADD_FAILURE() << "went on with " << heap[0];
      };
    };
    bench.core(
        holds([](Core& c) { c.poll(kSpinFlag, 8, [](std::uint64_t v) { return v != 0; }); }));
    bench.core(holds([](Core& c) { c.wait_interrupt(1); }));
    bench.core(holds([](Core& c) { c.store(CoreBench::kDevice, 1, 4); }));
    bench.core(holds([](Core& c) { c.load(CoreBench::kDevice, 4); }));
    bench.core(holds([](Core& c) { c.spend(kSecond); }));
    bench.port.latency = kMillisecond;
    EXPECT_EQ(bench.run(10 * kMicrosecond), RunEnd::kUntil);
    EXPECT_GT(thing.use_count(), 10);
    EXPECT_TRUE(bench.memory.watched(kSpinFlag, 8));
  }
  EXPECT_EQ(thing.use_count(), 1);
}

TEST(HostCores, AProgramThatWaitsIsUnwoundWhenAnotherHasFailed) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  const auto thing = std::make_shared<int>(7);
  {
    CoreBench bench;
    bench.core([thing](Core& core) {
      const std::shared_ptr<int> mine = thing;
      core.wait_interrupt(static_cast<unsigned>(*mine));
    });
    bench.core([](Core& core) {
      core.spend(kMicrosecond);
      throw std::runtime_error("failed");
    });
    EXPECT_THROW(bench.run(), std::runtime_error);
  }
  EXPECT_EQ(thing.use_count(), 1);
}

TEST(HostCores, AProgramThatComesLateIsRefused) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  CoreBench bench;
  HostCore& core = bench.core([](Core&) {});
  bench.run();
  EXPECT_THROW(core.set_program([](Core&) {}), std::logic_error);
}

TEST(HostCores, AProgramThatNeverStartedIsNoTrouble) {
  const auto thing = std::make_shared<int>(7);
  {
    CoreBench bench;
    bench.core([thing](Core&) { FAIL(); });
  }
  EXPECT_EQ(thing.use_count(), 1);
}

}  // namespace
}  // namespace railyard::host
