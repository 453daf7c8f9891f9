// Memory keys: what they allow, where they lead, how they are made and go.
#include <gtest/gtest.h>

#include "tests/hw/nic/memory_keys_bench.h"

namespace railyard::nic {
namespace {

constexpr std::uint64_t kMidPage = 0x7f00'0000'0800;  // in the middle of a page

TEST(NicMemoryKeys, SayHowMuchMemoryTheyNeed) {
  KeysBench bench;
  EXPECT_EQ(bench.keys->memory_bytes(), 256U * 64 + 4096U * 8);
}

TEST(NicMemoryKeys, LieInHostMemoryAsDocumented) {
  KeysBench bench;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    bench.create(0x1000, 3 * kPage);  // has the first line
    key = bench.create(kMidPage, 9 * kPage, kAllRights);
  });
  bench.run();
  EXPECT_EQ(key, (1U << 8) | 1);
  const std::vector<std::uint8_t> context = {0, 0, 0,    1,                        // valid
                                             0, 0, 1,    1,                        // index, byte
                                             0, 0, 0,    3,                        // PD
                                             0, 0, 0,    15,                       // access
                                             0, 0, 0x7f, 0,  0, 0, 0x08, 0,        // address
                                             0, 0, 0,    0,  0, 0, 0x90, 0,        // bytes
                                             0, 0, 0,    12,                       // log2 of a page
                                             0, 0, 0,    8,                        // first entry
                                             0, 0, 0,    10,                       // pages
                                             0, 0, 0,    0,  0, 0, 0,    0, 0, 0,  //
                                             0, 0, 0,    0,  0, 0, 0,    0, 0, 0};
  const std::uint8_t* memory = bench.function.memory.data();
  EXPECT_EQ(std::vector<std::uint8_t>(memory + bench.context_address(key),
                                      memory + bench.context_address(key) + 64),
            context);
  for (std::uint32_t i = 0; i < 16; ++i) {
    abi::Be64 entry;
    std::memcpy(&entry, memory + bench.table_address(8 + i), sizeof entry);
    EXPECT_EQ(entry, i < 10 ? KeysBench::bus_page(i) : 0U) << i;
  }
}

TEST(NicMemoryKeys, MapARangeToItsPages) {
  KeysBench bench;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    key = bench.create(kMidPage, 20 * kPage);
  });
  struct Case {
    std::uint64_t offset;  // from kMidPage
    std::uint32_t bytes;
    Segments expected;
  };
  const auto page = KeysBench::bus_page;
  const std::vector<Case> cases = {
      {0, 1, {{page(0) + 0x800, 1}}},
      {0, 0x800, {{page(0) + 0x800, 0x800}}},
      {0, 0x801, {{page(0) + 0x800, 0x800}, {page(1), 1}}},
      {0x7FF, 2, {{page(0) + 0xFFF, 1}, {page(1), 1}}},
      {0x800, 4096, {{page(1), 4096}}},
      {0x801, 4096, {{page(1) + 1, 4095}, {page(2), 1}}},
      {0x801, 8192, {{page(1) + 1, 4095}, {page(2), 4096}, {page(3), 1}}},
      // From one line of entries into the next.
      {7 * kPage, 4096, {{page(7) + 0x800, 0x800}, {page(8), 0x800}}},
      {20 * kPage - 1, 1, {{page(20) + 0x7FF, 1}}},
      // Longer than three pages: as far as these reach.
      {0, 20 * kPage, {{page(0) + 0x800, 0x800}, {page(1), 4096}, {page(2), 4096}}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    bench.at(static_cast<Time>(i + 1) * 10 * kMicrosecond, [&bench, &key, &c = cases[i]] {
      const Time out = bench.translate(KeysBench::range(key, kMidPage + c.offset, c.bytes));
      if (out != kForever) bench.answers.push_back({out, 0, bench.mapping});
    });
  }
  bench.run();
  ASSERT_EQ(bench.answers.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(bench.answers[i].mapping.error, KeyError::kNone) << i;
    EXPECT_EQ(segments(bench.answers[i].mapping), cases[i].expected) << i;
    EXPECT_FALSE(bench.answers[i].mapping.relaxed);
  }
}

