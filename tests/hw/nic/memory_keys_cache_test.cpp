// What translation costs: hits, misses, what waits for whom.
#include <gtest/gtest.h>

#include "tests/hw/nic/memory_keys_bench.h"
#include "tests/support/allocations.h"

namespace railyard::nic {
namespace {

constexpr std::uint64_t kBase = 0x10'0000;

TEST(NicMemoryKeyCaches, ATranslationTakesTheStagesTimeIfAllIsThere) {
  KeysBench bench;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, 16 * kPage);
    bench.translate(KeysBench::range(key, kBase + 7 * kPage, 2 * kPage));
  });
  const Time t = 10 * kMicrosecond;
  bench.at(t, [&] {
    EXPECT_EQ(bench.translate(KeysBench::range(key, kBase, 4096)), t + kKeyStage);
    EXPECT_EQ(bench.mapping.count, 1U);
    EXPECT_EQ(bench.translate(KeysBench::range(key, kBase + 9 * kPage, 4096)),
              t + kKeyInterval + kKeyStage);
    EXPECT_EQ(bench.translate(KeysBench::range(key, kBase, 4096), 0, kMicrosecond),
              t + kMicrosecond + kKeyStage);
    // A refusal takes it as well, and so does a range without bytes.
    EXPECT_EQ(bench.translate(KeysBench::range(key, 0, 1)),
              t + kMicrosecond + kKeyInterval + kKeyStage);
    EXPECT_EQ(bench.translate(KeysBench::range(0, 0, 0)),
              t + kMicrosecond + 2 * kKeyInterval + kKeyStage);
  });
  bench.run();
  EXPECT_EQ(bench.answers.size(), 1U);
  EXPECT_EQ(bench.count("nic.key_cache.misses"), 1U);
  EXPECT_EQ(bench.count("nic.key_cache.hits"), 4U);
  EXPECT_EQ(bench.count("nic.translation_cache.misses"), 2U);
  EXPECT_EQ(bench.count("nic.translation_cache.hits"), 3U);
}

TEST(NicMemoryKeyCaches, AMissTakesAReadOfEachThatIsNotThereAndThenTheStage) {
  KeysBench bench;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, 32 * kPage);
  });
  const Time t = 10 * kMicrosecond;
  bench.at(t,
           [&] { bench.translate(KeysBench::range(key, kBase + 7 * kPage, 2 * kPage), 1, 100); });
  bench.at(2 * t, [&] { bench.translate(KeysBench::range(key, kBase + 16 * kPage, 1), 2); });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  // The key, a line, the next line.
  EXPECT_EQ(bench.answers[0].at, t + 100 + 3 * kReadTime + kKeyStage);
  EXPECT_EQ(bench.answers[1].at, 2 * t + kReadTime + kKeyStage);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reads;
  for (const auto& a : bench.function.asked) {
    if (!a.request.write) reads.emplace_back(a.request.address, a.request.bytes);
  }
  EXPECT_EQ(reads,
            (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{bench.context_address(key), 64},
                                                                  {bench.table_address(0), 64},
                                                                  {bench.table_address(8), 64},
                                                                  {bench.table_address(16), 64}}));
  EXPECT_EQ(bench.metric("nic.key_cache.miss_latency_ns_max").real, 400.0);
  EXPECT_EQ(bench.metric("nic.translation_cache.miss_latency_ns_mean").real, 400.0);
  // Blocked while it waited, but for what lies before it came.
  EXPECT_DOUBLE_EQ(bench.metric("nic.translation.blocked_key_miss_ns").real, 1600.0);
}

TEST(NicMemoryKeyCaches, WhatWasJustMadeIsReadBehindItsWrites) {
  KeysBench bench;
  bench.function.write_time = 5 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    const std::uint32_t key = bench.create(kBase, 4 * kPage);
    bench.translate(KeysBench::range(key, kBase, 64));
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 1U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.answers[0].at, 10 * kMicrosecond + 2 * kReadTime + kKeyStage);
}

