// Waiting: polled memory and interrupts.
#include <gmock/gmock.h>

#include <array>

#include "tests/hw/host/core_bench.h"
#include "tests/support/link_bench.h"
#include "tests/support/stacks.h"

namespace railyard::host {
namespace {

using support::CoreBench;
using support::kNs;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Address kFlag = 0x2000;
const auto kNotZero = [](std::uint64_t value) { return value != 0; };

/// When a poll that begins at `start` sees what is written at `written`.
Time seen_at(Time start, Time written) {
  CoreBench bench;
  bench.dma(written, kFlag, 1);
  Time seen = 0;
  bench.core([&](Core& core) {
    core.spend(start);
    EXPECT_EQ(core.poll(kFlag, 8, kNotZero), 1U);
    seen = core.now();
  });
  bench.run();
  return seen;
}

// The grid of 20 ns begins at 7 ns; a write takes 60 ns to be seen.
TEST(HostCorePoll, WakesAtTheFirstGridPointAtWhichTheWriteIsSeen) {
  EXPECT_EQ(seen_at(7 * kNs, 947 * kNs), 1007 * kNs);  // just on the grid
}
TEST(HostCorePoll, TheRestOfTheLineThatItFoundStaysInTheCore) {
  CoreBench bench;
  bench.dma(500 * kNs, kFlag + 63, 1);
  std::vector<Time> took;
  bench.core([&](Core& core) {
    std::array<std::uint8_t, 64> line{};
    const auto read = [&](Address address, std::size_t bytes) {
      const Time start = core.now();
      core.read(address, line.data(), bytes);
      took.push_back(core.now() - start);
    };
    core.poll(kFlag + 63, 1, kNotZero);
    read(kFlag, 64);
    EXPECT_EQ(line[63], 1);
    read(kFlag, 64);  // later: who knows
    core.poll(kFlag + 63, 1, kNotZero);
    read(kFlag + 32, 64);  // of two lines
  });
  bench.run();
  EXPECT_THAT(took, ElementsAre(6400, 90 * kNs, 90 * kNs));  // 64 B at 80 Gb/s; a miss
}
TEST(HostCorePoll, APicosecondLaterIsOneGridPointLater) {
  EXPECT_EQ(seen_at(7 * kNs, 947 * kNs + 1), 1027 * kNs);
}
TEST(HostCorePoll, APicosecondEarlierIsTheSameGridPoint) {
  EXPECT_EQ(seen_at(7 * kNs, 947 * kNs - 1), 1007 * kNs);
}
TEST(HostCorePoll, TheFirstLookCostsALoad) { EXPECT_EQ(seen_at(7 * kNs, 0), 97 * kNs); }
TEST(HostCorePoll, TheFirstLookSeesAWriteOfItsOwnTime) {
  EXPECT_EQ(seen_at(7 * kNs, 97 * kNs), 97 * kNs);
}
TEST(HostCorePoll, AWriteJustAfterTheFirstLookIsNotLost) {
  EXPECT_EQ(seen_at(7 * kNs, 97 * kNs + 1), 167 * kNs);
}

TEST(HostCorePoll, NothingHappensWhileNothingChanges) {
  const auto events = [](Time written) {
    support::CoreBench bench;
    bench.dma(written, kFlag, 1);
    bench.core([](Core& core) { core.poll(kFlag, 8, kNotZero); });
    bench.run();
    return std::make_pair(bench.simulation.events_fired(), bench.simulation.kernel_events());
  };
  const auto [fired, kernel] = events(kMillisecond);
  EXPECT_LE(fired, 5U);  // start, first look, the write, its look; a kernel event each
  EXPECT_LE(kernel, 5U);
}

TEST(HostCorePoll, LooksAgainAfterAChangeThatIsNotTheOne) {
  CoreBench bench;
  bench.dma(kMicrosecond, kFlag, 1);
  bench.dma(2 * kMicrosecond, kFlag + 8, 9);  // another word
  bench.dma(3 * kMicrosecond, kFlag, 2);
  std::vector<std::uint64_t> looks;
  bench.core([&](Core& core) {
    const std::uint64_t value = core.poll(kFlag, 8, [&](std::uint64_t v) {
      looks.push_back(v);
      return v == 2;
    });
    EXPECT_EQ(value, 2U);
    EXPECT_EQ(core.now(), 3060 * kNs);
  });
  bench.run();
  EXPECT_THAT(looks, ElementsAre(0, 1, 2));
}

TEST(HostCorePoll, ALookSeesAllThatWasWrittenBeforeIt) {
  CoreBench bench;
  bench.dma(kMicrosecond, kFlag, 1);
  bench.dma(kMicrosecond + 30 * kNs, kFlag, 2);
  std::vector<std::uint64_t> looks;
  bench.core([&](Core& core) {
    core.poll(kFlag, 8, [&](std::uint64_t v) {
      looks.push_back(v);
      return v != 0;
    });
    EXPECT_EQ(core.now(), 1060 * kNs);
  });
  bench.run();
  EXPECT_THAT(looks, ElementsAre(0, 2));
}

TEST(HostCorePoll, AnotherCoresStoreIsSeen) {
  CoreBench bench;
  Time seen = 0;
  bench.core([&](Core& core) {
    core.poll(kFlag, 4, kNotZero);
    seen = core.now();
  });
  bench.core([&](Core& core) {
    core.spend(kMicrosecond - 2 * kNs);
    core.store(kFlag, 1, 4);
  });
  bench.run();
  EXPECT_EQ(seen, 1060 * kNs);
}

TEST(HostCorePoll, ADeadlineEndsItWithTheLastValue) {
  CoreBench bench;
  bench.dma(kMicrosecond, kFlag, 1);
  bench.core([&](Core& core) {
    std::uint64_t value = 77;
    EXPECT_FALSE(core.poll_until(
        kFlag, 8, [](std::uint64_t v) { return v == 2; }, 5 * kMicrosecond + 3, value));
    EXPECT_EQ(core.now(), 5 * kMicrosecond + 3);
    EXPECT_EQ(value, 1U);
    core.spend(kMicrosecond);  // nothing of it is left that would wake the core
    EXPECT_EQ(core.now(), 6 * kMicrosecond + 3);
  });
  bench.run();
}

/// What a poll with a deadline at 2 us says of a write at `written`.
std::pair<bool, Time> until_2us(Time written) {
  CoreBench bench;
  bench.dma(written, kFlag, 1);
  std::pair<bool, Time> result;
  bench.core([&](Core& core) {
    std::uint64_t value = 0;
    result.first = core.poll_until(kFlag, 8, kNotZero, 2 * kMicrosecond, value);
    result.second = core.now();
    core.spend(kMicrosecond);
    EXPECT_EQ(core.now(), result.second + kMicrosecond);
  });
  bench.run();
  return result;
}
TEST(HostCorePoll, ALookAtTheDeadlineCounts) {
  EXPECT_EQ(until_2us(1940 * kNs), std::make_pair(true, 2000 * kNs));
}
TEST(HostCorePoll, ALookBehindTheDeadlineIsNotTaken) {
  EXPECT_EQ(until_2us(1941 * kNs), std::make_pair(false, 2000 * kNs));
}
TEST(HostCorePoll, ALookBeforeTheDeadlineEndsIt) {
  EXPECT_EQ(until_2us(1001 * kNs), std::make_pair(true, 1080 * kNs));
}

TEST(HostCorePoll, ADeadlineThatHasPassedAllowsOneLook) {
  CoreBench bench;
  bench.core([&](Core& core) {
    std::uint64_t value = 0;
    core.spend(kMicrosecond);
    EXPECT_FALSE(core.poll_until(kFlag, 8, kNotZero, 0, value));
    EXPECT_EQ(core.now(), 1090 * kNs);
    core.store(kFlag, 1, 8);
    EXPECT_TRUE(core.poll_until(kFlag, 8, kNotZero, 0, value));
  });
  bench.run();
}

TEST(HostCorePoll, ARunThatEndsWhileItPollsExplainsItself) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  CoreBench bench;
  bench.core([&](Core& core) { core.poll(kFlag, 8, kNotZero); });
  try {
    bench.run();
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("no event is left"));
    EXPECT_THAT(report.get_msg(),
                HasSubstr("core0 waits for memory: what it polls at 0x2000 to change, since 90ns"));
  }
}

