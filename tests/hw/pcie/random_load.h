// Random transfers of a requester, each in the region of one of its slots, so that the bytes that
// a read must bring are known: the writes of a slot and its reads are ordered by the standard's
// rules alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/hw/pcie/pair_bench.h"
#include "tlm/sim/random.h"

namespace railyard::pcie::bench {

struct RandomConfig {
  std::uint64_t seed = 1;
  std::uint64_t requests = 10'000;
  unsigned slots = 24;
  bool pauses = true;   // some slots wait for an alarm before they go on
  bool pieces = false;  // what is a single transfer of 4 KiB is given as such of 256 B
};

class RandomLoad {
 public:
  static constexpr std::uint64_t kRegion = 8192;
  // Regions lie on both sides of 4 GiB.
  static constexpr std::uint64_t base(const RandomConfig& config) {
    return (1ULL << 32) - config.slots / 2 * kRegion;
  }
  /// Sets up the bench for the load.
  static PairConfig prepared(PairConfig pair, const RandomConfig& config) {
    pair.memory_base = base(config);
    pair.memory_bytes = config.slots * kRegion;
    pair.alarms = config.slots;
    return pair;
  }

  RandomLoad(PairBench& bench, const RandomConfig& config) : bench_(bench), config_(config) {
    bench.keeps = false;
    RandomStream memory{config.seed, "memory"};
    slow_ = memory;
    bench.memory.slow = [this](const MemoryAccess&) { return slow_.below(8) == 0; };
    bench.on_done = [this](const DmaDone& done) { finished(done); };
    for (unsigned i = 0; i < config.slots; ++i) {
      slots_.push_back({i,
                        RandomStream{config.seed, "slot" + std::to_string(i)},
                        std::vector<std::uint8_t>(kRegion),
                        0,
                        true,
                        {}});
    }
  }

  void start() {
    for (Slot& slot : slots_) step(slot);
  }

  /// After the run: each was answered once, and memory is as it should be.
  void expect_all_done() {
    EXPECT_EQ(given_.size(), answered_);
    EXPECT_GE(answered_, config_.requests);
    EXPECT_EQ(wrong_, 0U) << "reads with wrong bytes";
    for (const Given& given : given_) ASSERT_EQ(given.answers, 1U);
    for (const Slot& slot : slots_) {
      const auto from = bench_.memory.bytes().begin() + static_cast<long>(slot.index * kRegion);
      EXPECT_TRUE(std::equal(slot.shadow.begin(), slot.shadow.end(), from)) << slot.index;
    }
    EXPECT_EQ(bench_.hierarchy.error_count(), 0U);
  }

  /// When each transfer was done, by ticket, and the tickets in the order in which they were.
  std::vector<Time> times() const {
    std::vector<Time> times;
    for (const Given& given : given_) times.push_back(given.done);
    return times;
  }
  const std::vector<std::uint64_t>& order() const { return order_; }

 private:
  struct Slot {
    unsigned index;
    RandomStream random;
    std::vector<std::uint8_t> shadow;
    unsigned pending;  // transfers without an answer
    bool clean;        // all its writes can be seen
    std::vector<std::uint8_t> scratch;
  };
  struct Given {
    unsigned slot = 0;
    bool write = false;
    std::uint32_t offset = 0, bytes = 0;
    unsigned answers = 0;
    Time done = 0;
  };

  std::uint64_t address(const Slot& slot, std::uint32_t offset) const {
    return base(config_) + slot.index * kRegion + offset;
  }

  void step(Slot& slot) {
    if (given_.size() >= config_.requests) return;
    if (!config_.pauses || slot.random.below(4) != 0) {
      act(slot);
      return;
    }
    const auto pause = static_cast<Time>(slot.random.below(2000)) * kNanosecond;
    bench_.at(slot.index, bench_.simulation.partition().now() + pause,
              [this, &slot] { act(slot); });
  }

  void act(Slot& slot) {
    constexpr std::uint32_t kLargest = 4096;
    RandomStream& random = slot.random;
    const bool small = random.below(2) == 0;
    const auto bytes = static_cast<std::uint32_t>(1 + random.below(small ? 64 : kLargest));
    const auto offset = static_cast<std::uint32_t>(random.below(kRegion - bytes + 1));
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2:
        write(slot, offset, bytes);
        return;
      case 3:
        // Both are under way at once.
        write(slot, offset, bytes);
        read(slot, offset, bytes);
        return;
      case 4:
        if (random.below(8) == 0) {
          read(slot, offset, 0);
          return;
        }
        [[fallthrough]];
      default:
        read(slot, offset, bytes);
    }
  }

  // One with relaxed ordering could pass another of its slot.
  void write(Slot& slot, std::uint32_t offset, std::uint32_t bytes) {
    DmaRequest request;
    request.write = true;
    request.relaxed = slot.clean && slot.random.below(3) == 0;
    slot.clean = false;
    request.address = address(slot, offset);
    request.bytes = bytes;
    // At times within a larger payload.
    const auto lead = static_cast<std::uint32_t>(slot.random.below(2) * 5);
    request.payload = bench_.hierarchy.payloads().acquire();
    request.payload->resize(lead + bytes);
    request.payload_offset = lead;
    std::uint64_t value = slot.random.next();
    for (std::uint32_t i = 0; i < bytes; ++i) {
      value = value * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto byte = static_cast<std::uint8_t>(value >> 56);
      request.payload->data()[lead + i] = byte;
      slot.shadow[offset + i] = byte;
    }
    give(slot, std::move(request), offset);
  }

  void read(Slot& slot, std::uint32_t offset, std::uint32_t bytes) {
    DmaRequest request;
    request.fenced = true;
    request.relaxed = slot.random.below(4) == 0;
    request.address = address(slot, offset);
    request.bytes = bytes;
    give(slot, std::move(request), offset);
  }

  void give(Slot& slot, DmaRequest request, std::uint32_t offset) {
    ++slot.pending;
    given_.push_back({slot.index, request.write, offset, request.bytes, 0, 0});
    bench_.give(std::move(request));
  }

  void finished(const DmaDone& done) {
    ++answered_;
    ASSERT_LT(done.ticket, given_.size());
    Given& given = given_[done.ticket];
    ++given.answers;
    given.done = bench_.simulation.partition().now();
    order_.push_back(done.ticket);
    Slot& slot = slots_[given.slot];
    if (!given.write) {
      slot.clean = true;
      check(done, given, slot);
    }
    if (--slot.pending == 0) step(slot);
  }

  void check(const DmaDone& done, const Given& given, const Slot& slot) {
    if (given.bytes == 0) {
      if (done.status != Status::kSuccess) ++wrong_;
      return;
    }
    if (!done.payload || done.payload->size() != given.bytes ||
        std::memcmp(done.payload->data(), &slot.shadow[given.offset], given.bytes) != 0) {
      ++wrong_;
    }
  }

  PairBench& bench_;
  RandomConfig config_;
  RandomStream slow_{1, ""};
  std::deque<Slot> slots_;
  std::vector<Given> given_;
  std::vector<std::uint64_t> order_;
  std::uint64_t answered_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace railyard::pcie::bench
