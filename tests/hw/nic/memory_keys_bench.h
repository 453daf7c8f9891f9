// Memory keys before a fake function.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "hw/nic/memory_keys.h"
#include "tests/hw/nic/memory_bench.h"

namespace railyard::nic {

constexpr Time kKeyClock = 2 * kNanosecond;
constexpr Time kKeyStage = 4 * kKeyClock;
constexpr Time kKeyInterval = 2 * kKeyClock;
constexpr std::uint64_t kKeyMemory = 0x10000;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kAllRights = abi::access::kLocalWrite | abi::access::kRemoteWrite |
                                     abi::access::kRemoteRead | abi::access::kRemoteAtomic;

inline NicConfig small_key_caches(const CacheConfig& keys = {16, 4, 8},
                                  const CacheConfig& translations = {16, 4, 8}) {
  NicConfig config;
  config.clock = kKeyClock;
  config.stages.translation = {4, 2};
  config.key_cache = keys;
  config.translation_cache = translations;
  config.limits.mkeys = 256;
  config.limits.pds = 16;
  config.limits.translation_entries = 4096;
  return config;
}

struct KeysBench : MemoryBench, TranslationClient {
  explicit KeysBench(const NicConfig& parameters = small_key_caches())
      : MemoryBench(parameters), keys(std::make_unique<MemoryKeys>(units)) {}

  struct Answer {
    Time at = 0;
    std::uint64_t ticket = 0;
    Mapping mapping;
  };
  void translated(std::uint64_t ticket, const Mapping& found) override {
    answers.push_back({now(), ticket, found});
    if (on_answer) on_answer(answers.back());
  }

  /// A key of `bytes` from `address` on, in pages that do not touch on the bus, of domain 3.
  std::uint32_t create(std::uint64_t address, std::uint64_t bytes,
                       std::uint32_t access = kAllRights, std::uint32_t log_page = 12) {
    std::vector<std::uint64_t> pages;
    for (std::uint64_t i = 0; i < pages_of(address, bytes, log_page); ++i) {
      pages.push_back(bus_page(i) << (log_page - 12));
    }
    std::uint32_t key = 0;
    EXPECT_EQ(keys->create({address, bytes, 3, access, log_page}, pages, key),
              abi::CommandStatus::kOk);
    return key;
  }
  static std::uint64_t bus_page(std::uint64_t i) { return 0x10'0000 + 2 * i * kPage; }

  static KeyedRange range(std::uint32_t key, std::uint64_t address, std::uint32_t bytes,
                          std::uint32_t right = 0, std::uint32_t pd = 3) {
    return {key, address, bytes, right, pd};
  }
  Time translate(const KeyedRange& wish, std::uint64_t ticket = 0, Time ahead = 0) {
    return keys->translate(wish, now() + ahead, 0, *this, ticket, mapping);
  }
  /// Before the run: translates at a time when nothing else happens.
  void translate_at(Time time, const KeyedRange& wish, std::uint64_t ticket = 0) {
    at(time, [this, wish, ticket] {
      const Time out = translate(wish, ticket);
      if (out != kForever) answers.push_back({out, ticket, mapping});
    });
  }
  std::uint64_t context_address(std::uint32_t key) const {
    return kKeyMemory + std::uint64_t{key >> 8} * kKeyBytes;
  }
  std::uint64_t table_address(std::uint32_t entry = 0) const {
    return kKeyMemory + std::uint64_t{config.limits.mkeys} * kKeyBytes +
           std::uint64_t{entry} * kEntryBytes;
  }

  std::unique_ptr<MemoryKeys> keys;
  std::vector<Answer> answers;
  std::function<void(const Answer&)> on_answer;
  Mapping mapping;  // of the latest translate()
};

inline std::vector<std::pair<std::uint64_t, std::uint32_t>> segments(const Mapping& mapping) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  for (std::uint32_t i = 0; i < mapping.count; ++i) {
    all.emplace_back(mapping.segments[i].address, mapping.segments[i].bytes);
  }
  return all;
}
using Segments = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

}  // namespace railyard::nic
