// What a core that polls costs the simulator, alone and beside bulk traffic.
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

using support::SystemBench;
using support::SystemConfig;

constexpr std::uint64_t kFlag = support::kMemory + 0x100'0000;
constexpr std::uint32_t kChunk = 1U << 16;

TEST(PollLaziness, AMillisecondOfPollingIsNoEvent) {
  SystemConfig config;
  config.cores = {0, 0};
  SystemBench bench{config};
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  Time written = 0;
  Time seen = 0;
  bool polls = false;
  bench.host.core(1).set_program([&](Core& core) {
    while (!polls) core.spend(kMicrosecond);
    core.spend(kMicrosecond);
    before = bench.simulation.kernel_events();
    core.spend(kMillisecond);
    after = bench.simulation.kernel_events();
    written = core.now();
    bench.device(0).write(kFlag, {1});
  });
  bench.run([&](Core& core) {
    core.spend(10 * kMicrosecond);
    polls = true;
    core.poll(kFlag, 1, [](std::uint64_t value) { return value == 1; });
    seen = core.now();
  });
  EXPECT_LE(after - before, 1U) << "the end of the other core's waiting";
  EXPECT_GT(seen - written, 300 * kNanosecond);
  EXPECT_LT(seen - written, 500 * kNanosecond);
}

struct Beside {
  double events_per_tlp = 0;
  Time seen = 0;
  std::uint64_t value = 0;
};

/// Device 1 writes 4 MiB while core 0 polls; at last device 0 writes the flag, or the bulk does.
/// `knocks`: device 0 writes what is not awaited to the flag each 256 TLPs.
Beside poll_beside_bulk(bool touches, bool eager, bool knocks = false) {
  SystemConfig config;
  config.direct = 2;
  config.eager = eager;
  SystemBench bench{config};
  Beside result;
  unsigned left = 64;
  std::uint64_t events = 0;
  double tlps = 0;
  bench.device(1).on_done = [&](const auto&) {
    if (left == 0) return;
    if (--left > 0) {
      bench.device(1).write_elided(support::kMemory + kChunk * left, kChunk);
      if (knocks) bench.device(0).write(kFlag, {4});
      return;
    }
    events = bench.simulation.kernel_events() - events;
    tlps = bench.metric("dev1.port.tx_tlps") - tlps;
    if (touches) {
      bench.device(1).write(kFlag - 1000, std::vector<std::uint8_t>(2000, 5));
    } else {
      bench.device(0).write(kFlag, {5});
    }
  };
  bench.run([&](Core& core) {
    core.spend(10 * kMicrosecond);
    events = bench.simulation.kernel_events();
    tlps = bench.metric("dev1.port.tx_tlps");
    bench.device(1).write_elided(support::kMemory, kChunk);
    result.value = core.poll(kFlag, 1, [](std::uint64_t value) { return value == 5; });
    result.seen = core.now();
  });
  EXPECT_EQ(tlps, 64.0 * kChunk / 256);
  result.events_per_tlp = static_cast<double>(events) / tlps;
  return result;
}

TEST(PollLaziness, BulkBesideAPollStaysLazy) {
  for (const bool touches : {false, true}) {
    const Beside lazy = poll_beside_bulk(touches, false);
    const Beside eager = poll_beside_bulk(touches, true);
    EXPECT_LT(lazy.events_per_tlp, 0.1);
    EXPECT_GT(eager.events_per_tlp, 3);
    EXPECT_EQ(lazy.value, 5U);
    EXPECT_EQ(lazy.seen, eager.seen);
  }
}

TEST(PollLaziness, AWriteThatIsSeenLeavesBulkLazy) {
  const Beside lazy = poll_beside_bulk(false, false, true);
  const Beside eager = poll_beside_bulk(false, true, true);
  EXPECT_LT(lazy.events_per_tlp, 0.15);
  EXPECT_EQ(lazy.value, 5U);
  EXPECT_EQ(lazy.seen, eager.seen);
}

/// A core polls a line in the middle of one long write, from before it or from when it is under
/// way.
Time poll_in_the_middle(bool from_before, bool eager) {
  SystemConfig config;
  config.eager = eager;
  SystemBench bench{config};
  constexpr std::uint32_t kLong = 1U << 18;
  Time seen = 0;
  bench.run([&](Core& core) {
    core.spend(10 * kMicrosecond);
    const auto write = [&] {
      bench.device(0).write(support::kMemory, std::vector<std::uint8_t>(kLong, 7));
    };
    if (!from_before) {
      write();
      core.spend(kMicrosecond / 2);
    } else {
      bench.device(0).read(support::kMemory, 64);
      bench.device(0).on_done = [&, write](const auto& done) {
        if (done.ticket == 0) write();
      };
    }
    core.poll(support::kMemory + kLong / 2, 1, [](std::uint64_t value) { return value == 7; });
    seen = core.now();
  });
  return seen;
}

TEST(PollLaziness, ALongWriteIsSeenInItsMiddleOnTime) {
  for (const bool from_before : {true, false}) {
    EXPECT_EQ(poll_in_the_middle(from_before, false), poll_in_the_middle(from_before, true));
  }
}

}  // namespace
}  // namespace railyard