TEST(NicMemoryKeys, JoinPagesThatAreNeighboursOnTheBus) {
  KeysBench bench;
  std::uint32_t key = 0;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    const std::vector<std::uint64_t> pages = {0x5000, 0x6000, 0x7000, 0x9000, 0x8000};
    ASSERT_EQ(bench.keys->create({0, 5 * kPage, 3, abi::access::kRelaxedOrdering, 12}, pages, key),
              abi::CommandStatus::kOk);
    for (const auto& [address, bytes] : {std::pair{0x10U, 8192U}, {0x2010U, 8192U}}) {
      bench.translate(KeysBench::range(key, address, bytes));
    }
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(segments(bench.answers[0].mapping), (Segments{{0x5010, 8192}}));
  EXPECT_EQ(segments(bench.answers[1].mapping),
            (Segments{{0x7010, 0xFF0}, {0x9000, 4096}, {0x8000, 0x10}}));
  EXPECT_TRUE(bench.answers[0].mapping.relaxed);
}

TEST(NicMemoryKeys, HavePagesUpToAGibibyte) {
  KeysBench bench;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    std::uint32_t key = 0;
    constexpr std::uint64_t kHuge = 1ULL << 30;
    ASSERT_EQ(bench.keys->create({kHuge - 1, 2, 3, 0, 30}, {5 * kHuge, 3 * kHuge}, key),
              abi::CommandStatus::kOk);
    bench.translate(KeysBench::range(key, kHuge - 1, 2), 0);
    ASSERT_EQ(bench.keys->create({0x100, kHuge, 3, 0, 21},
                                 std::vector<std::uint64_t>(513, 1ULL << 40), key),
              abi::CommandStatus::kOk);
    bench.translate(KeysBench::range(key, 0x100, 100'000), 1);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(segments(bench.answers[0].mapping), (Segments{{(6ULL << 30) - 1, 1}, {3ULL << 30, 1}}));
  EXPECT_EQ(segments(bench.answers[1].mapping), (Segments{{(1ULL << 40) + 0x100, 100'000}}));
}

struct Refusal {
  KeyedRange range;
  KeyError error;
};

/// All of them when nothing is in the caches, and when everything is.
void expect_errors(KeysBench& bench, const std::function<std::vector<Refusal>()>& prepare) {
  std::vector<Refusal> refusals;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    refusals = prepare();
    for (std::size_t i = 0; i < refusals.size(); ++i) {
      if (bench.translate(refusals[i].range, i) != kForever) {
        EXPECT_EQ(bench.mapping.error, refusals[i].error) << "at once " << i;
      }
    }
  });
  std::size_t hits = 0;
  bench.at(kMillisecond, [&] {
    for (std::size_t i = 0; i < refusals.size(); ++i) {
      if (bench.translate(refusals[i].range, i) == kForever) continue;
      ++hits;
      EXPECT_EQ(bench.mapping.error, refusals[i].error) << "with caches " << i;
      EXPECT_EQ(bench.mapping.count == 0,
                refusals[i].error != KeyError::kNone || refusals[i].range.bytes == 0);
    }
  });
  bench.run();
  EXPECT_GT(hits, refusals.size() / 2);
  EXPECT_GT(bench.answers.size(), refusals.size() / 2);
  for (const auto& answer : bench.answers) {
    const Refusal& refusal = refusals.at(answer.ticket);
    EXPECT_EQ(answer.mapping.error, refusal.error) << answer.ticket;
  }
}

TEST(NicMemoryKeys, RefuseWhatTheyDoNotAllow) {
  namespace access = abi::access;
  KeysBench bench;
  expect_errors(bench, [&] {
    const std::uint32_t all = bench.create(kMidPage, 0x5000);
    const std::uint32_t readable = bench.create(kMidPage, 0x5000, access::kRemoteRead);
    const std::uint32_t top = bench.create(~std::uint64_t{0} - 0xFFF, 0x1000);
    const auto r = [](std::uint32_t key, std::uint64_t address, std::uint32_t bytes,
                      std::uint32_t right = 0, std::uint32_t pd = 3) {
      return KeyedRange{key, address, bytes, right, pd};
    };
    return std::vector<Refusal>{
        {r(all, kMidPage, 0x5000, kAllRights), KeyError::kNone},
        {r(all, kMidPage - 1, 1), KeyError::kBounds},
        {r(all, kMidPage - 1, 2), KeyError::kBounds},
        {r(all, kMidPage + 0x4FFF, 1), KeyError::kNone},
        {r(all, kMidPage + 0x4FFF, 2), KeyError::kBounds},
        {r(all, kMidPage + 0x5000, 1), KeyError::kBounds},
        {r(all, kMidPage, 0x5001), KeyError::kBounds},
        {r(all, kMidPage, 0xFFFF'FFFF), KeyError::kBounds},
        {r(all, ~std::uint64_t{0}, 2), KeyError::kBounds},  // would be at 0 again
        {r(top, ~std::uint64_t{0} - 0xFFF, 0x1000), KeyError::kNone},
        {r(top, ~std::uint64_t{0}, 1), KeyError::kNone},
        {r(top, ~std::uint64_t{0}, 2), KeyError::kBounds},
        {r(top, 0, 1), KeyError::kBounds},
        {r(all, kMidPage, 1, 0, 2), KeyError::kDomain},
        {r(readable, kMidPage, 1), KeyError::kNone},  // a local read always is allowed
        {r(readable, kMidPage, 1, access::kRemoteRead), KeyError::kNone},
        {r(readable, kMidPage, 1, access::kLocalWrite), KeyError::kRight},
        {r(readable, kMidPage, 1, access::kRemoteWrite), KeyError::kRight},
        {r(readable, kMidPage, 1, access::kRemoteAtomic), KeyError::kRight},
        {r(readable, kMidPage, 1, access::kRemoteRead | access::kLocalWrite), KeyError::kRight},
        {r(all + 1, kMidPage, 1), KeyError::kNoSuchKey},       // another byte
        {r(all - 1, kMidPage, 1), KeyError::kNoSuchKey},       // byte 0
        {r(0x0500'01, kMidPage, 1), KeyError::kNoSuchKey},     // an index that has no key
        {r(256 << 8 | 1, kMidPage, 1), KeyError::kNoSuchKey},  // one that cannot have one
        {r(0xFFFF'FFFF, kMidPage, 1), KeyError::kNoSuchKey},
        // Of several faults the first in this order: key, domain, right, bounds.
        {r(all + 1, 0, 1, access::kLocalWrite, 2), KeyError::kNoSuchKey},
        {r(readable, 0, 1, access::kLocalWrite, 2), KeyError::kDomain},
        {r(readable, 0, 1, access::kLocalWrite), KeyError::kRight},
        // Nothing is checked of a range without a byte.
        {r(0xFFFF'FFFF, 0, 0, access::kRemoteAtomic, 9), KeyError::kNone},
        {r(all, 0, 0), KeyError::kNone},
    };
  });
}

TEST(NicMemoryKeys, AreNotMadeOfWhatCannotBe) {
  KeysBench bench;
  using Status = abi::CommandStatus;
  bench.at(0, [&] {
    std::uint32_t key = 0;
    const auto make = [&](const KeyShape& shape, const std::vector<std::uint64_t>& pages) {
      return bench.keys->create(shape, pages, key);
    };
    const KeyShape good{0x1800, 0x1000, 3, kAllRights, 12};
    EXPECT_EQ(make(good, {0, 0x1000}), Status::kBadSystemState);
    bench.keys->set_memory(kKeyMemory);
    const auto expect_bad = [&](const std::function<void(KeyShape&)>& change,
                                const std::vector<std::uint64_t>& pages) {
      KeyShape shape = good;
      change(shape);
      EXPECT_EQ(make(shape, pages), Status::kBadParameter);
    };
    expect_bad([](KeyShape& s) { s.bytes = 0; }, {});
    expect_bad([](KeyShape& s) { s.bytes = 0; }, {0});
    expect_bad([](KeyShape& s) { s.bytes = ~std::uint64_t{0} - 0x17FE; }, {0, 0x1000});
    expect_bad([](KeyShape& s) { s.log_page = 11; }, {0, 0x1000});
    expect_bad([](KeyShape& s) { s.log_page = 31; }, {0});
    expect_bad([](KeyShape& s) { s.pd = 16; }, {0, 0x1000});
    expect_bad([](KeyShape& s) { s.access = 1U << 9; }, {0, 0x1000});
    expect_bad([](KeyShape& s) { s.access = abi::access::kRemoteWrite; }, {0, 0x1000});
    expect_bad([](KeyShape& s) { s.access = abi::access::kRemoteAtomic; }, {0, 0x1000});
    expect_bad([](KeyShape&) {}, {0});
    expect_bad([](KeyShape&) {}, {0, 0x1000, 0x2000});
    expect_bad([](KeyShape&) {}, {0, 0x1800});
    EXPECT_TRUE(bench.function.asked.empty());
    EXPECT_FALSE(bench.keys->uses_pd(3));
    EXPECT_EQ(make(good, {0, 0x1000}), Status::kOk);
    EXPECT_TRUE(bench.keys->uses_pd(3));
    EXPECT_FALSE(bench.keys->uses_pd(4));
    EXPECT_FALSE(bench.keys->uses_pd(100));
    EXPECT_EQ(bench.keys->destroy(key + 1), Status::kBadResource);
    EXPECT_EQ(bench.keys->destroy(key + 256), Status::kBadResource);
    EXPECT_EQ(bench.keys->destroy(key), Status::kOk);
    EXPECT_EQ(bench.keys->destroy(key), Status::kBadResource);
    EXPECT_FALSE(bench.keys->uses_pd(3));
  });
  bench.run();
  EXPECT_EQ(bench.metric("nic.keys_peak").whole, 1U);
}

TEST(NicMemoryKeys, EndWhenIndicesOrEntriesDo) {
  KeysBench bench;
  using Status = abi::CommandStatus;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    std::uint32_t key = 0;
    const auto make = [&](std::uint64_t pages) {
      return bench.keys->create({0, pages * kPage, 3, 0, 12}, std::vector<std::uint64_t>(pages, 0),
                                key);
    };
    EXPECT_EQ(make(4097), Status::kNoResources);
    EXPECT_EQ(make(4096), Status::kOk);
    EXPECT_EQ(make(1), Status::kNoResources);
    EXPECT_EQ(bench.keys->destroy(key), Status::kOk);
    std::vector<std::uint32_t> made;
    for (std::uint32_t i = 0; i < 256; ++i) {
      ASSERT_EQ(make(9), Status::kOk);
      made.push_back(key);
    }
    EXPECT_EQ(make(1), Status::kNoResources);
    // Every second goes: runs of two lines are free, none of three.
    for (std::size_t i = 0; i < made.size(); i += 2) bench.keys->destroy(made[i]);
    EXPECT_EQ(make(17), Status::kNoResources);
    EXPECT_EQ(make(16), Status::kOk);
    bench.keys->destroy(made[1]);  // between two free ones, but one of these has been taken
    EXPECT_EQ(make(32), Status::kOk);
  });
  bench.run();
}

TEST(NicMemoryKeys, HaveAnotherByteWithEachUseOfTheirIndexAndNeverZero) {
  KeysBench bench;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    std::vector<std::uint32_t> bytes;
    for (std::uint32_t i = 0; i < 257; ++i) {
      const std::uint32_t key = bench.create(0, kPage);
      EXPECT_EQ(key >> 8, 0U);
      EXPECT_EQ(key & 0xFF, i % 255 + 1);
      bench.keys->destroy(key);
    }
  });
  bench.run();
}

TEST(NicMemoryKeys, AreReadAsTheyLieInMemory) {
  KeysBench bench;
  std::vector<std::uint32_t> keys(6);
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    for (std::uint32_t& key : keys) key = bench.create(kMidPage, 4 * kPage);
  });
  bench.at(kMicrosecond, [&] {
    std::uint8_t* memory = bench.function.memory.data();
    memory[bench.context_address(keys[0]) + 35] = 11;  // pages that there are not
    memory[bench.context_address(keys[1]) + 39] += 1;  // not the beginning of a line
    memory[bench.context_address(keys[2]) + 3] = 0;    // free
    std::memcpy(memory + bench.context_address(keys[3]), memory + bench.context_address(keys[4]),
                64);                                // another's
    memory[bench.table_address(4 * 8) + 7] = 1;     // key 4's first entry: not a page
    memory[bench.table_address(5 * 8) + 5] = 0x77;  // key 5's first page is elsewhere
    for (std::size_t i = 0; i < keys.size(); ++i) {
      bench.translate(KeysBench::range(keys[i], kMidPage, 16), i);
    }
  });
  bench.run();
  std::vector<KeyError> errors(6, KeyError::kNone);
  ASSERT_EQ(bench.answers.size(), 6U);
  for (const auto& answer : bench.answers) errors[answer.ticket] = answer.mapping.error;
  EXPECT_EQ(errors,
            (std::vector<KeyError>{KeyError::kMemory, KeyError::kMemory, KeyError::kNoSuchKey,
                                   KeyError::kNoSuchKey, KeyError::kMemory, KeyError::kNone}));
  EXPECT_EQ(segments(bench.answers.back().mapping), (Segments{{0x77'0800, 16}}));
}

TEST(NicMemoryKeys, ThatCannotBeReadAreMemoryErrors) {
  KeysBench bench;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    const std::uint32_t a = bench.create(kMidPage, 4 * kPage);
    const std::uint32_t b = bench.create(kMidPage, 4 * kPage);
    bench.function.failing = {bench.context_address(a), bench.table_address(8)};
    bench.translate(KeysBench::range(a, kMidPage, 16), 0);
    bench.translate(KeysBench::range(a, kMidPage, 16), 1);
    bench.translate(KeysBench::range(b, kMidPage, 16), 2);
  });
  bench.at(10 * kMicrosecond, [&] {
    bench.function.failing.clear();
    EXPECT_EQ(bench.translate(KeysBench::range(1, kMidPage, 16), 3), kForever);  // reads it again
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bench.answers[i].mapping.error, KeyError::kMemory);
  EXPECT_EQ(bench.answers[3].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.count("nic.key_cache.reads_failed"), 1U);
  EXPECT_EQ(bench.count("nic.translation_cache.reads_failed"), 1U);
}

TEST(NicMemoryKeys, AreGoneWithTheMemoryThatTheyWereIn) {
  KeysBench bench;
  bench.at(0, [&] {
    bench.keys->set_memory(kKeyMemory);
    const std::uint32_t key = bench.create(kMidPage, kPage);
    bench.translate(KeysBench::range(key, kMidPage, 16), 0);
  });
  bench.at(10 * kMicrosecond, [&] {
    EXPECT_NE(bench.translate(KeysBench::range(1, kMidPage, 16)), kForever);
    bench.keys->set_memory(kKeyMemory);  // the same: the context still lies there
    EXPECT_FALSE(bench.keys->uses_pd(3));
    EXPECT_EQ(bench.translate(KeysBench::range(1, kMidPage, 16), 1), kForever);
  });
  bench.run();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[0].mapping.error, KeyError::kNone);
  EXPECT_EQ(bench.answers[1].mapping.error, KeyError::kNoSuchKey);
}

}  // namespace
}  // namespace railyard::nic
