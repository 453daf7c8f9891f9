#include "hw/nic/qp_contexts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/hw/nic/memory_bench.h"
#include "tests/support/allocations.h"
#include "tlm/base/error.h"

namespace railyard::nic {
namespace {

constexpr Time kContextClock = 2 * kNanosecond;
constexpr Time kStage = 3 * kContextClock;
constexpr Time kContextInterval = 2 * kContextClock;
constexpr std::uint64_t kMemory = 0x4000;
constexpr std::uint64_t context_address(std::uint64_t slot) { return kMemory + slot * 256; }

NicConfig small_cache(std::uint32_t entries, std::uint32_t ways, std::uint32_t misses = 16) {
  NicConfig config;
  config.clock = kContextClock;
  config.stages.context = {3, 2};
  config.qp_cache = {entries, ways, misses};
  config.limits.qps = 1024;
  return config;
}

struct ContextBench : MemoryBench, ContextClient, QpControl, QpLookup {
  explicit ContextBench(const NicConfig& parameters)
      : MemoryBench(parameters), contexts(std::make_unique<QpContexts>(units)) {}

  struct Ready {
    Time at;
    std::uint32_t slot;
    std::uint64_t ticket;
    bool operator==(const Ready& o) const {
      return at == o.at && slot == o.slot && ticket == o.ticket;
    }
  };
  void context_ready(std::uint32_t slot, std::uint64_t ticket) override {
    ready.push_back({now(), slot, ticket});
    if (on_ready) on_ready(slot, ticket);
  }
  Time want(std::uint32_t slot, std::uint64_t ticket = 0, Time ahead = 0) {
    return contexts->want(slot, now() + ahead, 0, *this, ticket);
  }
  void create(std::uint32_t count) {
    contexts->set_memory(kMemory);
    for (std::uint32_t slot = 0; slot < count; ++slot) contexts->create(slot);
  }
  void fail(Qp& broken, abi::EventType type) override { failed.emplace_back(&broken, type); }
  Qp* find(std::uint32_t /*number*/) override { return nullptr; }
  Qp& in_slot(std::uint32_t slot) override {
    asked_slot = slot;
    return qp;
  }

