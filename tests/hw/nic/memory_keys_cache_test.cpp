// What translation costs: hits, misses, what waits for whom.
#include <gtest/gtest.h>

#include <algorithm>

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
    bench.at((i + 1) * 10 * kMicrosecond,
             [&, i] { bench.translate(KeysBench::range(keys[i % count], kBase, 64)); });
  }
  bench.run();
  EXPECT_EQ(bench.count("nic.key_cache.misses"), expected_misses);
  EXPECT_EQ(bench.count("nic.key_cache.hits"), count * rounds - expected_misses);
  EXPECT_EQ(bench.count("nic.translation_cache.misses"), count);
  EXPECT_EQ(bench.count("nic.dma.translation.reads"), expected_misses + count);
}

TEST(NicMemoryKeyCaches, HoldAsManyKeysAsTheyHaveEntries) { use_in_turn(16, 5, 16); }

// One more than its ways in a set of 4 misses every time; the other sets do not.
TEST(NicMemoryKeyCaches, MissAlwaysInASetThatHasOneKeyTooManyInTurn) {
  use_in_turn(17, 5, 5 * 5 + 12);
}

TEST(NicMemoryKeyCaches, MissAlwaysIfAllSetsHaveTooManyInTurn) { use_in_turn(20, 5, 5 * 20); }

TEST(NicMemoryKeyCaches, AKeyThatGoesWhileItIsReadIsNoKey) {
  KeysBench bench;
  std::uint32_t key = 0;
  std::uint32_t next = 0;
  const Time t = 10 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, 16 * kPage);
  });
  bench.at(t, [&] {
    bench.translate(KeysBench::range(key, kBase, 64), 0);
    bench.translate(KeysBench::range(key, kBase, 64), 1);
  });
  bench.at(t + 100, [&] {
    EXPECT_EQ(bench.keys->destroy(key), abi::CommandStatus::kOk);
    bench.translate(KeysBench::range(key, kBase, 64), 2);
    next = bench.create(0x5000, kPage);  // the same index
    EXPECT_EQ(next, key + 1);
    bench.translate(KeysBench::range(next, 0x5000, 64), 3);
    bench.translate(KeysBench::range(key, kBase, 64), 4);
    bench.translate(KeysBench::range(key, kBase, 0), 5);  // needs nothing, and waits all the same
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 6U);
  for (std::uint64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(bench.answers[i].ticket, i);
    const bool good = i == 3 || i == 5;
    EXPECT_EQ(bench.answers[i].mapping.error, good ? KeyError::kNone : KeyError::kNoSuchKey);
  }
  EXPECT_EQ(bench.answers[0].at, t + kReadTime + kKeyStage);
  EXPECT_EQ(segments(bench.answers[3].mapping), (Segments{{KeysBench::bus_page(0), 64}}));
}