TEST(HostCorePoll, ABackgroundProgramNeedNotReturn) {
  CoreBench bench;
  HostCore& daemon = bench.core([&](Core& core) {
    std::uint64_t value = 0;
    for (;;) core.poll_until(kFlag, 8, kNotZero, core.now() + kMicrosecond, value);
  });
  daemon.set_background();
  bench.core([](Core& core) { core.spend(5 * kMicrosecond); });
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_GE(bench.simulation.now(), 5 * kMicrosecond);
  EXPECT_LE(bench.simulation.now(), 6 * kMicrosecond);
  EXPECT_FALSE(daemon.finished());
}

TEST(HostCoreInterrupt, WakesAfterItsLatency) {
  CoreBench bench;
  bench.interrupt(kMicrosecond, 33);
  HostCore& core = bench.core([&](Core& c) {
    c.wait_interrupt(33);
    EXPECT_EQ(c.now(), 2 * kMicrosecond);
  });
  core.take_interrupt(33);
  bench.run();
  EXPECT_TRUE(core.finished());
  EXPECT_EQ(bench.simulation.events_fired(), 3U);  // the start, the message, the handler
}

TEST(HostCoreInterrupt, OneThatCameBeforeTheWaitIsNotLost) {
  CoreBench bench;
  bench.interrupt(kMicrosecond, 33);
  bench.core([&](Core& core) {
    core.spend(10 * kMicrosecond);
    core.wait_interrupt(33);
    EXPECT_EQ(core.now(), 10 * kMicrosecond);
  });
  bench.run();
}

