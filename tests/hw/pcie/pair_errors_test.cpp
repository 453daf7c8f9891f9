// What the standard calls errors, over one link: each is reported, and what waited goes on.
#include <gtest/gtest.h>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

constexpr Time kCompletionTimeout = 50 * kMicrosecond;

// The root loses what `lost` says.
void lose(PairBench& bench, std::function<bool(const Tlp&)> lost) {
  bench.root_takes = [lost = std::move(lost)](TlpRef& tlp) {
    if (!lost(*tlp)) return false;
    release(*tlp);
    return true;
  };
}

PairConfig pair_with_timeout() {
  PairConfig config;
  config.requester.completion_timeout = kCompletionTimeout;
  return config;
}

TEST(PcieErrors, AReadThatNobodyAnswersTimesOut) {
  PairBench bench{pair_with_timeout()};
  lose(bench, [](const Tlp& tlp) { return tlp.address == 0x1000; });
  bench.run([&] {
    bench.read(0x1000, 64);
    bench.read(0x2000, 64);
  });
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[0].ticket, 1U);
  EXPECT_EQ(bench.done[0].status, Status::kSuccess);
  EXPECT_EQ(bench.done[1].status, Status::kTimeout);
  EXPECT_EQ(bench.done[1].at, kCompletionTimeout);
  EXPECT_TRUE(bench.done[1].bytes.empty());
  EXPECT_EQ(bench.metric("dma.timeouts"), 1);
  EXPECT_EQ(bench.metric("dma.reads_failed"), 1);
  ASSERT_EQ(bench.hierarchy.errors().size(), 1U);
  EXPECT_EQ(bench.hierarchy.errors()[0].what,
            "completion timeout: nobody answered a read of 64 B at 0x1000 (host memory)");
}

// Each has its own time.
TEST(PcieErrors, ALaterReadTimesOutLater) {
  PairConfig config = pair_with_timeout();
  config.alarms = 1;
  PairBench bench{config};
  lose(bench, [](const Tlp&) { return true; });
  constexpr Time kLater = 10 * kMicrosecond;
  bench.run([&] {
    bench.read(0x1000, 64);
    bench.at(0, kLater, [&] { bench.read(0x2000, 64); });
  });
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[0].at, kCompletionTimeout);
  EXPECT_EQ(bench.done[1].at, kLater + kCompletionTimeout);
}

// Of a long read some requests are lost; it fails when the last of them was given up.
TEST(PcieErrors, AReadOfManyRequestsFailsOnceForAllThatWereLost) {
  PairBench bench{pair_with_timeout()};
  lose(bench, [](const Tlp& tlp) { return tlp.address % 1024 == 512; });
  bench.run([&] { bench.read(0, 4096); });
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].status, Status::kTimeout);
  EXPECT_EQ(bench.metric("dma.timeouts"), 4);
  EXPECT_EQ(bench.metric("dma.reads_failed"), 1);
  EXPECT_GE(bench.done[0].at, kCompletionTimeout);
  EXPECT_LE(bench.done[0].at, kCompletionTimeout + 100 * kNanosecond);
}

// With all tags lost, the reads that waited for them get them when they are given up.
TEST(PcieErrors, TagsOfReadsThatTimedOutAreUsedAgain) {
  PairBench bench{pair_with_timeout()};
  bench.requester.set_limits(256, 512, 4);
  lose(bench, [](const Tlp& tlp) { return tlp.address < 16384; });
  bench.run([&] {
    for (std::uint64_t i = 0; i < 40; ++i) bench.read(i * 4096, 256);
  });
  ASSERT_EQ(bench.done.size(), 40U);
  unsigned good = 0;
  for (const PairBench::Done& done : bench.done) good += done.status == Status::kSuccess ? 1 : 0;
  EXPECT_EQ(good, 36U);
  EXPECT_EQ(bench.metric("dma.timeouts"), 4);
}

TEST(PcieErrors, AMemoryThatRefusesAbortsTheRead) {
  PairConfig config = pair_with_timeout();
  config.memory_bytes = 8192;
  PairBench bench{config};
  bench.run([&] {
    bench.read(8192, 64);
    bench.read(8192 - 512, 1024);
    bench.read(0, 64);
  });
  ASSERT_EQ(bench.done.size(), 3U);
  std::map<std::uint64_t, Status> status;
  for (const PairBench::Done& done : bench.done) status[done.ticket] = done.status;
  EXPECT_EQ(status[0], Status::kCompleterAbort);
  EXPECT_EQ(status[1], Status::kCompleterAbort);
  EXPECT_EQ(status[2], Status::kSuccess);
  ASSERT_EQ(bench.hierarchy.errors().size(), 2U);
  EXPECT_EQ(bench.hierarchy.errors()[0].what,
            "completer abort from 00:01.0 for a read of 64 B at 0x2000 (nobody)");
}

TEST(PcieErrors, AMemoryThatRefusesAWriteReportsItAndGoesOn) {
  PairConfig config = pair_with_timeout();
  config.memory_bytes = 8192;
  PairBench bench{config};
  bench.run([&] {
    bench.write(8192, {1, 2, 3, 4});
    bench.write(0, {5, 6, 7, 8});
  });
  EXPECT_EQ(bench.memory.bytes()[0], 5);
  ASSERT_EQ(bench.hierarchy.errors().size(), 1U);
  EXPECT_EQ(bench.hierarchy.errors()[0].what, "the memory refused a write of 4 B at 0x2000");
}

// One that answers a tag that is not in use is reported, and harms no read.
TEST(PcieErrors, AnUnexpectedCompletionIsReported) {
  PairConfig config = pair_with_timeout();
  config.alarms = 1;
  PairBench bench{config};
  bench.run([&] {
    bench.read(0, 64);
    bench.at(0, 50 * kNanosecond, [&] {
      const LazyScheduler::Visit visit(bench.hierarchy.scheduler());
      const TlpRef tlp = bench.hierarchy.tlps().acquire();
      tlp->type = TlpType::kCompletion;
      tlp->tag = 77;
      tlp->completer = DeviceId::of(2, 3);
      bench.send(bench.root_port, tlp);
    });
  });
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].status, Status::kSuccess);
  EXPECT_EQ(bench.metric("dma.unexpected"), 1);
  ASSERT_EQ(bench.hierarchy.errors().size(), 1U);
  EXPECT_EQ(bench.hierarchy.errors()[0].what,
            "an unexpected completion of tag 77 came from 02:03.0");
}

// A listener hears of a transfer after the call that gave it, also if that was done at once.
TEST(PcieErrors, AWriteThatGoesOnTheLineAtOnceIsNotDoneWithinTheCall) {
  PairBench bench{pair_with_timeout()};
  bench.run([&] { bench.write(0, {1, 2, 3, 4}); });
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].at, 0);
  EXPECT_EQ(bench.within_call, 0U);
}

}  // namespace
}  // namespace railyard::pcie::bench