  std::unique_ptr<QpContexts> contexts;
  std::vector<Ready> ready;
  std::function<void(std::uint32_t, std::uint64_t)> on_ready;
  Qp qp;
  std::uint32_t asked_slot = 0;
  std::vector<std::pair<Qp*, abi::EventType>> failed;
};

TEST(NicQpContexts, AreAtHandInTheStagesTimeWhileTheyAreInTheCache) {
  ContextBench bench(small_cache(8, 4));
  bench.at(kMicrosecond, [&] {
    bench.create(8);
    EXPECT_EQ(bench.want(3), kMicrosecond + kStage);
    EXPECT_EQ(bench.want(4), kMicrosecond + kContextInterval + kStage);
    EXPECT_EQ(bench.want(3, 0, kMicrosecond), 2 * kMicrosecond + kStage);
  });
  bench.run();
  EXPECT_TRUE(bench.function.asked.empty());
  EXPECT_EQ(bench.count("nic.qp_cache.hits"), 3U);
  EXPECT_EQ(bench.count("nic.qp_cache.misses"), 0U);
}

TEST(NicQpContexts, AreAllAtHandWithoutMemory) {
  ContextBench bench(small_cache(2, 2));
  bench.at(0, [&] {
    for (std::uint32_t slot = 0; slot < 8; ++slot) bench.contexts->create(slot);
    for (std::uint32_t slot = 0; slot < 8; ++slot) EXPECT_NE(bench.want(slot), kForever);
    // With it, they are there.
    bench.contexts->set_memory(kMemory);
  });
  bench.at(kMicrosecond, [&] { EXPECT_EQ(bench.want(7), kForever); });
  bench.run();
  ASSERT_EQ(bench.ready.size(), 1U);
  EXPECT_EQ(bench.function.memory[context_address(7) + 3], 7);
}

TEST(NicQpContexts, AMissTakesTheReadAndTheStageAndWritesBackTheLeastRecentlyUsed) {
  ContextBench bench(small_cache(2, 2));
  bench.function.memory.assign(bench.function.memory.size(), 0xEE);
  bench.at(0, [&] { bench.create(3); });  // 0 had to go
  bench.at(kMicrosecond, [&] {
    EXPECT_NE(bench.want(1), kForever);
    EXPECT_EQ(bench.want(0, 42, 100), kForever);  // 2 goes
  });
  bench.at(3 * kMicrosecond, [&] { EXPECT_NE(bench.want(1), kForever); });
  bench.run();
  using Ready = ContextBench::Ready;
  EXPECT_EQ(bench.ready, (std::vector<Ready>{{kMicrosecond + 100 + kReadTime + kStage, 0, 42}}));
  ASSERT_EQ(bench.function.asked.size(), 3U);
  const auto& first = bench.function.asked[0].request;
  EXPECT_TRUE(first.write);
  EXPECT_EQ(first.address, kMemory);
  EXPECT_EQ(first.bytes, 256U);
  const auto& second = bench.function.asked[2].request;
  EXPECT_TRUE(second.write);
  EXPECT_EQ(second.address, context_address(2));
  const auto& read = bench.function.asked[1];
  EXPECT_EQ(read.at, kMicrosecond + 100);
  EXPECT_FALSE(read.request.write);
  EXPECT_EQ(read.request.address, kMemory);
  EXPECT_EQ(read.request.bytes, 256U);
  // What lies there is the slot and zeros.
  std::vector<std::uint8_t> image(256);
  image[3] = 2;
  EXPECT_TRUE(std::equal(image.begin(), image.end(), &bench.function.memory[context_address(2)]));
  EXPECT_EQ(bench.count("nic.qp_cache.misses"), 1U);
  EXPECT_EQ(bench.count("nic.qp_cache.hits"), 2U);
  EXPECT_EQ(bench.count("nic.qp_cache.write_backs"), 2U);
  EXPECT_EQ(bench.metric("nic.qp_cache.miss_latency_ns_mean").real, 400.0);
}

TEST(NicQpContexts, AReadBehindAWriteBackOfTheSameSeesIt) {
  ContextBench bench(small_cache(1, 1));
  bench.function.write_time = 5 * kMicrosecond;  // as behind much payload
  bench.at(0, [&] { bench.create(2); });
  bench.at(kMicrosecond, [&] { bench.want(0); });
  bench.run();  // or what it reads is not its own, which stops the run
  ASSERT_EQ(bench.ready.size(), 1U);
  EXPECT_EQ(bench.ready[0].at, 5 * kMicrosecond + kReadTime + kStage);
}

TEST(NicQpContexts, WhoWantsWhatIsBeingReadJoinsInTheOrderOfAsking) {
  ContextBench bench(small_cache(2, 2));
  bench.at(0, [&] { bench.create(3); });
  const Time t = kMicrosecond;
  const Time there = t + kReadTime;
  bench.at(t, [&] { bench.want(0, 1); });
  bench.at(t + 10, [&] { bench.want(0, 2); });
  bench.at(t + 20, [&] { bench.want(0, 3, kMicrosecond); });  // comes when it is there already
  bench.at(there + 1, [&] {
    // The context is there, but those before have not left the stage: none passes them.
    EXPECT_EQ(bench.want(0, 4), kForever);
  });
  bench.run();
  using Ready = ContextBench::Ready;
  const Time late = t + 20 + kMicrosecond;
  EXPECT_EQ(bench.ready, (std::vector<Ready>{{there + kStage, 0, 1},
                                             {there + kContextInterval + kStage, 0, 2},
                                             {late + kStage, 0, 3},
                                             {late + kContextInterval + kStage, 0, 4}}));
  EXPECT_EQ(bench.count("nic.qp_cache.misses"), 1U);
}

TEST(NicQpContexts, OthersGoOnWhileOneIsRead) {
  ContextBench bench(small_cache(4, 4));
  bench.at(0, [&] { bench.create(5); });
  bench.at(kMicrosecond, [&] {
    EXPECT_EQ(bench.want(0), kForever);
    EXPECT_EQ(bench.want(3), kMicrosecond + kStage);
  });
  bench.run();
  EXPECT_EQ(bench.ready.size(), 1U);
  const double blocked = bench.metric("nic.context.blocked_context_miss_ns").real;
  // From the end of the other's interval to the read's.
  EXPECT_DOUBLE_EQ(blocked, 400.0 - 4.0);
}

TEST(NicQpContexts, ReadsSoManyAtOnceAndTheOthersInOrder) {
  ContextBench bench(small_cache(16, 16, 2));
  bench.at(0, [&] { bench.create(24); });  // 0 to 7 had to go
  const Time t = kMicrosecond;
  bench.at(t, [&] {
    for (std::uint32_t slot = 0; slot < 5; ++slot) bench.want(slot, slot);
  });
  bench.run();
  ASSERT_EQ(bench.ready.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(bench.ready[i].ticket, i);
    const Time read = t + kReadTime * static_cast<Time>(i / 2 + 1);
    EXPECT_EQ(bench.ready[i].at, read + (i % 2 == 0 ? 0 : kContextInterval) + kStage);
  }
  EXPECT_EQ(bench.function.most_reads, 2U);
}

TEST(NicQpContexts, AMissWaitsForALineThatIsNotBeingRead) {
  ContextBench bench(small_cache(4, 2));
  bench.at(0, [&] { bench.create(12); });
  bench.at(kMicrosecond, [&] {
    bench.want(0, 0);
    bench.want(2, 2);
    bench.want(4, 4);  // its set has two lines, and both are being read
  });
  bench.run();
  ASSERT_EQ(bench.ready.size(), 3U);
  EXPECT_EQ(bench.ready[2].at, kMicrosecond + 2 * kReadTime + kStage);
}

TEST(NicQpContexts, MissExactlyWhereAModelOfTheCacheMisses) {
  constexpr std::uint32_t kEntries = 32;
  constexpr std::uint32_t kWays = 4;
  constexpr std::uint32_t kSlots = 100;
  ContextBench bench(small_cache(kEntries, kWays));
  std::vector<std::vector<std::uint32_t>> sets(kEntries / kWays);
  const auto use = [&](std::uint32_t slot) {
    auto& set = sets[slot % sets.size()];
    const auto place = std::find(set.begin(), set.end(), slot);
    const bool hit = place != set.end();
    if (hit) {
      set.erase(place);
    } else if (set.size() == kWays) {
      set.erase(set.begin());
    }
    set.push_back(slot);
    return hit;
  };
  bench.at(0, [&] { bench.create(kSlots); });
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) use(slot);
  RandomStream random(5, "slots");
  std::uint64_t misses = 0;
  for (int i = 1; i <= 3000; ++i) {
    // Half of the accesses go to a quarter of the slots.
    const auto slot = static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 25 : kSlots));
    const bool hit = use(slot);
    if (!hit) ++misses;
    bench.at(Time{i} * kMicrosecond,
             [&bench, slot, hit] { EXPECT_EQ(bench.want(slot) != kForever, hit); });
  }
  bench.run();
  EXPECT_GT(misses, 1000U);
  EXPECT_EQ(bench.ready.size(), misses);
  EXPECT_EQ(bench.count("nic.qp_cache.misses"), misses);
  EXPECT_EQ(bench.count("nic.qp_cache.hits"), 3000 - misses);
  EXPECT_EQ(bench.count("nic.dma.context.reads"), misses);
  EXPECT_EQ(bench.count("nic.dma.context.writes"), kSlots - kEntries + misses);
}