TEST(NicMemoryKeyCaches, OthersGoOnWhileOneKeyIsRead) {
  KeysBench bench;
  std::vector<std::uint32_t> keys(3);
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    for (std::uint32_t& key : keys) key = bench.create(kBase, 4 * kPage);
    bench.translate(KeysBench::range(keys[0], kBase, 64));
  });
  const Time t = 10 * kMicrosecond;
  bench.at(t, [&] {
    EXPECT_EQ(bench.translate(KeysBench::range(keys[1], kBase, 64), 1), kForever);
    EXPECT_EQ(bench.translate(KeysBench::range(keys[0], kBase, 64)), t + kKeyStage);
    EXPECT_EQ(bench.translate(KeysBench::range(keys[2], kBase, 64), 2), kForever);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 3U);
  EXPECT_EQ(bench.answers[1].at, t + 2 * kReadTime + kKeyStage);  // both at once
  EXPECT_EQ(bench.answers[2].at, t + 2 * kReadTime + kKeyInterval + kKeyStage);
}

TEST(NicMemoryKeyCaches, NobodyPassesOneWhoWaitsForTheSameKeyThoughAllAreReadAtOnce) {
  KeysBench bench;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, 64 * kPage);
    bench.translate(KeysBench::range(key, kBase, 64));  // the key and its first line
  });
  const Time t = 10 * kMicrosecond;
  const Time there = t + kReadTime;
  bench.at(t, [&] {
    bench.translate(KeysBench::range(key, kBase + 8 * kPage, 64), 1);
    bench.translate(KeysBench::range(key, kBase, 64), 2);  // would hit
    bench.translate(KeysBench::range(key, kBase + 16 * kPage, 64), 3);
    bench.translate(KeysBench::range(key, 0, 1), 4);          // would be refused
    bench.translate(KeysBench::range(key, kBase, 0), 5);      // needs nothing
    bench.translate(KeysBench::range(key ^ 3, kBase, 1), 6);  // the same index
    bench.translate(KeysBench::range(key, kBase + 8 * kPage, 64), 7);
  });
  bench.at(there + 1, [&] {
    // All is there, but those before have not left the stage.
    EXPECT_EQ(bench.translate(KeysBench::range(key, kBase, 64), 8), kForever);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 9U);
  for (std::uint64_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(bench.answers[i].ticket, i);
    EXPECT_EQ(bench.answers[i].at, there + static_cast<Time>(i - 1) * kKeyInterval + kKeyStage);
  }
  EXPECT_EQ(bench.answers[4].mapping.error, KeyError::kBounds);
  EXPECT_EQ(bench.answers[6].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.count("nic.translation_cache.misses"), 3U);
  EXPECT_EQ(bench.count("nic.translation_cache.joined"), 1U);
}

TEST(NicMemoryKeyCaches, ReadSoManyLinesAtOnceAndTheOthersInOrder) {
  KeysBench bench(small_key_caches({16, 4, 8}, {16, 16, 3}));
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, 80 * kPage);
    bench.translate(KeysBench::range(key, kBase, 64), 0);
  });
  const Time t = 10 * kMicrosecond;
  bench.at(t, [&] {
    for (std::uint64_t i = 1; i <= 8; ++i) {
      bench.translate(KeysBench::range(key, kBase + 8 * i * kPage, 64), i);
    }
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 9U);
  for (std::uint64_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(bench.answers[i].ticket, i);
    const Time read = t + kReadTime * static_cast<Time>((i - 1) / 3 + 1);
    EXPECT_EQ(bench.answers[i].at,
              read + kKeyInterval * static_cast<Time>((i - 1) % 3) + kKeyStage);
  }
  EXPECT_EQ(bench.function.most_reads, 3U);
  EXPECT_EQ(bench.count("nic.translation_cache.misses_in_flight_peak"), 3U);
}