TEST(NicMemoryKeyCaches, AKeyThatGoesWhileItsPagesAreReadIsNoKeyAndNextItsPagesAreAnothers) {
  KeysBench bench;
  const Time t = 10 * kMicrosecond;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, 16 * kPage);
    bench.translate(KeysBench::range(key, kBase, 64), 0);
  });
  bench.at(t, [&] { bench.translate(KeysBench::range(key, kBase + 8 * kPage, 64), 1); });
  bench.at(t + 100, [&] {
    bench.keys->destroy(key);
    std::uint32_t other = 0;  // has the same entries
    const std::vector<std::uint64_t> pages(9, 0x66'0000);
    ASSERT_EQ(bench.keys->create({0, 9 * kPage, 3, 0, 12}, pages, other), abi::CommandStatus::kOk);
    bench.translate(KeysBench::range(other, 0x10, 64), 2);
    bench.translate(KeysBench::range(other, 8 * kPage, 64), 3);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 4U);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(segments(bench.answers[2].mapping), (Segments{{0x66'0010, 64}}));
  EXPECT_EQ(segments(bench.answers[3].mapping), (Segments{{0x66'0000, 64}}));
}

TEST(NicMemoryKeyCaches, AReadThatFailsForAKeyThatIsGoneIsNoMatterOfTheNextOne) {
  KeysBench bench;
  std::uint32_t key = 0;
  const Time t = 10 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kBase, kPage);
    bench.function.failing.insert(bench.context_address(key));
  });
  bench.at(t, [&] { bench.translate(KeysBench::range(key, kBase, 64), 0); });
  bench.at(t + 100, [&] {
    bench.keys->destroy(key);
    bench.translate(KeysBench::range(bench.create(kBase, kPage), kBase, 64), 1);
  });
  bench.at(t + kReadTime + 50, [&] { bench.function.failing.clear(); });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.count("nic.key_cache.misses"), 2U);
}

TEST(NicMemoryKeyCaches, AReadThatFailsInMemoryThatIsGivenUpIsNoMatterOfTheNext) {
  KeysBench bench;
  const Time t = 10 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    bench.function.failing.insert(bench.context_address(0));
  });
  bench.at(t, [&] { bench.translate(KeysBench::range(2, kBase, 64), 0); });  // not made yet
  bench.at(t + 100, [&] {
    bench.keys->set_memory(2 * kKeyMemory);
    const std::uint32_t key = bench.create(kBase, kPage);
    EXPECT_EQ(key, 1U);
    bench.translate(KeysBench::range(key, kBase, 64), 1);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.count("nic.key_cache.misses"), 2U);
}

TEST(NicMemoryKeyCaches, AKeyIsFoundThoughItsIndexWasAskedForBeforeItWasMade) {
  KeysBench bench;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    bench.translate(KeysBench::range(1, kBase, 64), 0);
  });
  bench.at(10 * kMicrosecond, [&] {
    EXPECT_NE(bench.translate(KeysBench::range(1, kBase, 64)), kForever);  // it is known as none
    EXPECT_EQ(bench.mapping.error, KeyError::kNoSuchKey);
    EXPECT_EQ(bench.create(kBase, kPage), 1U);
    bench.translate(KeysBench::range(1, kBase, 64), 1);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNone);
}

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

/// Many keys that come and go under random accesses whose reads overtake each other, against what
/// the keys say.
TEST(NicMemoryKeyCaches, AnswerRightAndInOrderUnderRandomLoad) {
  constexpr std::uint32_t kKeys = 24;
  KeysBench bench(small_key_caches({16, 2, 3}, {32, 2, 3}));
  bench.function.jitter = kMicrosecond;
  struct Live {
    std::uint32_t key = 0;
    std::uint64_t seed = 0;
  };
  std::vector<Live> live(kKeys);
  struct Asked {
    std::size_t place;
    KeyedRange range;
    std::uint64_t first_page;
    bool answered = false;
  };
  std::vector<Asked> asked;
  std::vector<std::uint64_t> latest(kKeys);
  std::uint64_t refused = 0;
  std::uint64_t late = 0;
  RandomStream random(11, "load");
  const auto remake = [&](Live& l) {
    std::vector<std::uint64_t> pages;
    l.seed = random.below(1U << 20) << 20;
    for (std::uint64_t i = 0; i < 20; ++i) pages.push_back(l.seed + 2 * i * kPage);
    ASSERT_EQ(bench.keys->create({kBase, 20 * kPage, 3, kAllRights, 12}, pages, l.key),
              abi::CommandStatus::kOk);
  };
  const auto answer = [&](std::uint64_t ticket, const Mapping& mapping) {
    Asked& a = asked[ticket];
    EXPECT_FALSE(a.answered);
    a.answered = true;
    EXPECT_GE(ticket + 1, latest[a.place]) << "passed another of its key";
    latest[a.place] = ticket + 1;
    if (mapping.error != KeyError::kNone) {
      // It was destroyed meanwhile, and so is not what is there now.
      EXPECT_EQ(mapping.error, KeyError::kNoSuchKey);
      EXPECT_NE(live[a.place].key, a.range.key);
      ++refused;
      return;
    }
    ASSERT_GE(mapping.count, 1U);
    EXPECT_EQ(mapping.segments[0].address, a.first_page + a.range.address % kPage);
    std::uint32_t bytes = 0;
    for (std::uint32_t i = 0; i < mapping.count; ++i) bytes += mapping.segments[i].bytes;
    EXPECT_EQ(bytes, a.range.bytes);
    if (mapping.count > 1) {
      EXPECT_EQ(mapping.segments[1].address, a.first_page + 2 * kPage);
    }
  };
  bench.on_answer = [&](const KeysBench::Answer& a) {
    ++late;
    answer(a.ticket, a.mapping);
  };
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    for (Live& l : live) remake(l);
  });
  for (int i = 0; i < 6000; ++i) {
    bench.at(kMicrosecond + i * 400 * kNanosecond, [&] {
      const std::size_t place = random.below(random.below(2) == 0 ? 4 : kKeys);
      Live& l = live[place];
      if (random.below(12) == 0) {
        bench.keys->destroy(l.key);
        remake(l);
      }
      const std::uint64_t offset = random.below(18 * kPage);
      const auto bytes = static_cast<std::uint32_t>(1 + random.below(8192));
      asked.push_back({place, KeysBench::range(l.key, kBase + offset, bytes),
                       l.seed + offset / kPage * 2 * kPage});
      const auto ahead = static_cast<Time>(random.below(3) * 20'000);
      const std::uint64_t ticket = asked.size() - 1;
      if (bench.translate(asked.back().range, ticket, ahead) != kForever) {
        answer(ticket, bench.mapping);
      }
    });
  }
  bench.run();
  EXPECT_TRUE(std::all_of(asked.begin(), asked.end(), [](const Asked& a) { return a.answered; }));
  EXPECT_GT(refused, 20U);
  EXPECT_GT(late, 2000U);
  EXPECT_LT(late, 5900U);
  EXPECT_EQ(bench.count("nic.translation_cache.misses_in_flight_peak"), 3U);
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