TEST(NicQpContexts, KeepTheOrderOfEachSlotUnderRandomLoad) {
  ContextBench bench(small_cache(8, 2, 3));
  bench.function.jitter = kMicrosecond;
  bench.at(0, [&] { bench.create(24); });
  RandomStream random(9, "load");
  std::vector<std::uint64_t> asked(24);
  std::vector<std::uint64_t> answered(24);
  std::size_t answers = 0;
  const auto answer = [&](std::uint32_t slot, std::uint64_t ticket) {
    EXPECT_EQ(ticket, answered[slot]) << "slot " << slot;
    ++answered[slot];
    ++answers;
  };
  bench.on_ready = answer;
  for (int i = 0; i < 5000; ++i) {
    const auto slot = static_cast<std::uint32_t>(random.below(24));
    const auto ahead = static_cast<Time>(random.below(3) * 20'000);
    bench.at(kMicrosecond + Time{i} * 100 * kNanosecond, [&, slot, ahead] {
      const std::uint64_t ticket = asked[slot]++;
      if (bench.want(slot, ticket, ahead) != kForever) answer(slot, ticket);
    });
  }
  bench.run();
  EXPECT_EQ(answers, 5000U);
  EXPECT_EQ(asked, answered);
  EXPECT_EQ(bench.count("nic.qp_cache.misses_in_flight_peak"), 3U);
  EXPECT_GT(bench.ready.size(), 2000U);
  EXPECT_LT(bench.ready.size(), 4900U);
}

TEST(NicQpContexts, OneThatGoesIsNotWrittenAndThoseWhoWaitAreTold) {
  ContextBench bench(small_cache(2, 2));
  bench.at(0, [&] { bench.create(3); });
  bench.at(kMicrosecond, [&] {
    bench.contexts->destroy(1);
    bench.want(0, 1);  // takes the place of 1
  });
  bench.at(kMicrosecond + 100, [&] { bench.contexts->destroy(0); });
  bench.at(kMicrosecond + 200, [&] {
    bench.contexts->create(0);
    bench.want(0, 2);
  });
  bench.at(3 * kMicrosecond, [&] { EXPECT_NE(bench.want(0, 3), kForever); });
  bench.run();
  ASSERT_EQ(bench.ready.size(), 2U);
  EXPECT_EQ(bench.ready[0].ticket, 1U);
  EXPECT_EQ(bench.ready[1].ticket, 2U);
  // 0 when 2 was made, and 2 when 0 was made again: the line of its first read was not free yet.
  EXPECT_EQ(bench.count("nic.qp_cache.write_backs"), 2U);
}

TEST(NicQpContexts, WhatIsReadMustBeWhatWasWritten) {
  ContextBench bench(small_cache(2, 2));
  bench.at(0, [&] { bench.create(3); });
  bench.at(kMicrosecond, [&] {
    bench.function.memory[kMemory + 3] = 99;
    bench.want(0);
  });
  try {
    bench.run();
    FAIL() << "nobody has noticed";
  } catch (const InvariantError& error) {
    EXPECT_EQ(error.where(), "nic.context");
    EXPECT_NE(std::string(error.what()).find("slot 0"), std::string::npos) << error.what();
  }
}

TEST(NicQpContexts, OneThatCannotBeReadBreaksItsQueuePair) {
  ContextBench bench(small_cache(2, 2));
  bench.units.control = &bench;
  bench.units.qps = &bench;
  bench.at(0, [&] { bench.create(3); });
  bench.function.failing.insert(kMemory);
  bench.at(kMicrosecond, [&] {
    bench.want(0, 1);
    bench.want(0, 2);
  });
  bench.at(3 * kMicrosecond, [&] {
    bench.function.failing.clear();
    EXPECT_EQ(bench.want(0, 3), kForever);
  });
  bench.run();
  ASSERT_EQ(bench.failed.size(), 1U);
  EXPECT_EQ(bench.failed[0].first, &bench.qp);
  EXPECT_EQ(bench.failed[0].second, abi::EventType::kQpCatastrophic);
  EXPECT_EQ(bench.asked_slot, 0U);
  EXPECT_EQ(bench.ready.size(), 3U);
  EXPECT_EQ(bench.count("nic.qp_cache.reads_failed"), 1U);
}

TEST(NicQpContexts, OneThatSomebodyWroteOverBreaksItsQueuePair) {
  ContextBench bench(small_cache(2, 2));
  bench.units.control = &bench;
  bench.units.qps = &bench;
  bench.at(0, [&] { bench.create(3); });
  bench.at(kMicrosecond, [&] {
    bench.function.memory[kMemory + 3] = 99;
    bench.want(0, 1);
    bench.want(0, 2);
  });
  bench.run();
  ASSERT_EQ(bench.failed.size(), 1U);
  EXPECT_EQ(bench.failed[0].second, abi::EventType::kQpCatastrophic);
  EXPECT_EQ(bench.asked_slot, 0U);
  EXPECT_EQ(bench.ready.size(), 2U);
}

TEST(NicQpContexts, OneThatIsGoneIsNotBrokenByItsReadsFailure) {
  ContextBench bench(small_cache(2, 2));
  bench.units.control = &bench;
  bench.units.qps = &bench;
  bench.at(0, [&] { bench.create(3); });
  bench.function.failing.insert(kMemory);
  bench.at(kMicrosecond, [&] { bench.want(0, 1); });
  bench.at(kMicrosecond + 100, [&] {
    bench.contexts->destroy(0);
    bench.contexts->create(0);
  });
  bench.at(2 * kMicrosecond, [&] { EXPECT_NE(bench.want(0, 2), kForever); });
  bench.run();
  EXPECT_EQ(bench.ready.size(), 1U);
  EXPECT_TRUE(bench.failed.empty());
}

TEST(NicQpContexts, AllocateNothingOnceWarm) {
  ContextBench bench(small_cache(16, 4));
  bench.function.keeps = false;
  bench.ready.reserve(40'000);
  RandomStream random(4, "slots");
  std::uint64_t answers = 0;
  std::uint64_t warm = 0;
  std::uint64_t late = 0;
  bench.on_ready = [&](std::uint32_t, std::uint64_t) {
    if (++answers == 2000) warm = support::allocations();
    if (answers == 20'000) late = support::allocations();
    if (answers > 20'000) return;
    while (bench.want(static_cast<std::uint32_t>(random.below(64))) != kForever) {
    }
  };
  bench.at(0, [&] {
    bench.create(64);
    for (int i = 0; i < 50; ++i) bench.want(static_cast<std::uint32_t>(i));
  });
  bench.run();
  EXPECT_GT(warm, 0U);
  EXPECT_EQ(late, warm);
}

}  // namespace
}  // namespace railyard::nic