TEST(HostCoreInterrupt, OneUnderWayToItsHandlerIsWaitedFor) {
  CoreBench bench;
  bench.interrupt(kMicrosecond, 33);
  bench.core([&](Core& core) {
    core.spend(1400 * kNs);
    core.wait_interrupt(33);
    EXPECT_EQ(core.now(), 2 * kMicrosecond);
  });
  bench.run();
}

TEST(HostCoreInterrupt, EachReturnTakesAllThatCameBeforeIt) {
  CoreBench bench;
  bench.interrupt(1000 * kNs, 33);
  bench.interrupt(1500 * kNs, 33);
  bench.interrupt(7000 * kNs, 33);
  std::vector<Time> times;
  bench.core([&](Core& core) {
    for (int i = 0; i < 2; ++i) {
      core.wait_interrupt(33);
      times.push_back(core.now());
    }
  });
  bench.run();
  EXPECT_THAT(times, ElementsAre(2000 * kNs, 8000 * kNs));
  EXPECT_EQ(bench.interrupts.count(33), 3U);
  EXPECT_EQ(support::metric(bench.simulation, "interrupts.merged"), 1U);
}

TEST(HostCoreInterrupt, VectorsGoToTheirCoresAlone) {
  CoreBench bench;
  bench.interrupt(1000 * kNs, 1);
  bench.interrupt(3000 * kNs, 2);
  std::vector<Time> times(2);
  for (unsigned i = 0; i < 2; ++i) {
    bench.core([&times, i](Core& core) {
      core.wait_interrupt(i + 1);
      times[i] = core.now();
    });
  }
  bench.run();
  EXPECT_THAT(times, ElementsAre(2000 * kNs, 4000 * kNs));
}

TEST(HostCoreInterrupt, AnotherVectorOfTheCoreDoesNotWakeIt) {
  CoreBench bench;
  bench.interrupt(1000 * kNs, 1);
  bench.interrupt(3000 * kNs, 2);
  HostCore& core = bench.core([&](Core& c) {
    c.wait_interrupt(2);
    EXPECT_EQ(c.now(), 4000 * kNs);
    c.wait_interrupt(1);
    EXPECT_EQ(c.now(), 4000 * kNs);
  });
  core.take_interrupt(1);
  core.take_interrupt(2);
  bench.run();
  EXPECT_TRUE(core.finished());
}

TEST(HostCoreInterrupt, WaitingForAnotherCoresIsRefused) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  CoreBench bench;
  HostCore& owner = bench.core([](Core&) {});
  owner.take_interrupt(5);
  bench.core([](Core& core) { core.wait_interrupt(5); });
  EXPECT_THROW(bench.run(), sc_core::sc_report);
}

/// Steps for the interrupt controller, and awaits nothing soon.
struct LateInterrupt : Awaiter {
  explicit LateInterrupt(CoreBench& b)
      : bench(b),
        event(Event::of<&LateInterrupt::raise>(*this, b.partition().endpoint("late"),
                                               Phase::kArrival)) {}
  Time earliest() const override { return kMicrosecond; }
  void raise() { bench.interrupts.interrupt(1); }
  CoreBench& bench;
  Event event;
};

TEST(HostCoreInterrupt, OneThatComesLateIsABrokenInvariant) {
  CoreBench bench;
  LateInterrupt late(bench);
  bench.lazy.add(late);
  bench.at(0, [&] { bench.lazy.schedule(late.event, 500 * kNs); });
  EXPECT_THROW(bench.run(), sc_core::sc_report);
}

TEST(HostCoreInterrupt, ARunThatEndsWhileItWaitsExplainsItself) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  CoreBench bench;
  bench.core([](Core& core) { core.wait_interrupt(5); });
  try {
    bench.run();
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("core0 waits for interrupts: interrupt 5"));
  }
}

}  // namespace
}  // namespace railyard::host
