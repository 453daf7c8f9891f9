// The ordering rules over a link and its completer: who passes whom, and what a consumer sees.
#include <gtest/gtest.h>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

const std::vector<std::uint8_t> kData(256, 0xDA);
const std::vector<std::uint8_t> kFlag(4, 0xF1);
constexpr std::uint64_t kFlagAddress = 0x10'0000;
constexpr std::size_t kNever = ~std::size_t{0};

// What came to an end of the link, by address, in order.
struct Arrivals {
  std::vector<std::uint64_t> addresses;

  std::function<bool(TlpRef&)> note() {
    return [this](TlpRef& tlp) {
      addresses.push_back(tlp->address);
      return false;
    };
  }
  std::size_t place(std::uint64_t address) const {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (addresses[i] == address) return i;
    }
    return kNever;
  }
};

// The completer works on one read at a time and the link has one credit for them: so the third
// read waits in the device, and the write that was given after it need not.
TEST(PcieOrder, PostedPassesABlockedNonPosted) {
  PairConfig config;
  config.root_credits.non_posted_headers = 1;
  config.completer.reads = 1;
  PairBench bench{config};
  bench.memory.slow = [](const MemoryAccess& access) { return !access.write; };
  Arrivals arrivals;
  bench.root_takes = arrivals.note();
  bench.run([&] {
    for (std::uint64_t i = 0; i < 3; ++i) bench.read(0x1000 + i * 0x1000, 64);
    bench.write(0x8000, kData);
  });
  ASSERT_EQ(bench.done.size(), 4U);
  EXPECT_EQ(arrivals.addresses, (std::vector<std::uint64_t>{0x1000, 0x8000, 0x2000, 0x3000}));
  EXPECT_GT(bench.metric("device.time.credits_ns"), 500);
}

// Room for one payload, which slow memory holds: reads have their credits, and wait behind the
// second write all the same.
TEST(PcieOrder, NonPostedDoesNotPassPosted) {
  PairConfig config;
  config.root_credits.posted_data = 16;
  PairBench bench{config};
  bench.memory.slow = [](const MemoryAccess& access) { return access.write; };
  Arrivals arrivals;
  bench.root_takes = arrivals.note();
  bench.run([&] {
    bench.write(0x1000, kData);
    bench.write(0x2000, kData);
    bench.read(0x3000, 64, false, true);
    bench.write(0x4000, kData);
  });
  EXPECT_EQ(arrivals.addresses, (std::vector<std::uint64_t>{0x1000, 0x2000, 0x3000, 0x4000}));
  EXPECT_GT(bench.metric("device.time.ordering_ns"), 500);
}

// Writes towards the device, which holds the first, so that the second lacks its credit.
struct TowardsDevice {
  explicit TowardsDevice(PairConfig config = {}) : bench(with(config)) {
    bench.device_takes = [this](TlpRef& tlp) {
      if (tlp->type != TlpType::kMemoryWrite) return false;
      came.push_back(tlp->address);
      bench.hierarchy.write_ends(*tlp);
      if (held) {
        release(*tlp);
        return true;
      }
      held = tlp;
      bench.at(0, bench.hierarchy.now() + 5 * kMicrosecond, [this] {
        const LazyScheduler::Visit visit(bench.hierarchy.scheduler());
        release(*held);
      });
      return true;
    };
  }
  static PairConfig with(PairConfig config) {
    config.device_credits.posted_headers = 1;
    config.alarms = 1;
    config.eager = true;
    return config;
  }
  void write(std::uint64_t address) {
    const TlpRef tlp = bench.hierarchy.tlps().acquire();
    tlp->type = TlpType::kMemoryWrite;
    tlp->address = address;
    tlp->bytes = 64;
    bench.send(bench.root_port, tlp);
  }

  PairBench bench;
  TlpRef held;
  std::vector<std::uint64_t> came;
};

Time read_behind_blocked_writes(bool relaxed) {
  TowardsDevice towards;
  PairBench& bench = towards.bench;
  bench.run([&] {
    towards.write(0x1000);
    towards.write(0x2000);
    DmaRequest request;
    request.relaxed = relaxed;
    request.bytes = 64;
    bench.give(std::move(request));
  });
  EXPECT_EQ(towards.came, (std::vector<std::uint64_t>{0x1000, 0x2000}));
  EXPECT_EQ(bench.done.size(), 1U);
  towards.held = {};
  return bench.last_done;
}

TEST(PcieOrder, CompletionDoesNotPassPosted) {
  EXPECT_GT(read_behind_blocked_writes(false), 5 * kMicrosecond);
}

TEST(PcieOrder, RelaxedCompletionPassesPosted) {
  EXPECT_LT(read_behind_blocked_writes(true), kMicrosecond);
}

