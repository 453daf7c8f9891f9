// Memory keys that come and go while others use them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/nic/memory_keys_bench.h"

namespace railyard::nic {
namespace {

constexpr std::uint64_t kChangedBase = 0x10'0000;

TEST(NicMemoryKeyChanges, AKeyThatGoesWhileItIsReadIsNoKey) {
  KeysBench bench;
  std::uint32_t key = 0;
  std::uint32_t next = 0;
  const Time t = 10 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kChangedBase, 16 * kPage);
  });
  bench.at(t, [&] {
    bench.translate(KeysBench::range(key, kChangedBase, 64), 0);
    bench.translate(KeysBench::range(key, kChangedBase, 64), 1);
  });
  bench.at(t + 100, [&] {
    EXPECT_EQ(bench.keys->destroy(key), abi::CommandStatus::kOk);
    bench.translate(KeysBench::range(key, kChangedBase, 64), 2);
    next = bench.create(0x5000, kPage);  // the same index
    EXPECT_EQ(next, key + 1);
    bench.translate(KeysBench::range(next, 0x5000, 64), 3);
    bench.translate(KeysBench::range(key, kChangedBase, 64), 4);
    bench.translate(KeysBench::range(key, kChangedBase, 0),
                    5);  // needs nothing, and waits all the same
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

TEST(NicMemoryKeyChanges, AKeyThatGoesWhileItsPagesAreReadIsNoKeyAndNextItsPagesAreAnothers) {
  KeysBench bench;
  const Time t = 10 * kMicrosecond;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kChangedBase, 16 * kPage);
    bench.translate(KeysBench::range(key, kChangedBase, 64), 0);
  });
  bench.at(t, [&] { bench.translate(KeysBench::range(key, kChangedBase + 8 * kPage, 64), 1); });
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

TEST(NicMemoryKeyChanges, AReadThatFailsForAKeyThatIsGoneIsNoMatterOfTheNextOne) {
  KeysBench bench;
  std::uint32_t key = 0;
  const Time t = 10 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kChangedBase, kPage);
    bench.function.failing.insert(bench.context_address(key));
  });
  bench.at(t, [&] { bench.translate(KeysBench::range(key, kChangedBase, 64), 0); });
  bench.at(t + 100, [&] {
    bench.keys->destroy(key);
    bench.translate(KeysBench::range(bench.create(kChangedBase, kPage), kChangedBase, 64), 1);
  });
  bench.at(t + kReadTime + 50, [&] { bench.function.failing.clear(); });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.count("nic.key_cache.misses"), 2U);
}

TEST(NicMemoryKeyChanges, AReadThatFailsInMemoryThatIsGivenUpIsNoMatterOfTheNext) {
  KeysBench bench;
  const Time t = 10 * kMicrosecond;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    bench.function.failing.insert(bench.context_address(0));
  });
  bench.at(t, [&] { bench.translate(KeysBench::range(2, kChangedBase, 64), 0); });  // not made yet
  bench.at(t + 100, [&] {
    bench.keys->set_memory(2 * kKeyMemory);
    const std::uint32_t key = bench.create(kChangedBase, kPage);
    EXPECT_EQ(key, 1U);
    bench.translate(KeysBench::range(key, kChangedBase, 64), 1);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.count("nic.key_cache.misses"), 2U);
}

TEST(NicMemoryKeyChanges, AKeyIsFoundThoughItsIndexWasAskedForBeforeItWasMade) {
  KeysBench bench;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    bench.translate(KeysBench::range(1, kChangedBase, 64), 0);
  });
  bench.at(10 * kMicrosecond, [&] {
    EXPECT_NE(bench.translate(KeysBench::range(1, kChangedBase, 64)),
              kForever);  // it is known as none
    EXPECT_EQ(bench.mapping.error, KeyError::kNoSuchKey);
    EXPECT_EQ(bench.create(kChangedBase, kPage), 1U);
    bench.translate(KeysBench::range(1, kChangedBase, 64), 1);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNoSuchKey);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNone);
}

/// Many keys that come and go under random accesses whose reads overtake each other, against what
/// the keys say.
TEST(NicMemoryKeyChanges, AnswerRightAndInOrderUnderRandomLoad) {
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
    ASSERT_EQ(bench.keys->create({kChangedBase, 20 * kPage, 3, kAllRights, 12}, pages, l.key),
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
    bench.at(kMicrosecond + Time{i} * 400 * kNanosecond, [&] {
      const std::size_t place = random.below(random.below(2) == 0 ? 4 : kKeys);
      Live& l = live[place];
      if (random.below(12) == 0) {
        bench.keys->destroy(l.key);
        remake(l);
      }
      const std::uint64_t offset = random.below(18 * kPage);
      const auto bytes = static_cast<std::uint32_t>(1 + random.below(8192));
      asked.push_back({place, KeysBench::range(l.key, kChangedBase + offset, bytes),
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

}  // namespace
}  // namespace railyard::nic