TEST(NicMemoryKeyCaches, ARangeOverTwoLinesEndsEvenInACacheOfOne) {
  KeysBench bench(small_key_caches({1, 1, 1}, {1, 1, 1}));
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    const std::uint32_t a = bench.create(kBase, 32 * kPage);
    const std::uint32_t b = bench.create(kBase, 32 * kPage);
    for (std::uint64_t i = 0; i < 10; ++i) {
      bench.translate(KeysBench::range(i % 2 == 0 ? a : b, kBase + 7 * kPage + 1, 8192), i);
    }
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 10U);
  for (const auto& answer : bench.answers) {
    EXPECT_EQ(segments(answer.mapping), (Segments{{KeysBench::bus_page(7) + 1, 4095},
                                                  {KeysBench::bus_page(8), 4096},
                                                  {KeysBench::bus_page(9), 1}}));
  }
}

/// Keys of one page each, used in turn.
void use_in_turn(std::uint32_t count, std::uint32_t rounds, std::uint64_t expected_misses) {
  KeysBench bench(small_key_caches({16, 4, 8}, {64, 4, 8}));
  std::vector<std::uint32_t> keys(count);
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    for (std::uint32_t& key : keys) key = bench.create(kBase, kPage);
  });
  for (std::uint32_t i = 0; i < count * rounds; ++i) {
    bench.at(Time{i + 1} * 10 * kMicrosecond,
             [&, i] { bench.translate(KeysBench::range(keys[i % count], kBase, 64)); });
  }
  bench.run();
  EXPECT_EQ(bench.count("nic.key_cache.misses"), expected_misses);
  EXPECT_EQ(bench.count("nic.key_cache.hits"), std::uint64_t{count} * rounds - expected_misses);
  EXPECT_EQ(bench.count("nic.translation_cache.misses"), count);
  EXPECT_EQ(bench.count("nic.dma.translation.reads"), expected_misses + count);
}

TEST(NicMemoryKeyCaches, HoldAsManyKeysAsTheyHaveEntries) { use_in_turn(16, 5, 16); }

// One more than its ways in a set of 4 misses every time, 5 times 5; the other 12 do once.
TEST(NicMemoryKeyCaches, MissAlwaysInASetThatHasOneKeyTooManyInTurn) { use_in_turn(17, 5, 37); }

TEST(NicMemoryKeyCaches, MissAlwaysIfAllSetsHaveTooManyInTurn) { use_in_turn(20, 5, 100); }

TEST(NicMemoryKeyCaches, AllWhoWaitForALineSeeItBeforeAnotherTakesItsPlace) {
  KeysBench bench(small_key_caches({4, 4, 4}, {1, 1, 1}));
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    const std::uint32_t key = bench.create(kBase, 32 * kPage);
    for (std::uint64_t i = 0; i < 5; ++i) {
      bench.translate(KeysBench::range(key, kBase + 7 * kPage + 1, 4096), i);
    }
  });
  bench.run();
  EXPECT_EQ(bench.answers.size(), 5U);
  EXPECT_EQ(bench.count("nic.translation_cache.misses"), 2U);
}

TEST(NicMemoryKeyCaches, AllocateNothingOnceWarm) {
  KeysBench bench(small_key_caches({16, 4, 4}, {16, 4, 4}));
  bench.function.keeps = false;
  bench.answers.reserve(40'000);
  std::vector<std::uint32_t> keys(32);
  RandomStream random(4, "load");
  std::uint64_t warm = 0;
  std::uint64_t late = 0;
  const auto wish = [&] {
    return KeysBench::range(keys[random.below(32)], kBase + random.below(14 * kPage), 8192);
  };
  bench.on_answer = [&](const KeysBench::Answer&) {
    if (bench.answers.size() == 3000) warm = support::allocations();
    if (bench.answers.size() == 30'000) late = support::allocations();
    if (bench.answers.size() > 30'000) return;
    while (bench.translate(wish()) != kForever) {
    }
  };
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    for (std::uint32_t& key : keys) key = bench.create(kBase, 16 * kPage);
    for (int i = 0; i < 60; ++i) bench.translate(wish());
  });
  bench.run();
  EXPECT_GT(warm, 0U);
  EXPECT_EQ(late, warm);
}

}  // namespace
}  // namespace railyard::nic