// A receiver may limit completions: then one that lacks credits lets writes pass.
TEST(PcieOrder, PostedPassesABlockedCompletion) {
  PairConfig config;
  config.device_credits.completion_headers = 1;
  config.device_credits.completion_data = 16;
  config.alarms = 2;
  PairBench bench{config};
  std::vector<FlowClass> came;
  TlpRef held;
  bench.device_takes = [&](TlpRef& tlp) {
    came.push_back(tlp->flow_class());
    if (tlp->type == TlpType::kMemoryWrite) {
      bench.hierarchy.write_ends(*tlp);
      release(*tlp);
      return true;
    }
    if (held) return false;
    held = tlp;
    bench.requester.completed(*tlp);
    return true;
  };
  bench.run([&] {
    bench.read(0, 512);
    bench.at(0, 2 * kMicrosecond, [&] {
      const TlpRef tlp = bench.hierarchy.tlps().acquire();
      tlp->type = TlpType::kMemoryWrite;
      tlp->bytes = 64;
      bench.send(bench.root_port, tlp);
    });
    bench.at(1, 5 * kMicrosecond, [&] {
      const LazyScheduler::Visit visit(bench.hierarchy.scheduler());
      release(*held);
    });
  });
  EXPECT_EQ(came, (std::vector<FlowClass>{FlowClass::kCompletion, FlowClass::kPosted,
                                          FlowClass::kCompletion}));
  EXPECT_EQ(bench.done.size(), 1U);
  held = {};
}

// A producer writes data, then a flag. Says when each was seen.
struct SeenAt {
  Time data = kForever;  // the last of it
  Time flag = kForever;
};

SeenAt produce(PairConfig config, std::uint64_t bytes, bool relaxed, bool slow_data) {
  PairBench bench{config};
  if (slow_data) {
    bench.memory.slow = [](const MemoryAccess& access) { return access.address < kFlagAddress; };
  }
  SeenAt seen;
  std::uint64_t committed = 0;
  bench.memory.on_commit = [&](const MemoryAccess& access) {
    if (access.address == kFlagAddress) {
      seen.flag = bench.hierarchy.now();
    } else if ((committed += access.bytes) == bytes) {
      seen.data = bench.hierarchy.now();
    }
  };
  bench.run([&] {
    bench.write(0x1003, std::vector<std::uint8_t>(bytes, 0xDA));
    bench.write(kFlagAddress, kFlag, relaxed);
  });
  return seen;
}

TEST(PcieOrder, AFlagIsNeverSeenBeforeItsDataWhoseMemoryIsSlow) {
  const SeenAt seen = produce(PairConfig{}, 20'000, false, true);
  ASSERT_NE(seen.data, kForever);
  EXPECT_LE(seen.data, seen.flag);
  EXPECT_NE(seen.flag, kForever);
}

TEST(PcieOrder, ARelaxedFlagIsSeenBeforeItsDataWhoseMemoryIsSlow) {
  const SeenAt seen = produce(PairConfig{}, 20'000, true, true);
  ASSERT_NE(seen.data, kForever);
  EXPECT_LT(seen.flag, seen.data);
}

// Data credits for one payload and a little more: the second payload waits, the flag has its own.
PairConfig few_data_credits() {
  PairConfig config;
  config.root_credits.posted_data = 17;
  return config;
}

TEST(PcieOrder, AFlagDoesNotPassItsDataThatLacksCredits) {
  const SeenAt seen = produce(few_data_credits(), 2048, false, false);
  ASSERT_NE(seen.data, kForever);
  EXPECT_LE(seen.data, seen.flag);
  EXPECT_NE(seen.flag, kForever);
}

TEST(PcieOrder, ARelaxedFlagPassesItsDataThatLacksCredits) {
  const SeenAt seen = produce(few_data_credits(), 2048, true, false);
  ASSERT_NE(seen.data, kForever);
  EXPECT_LT(seen.flag, seen.data);
}

// What a read brings is as new as all writes before it, though its memory was faster.
TEST(PcieOrder, AReadBringsTheDataOfTheWritesBeforeIt) {
  PairBench bench{PairConfig{}};
  bench.memory.slow = [](const MemoryAccess& access) { return access.write; };
  bench.run([&] {
    bench.write(0x1000, kData);
    bench.read(0x1000, 256, false, true);
  });
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[1].bytes, kData);
}

// A write of which the last part is not in the port's queue yet.
TEST(PcieOrder, AFencedReadGoesBehindAllWritesThatWereGivenBefore) {
  for (const bool fenced : {false, true}) {
    const support::FreshKernel kernel;
    PairBench bench{PairConfig{}};
    const std::vector<std::uint8_t> data(65536, 0xDA);
    bench.run([&] {
      bench.write(0, data);
      bench.read(65536 - 256, 256, false, fenced);
    });
    ASSERT_EQ(bench.done.size(), 2U);
    for (const PairBench::Done& done : bench.done) {
      EXPECT_EQ(done.bytes == kData, done.ticket == 1 && fenced);
    }
  }
}

}  // namespace
}  // namespace railyard::pcie::bench
