// Reads and writes a MemoryPort at random, several accesses at once, no two of them at one page;
// keeps a shadow and checks what it reads.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "hw/pcie/memory_port.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::pcie {

struct MemoryUserConfig {
  std::uint64_t count = 1000;
  std::uint64_t base = 0;
  std::uint32_t pages = 64;
  std::uint32_t outstanding = 32;
  std::uint64_t percent_holes = 20;
  std::uint64_t percent_elided = 5;
  std::uint64_t percent_empty = 2;
  bool written_in_order =
      false;  // checks that writes are done in the order in which they are given
};

class MemoryUser : private MemoryClient {
 public:
  static constexpr std::uint32_t kPage = 4096;

  /// `accesses` lives longer than the memory, which may hold some at the end.
  MemoryUser(LazyScheduler& steps, Pool<MemoryAccess>& accesses, MemoryPort& memory,
             const MemoryUserConfig& config)
      : shadow(std::size_t{config.pages} * kPage),
        steps_(steps),
        accesses_(accesses),
        memory_(memory),
        config_(config),
        next_(Event::of<&MemoryUser::next>(*this, steps.partition().endpoint("memory_user"),
                                           Phase::kAct)),
        random_(steps.partition().random("memory_user")),
        busy_(config.pages) {}

  /// After the simulation is sealed.
  void start() {
    const LazyScheduler::Visit visit(steps_);
    steps_.schedule_in(next_, 0);
  }

  std::vector<std::uint8_t> shadow;
  std::vector<std::string> faults;
  std::uint64_t done = 0;
  Time last = 0;

 private:
  void next() {
    while (given_ < config_.count && given_ - done < config_.outstanding) give();
  }
  void give() {
    std::uint64_t page = random_.below(config_.pages);
    while (busy_[page]) page = (page + 1) % config_.pages;
    busy_[page] = true;
    Ref<MemoryAccess> access = accesses_.acquire();
    access->write = random_.below(2) == 0;
    access->client = this;
    access->ticket = given_++;
    fill(*access, page);
    calling_ = true;
    memory_.access(std::move(access));
    calling_ = false;
  }
  void fill(MemoryAccess& access, std::uint64_t page) {
    if (access.write && random_.below(100) < config_.percent_holes) {
      access.byte_enables = static_cast<std::uint8_t>(1 + random_.below(15));
      std::uint32_t first = 0;
      std::uint32_t end = 4;
      while ((access.byte_enables >> first & 1U) == 0) ++first;
      while ((access.byte_enables >> (end - 1) & 1U) == 0) --end;
      access.address = config_.base + page * kPage + random_.below(kPage / 4) * 4 + first;
      access.bytes = end - first;
    } else {
      const auto offset = static_cast<std::uint32_t>(random_.below(kPage));
      access.address = config_.base + page * kPage + offset;
      access.bytes = static_cast<std::uint32_t>(1 + random_.below(kPage - offset));
    }
    if (random_.below(100) < config_.percent_empty) {
      access.bytes = 0;
      return;
    }
    if (random_.below(100) < config_.percent_elided) return;
    access.payload = steps_.partition().packets().payloads.acquire();
    access.payload_offset = static_cast<std::uint32_t>(random_.below(8));
    access.payload->resize(access.payload_offset + access.bytes);
    std::uint8_t* const data = access.payload->data() + access.payload_offset;
    for (std::uint32_t i = 0; i < access.bytes; ++i) {
      data[i] = static_cast<std::uint8_t>(random_.next());
    }
    if (!access.write) return;
    for (std::uint32_t i = 0; i < access.bytes; ++i) {
      const std::uint64_t address = access.address + i;
      const bool whole = (access.address & 3U) + access.bytes > 4;
      if (whole || (access.byte_enables >> (address & 3U) & 1U) != 0) {
        shadow[address - config_.base] = data[i];
      }
    }
  }
  void memory_done(MemoryAccess& access) override {
    last = steps_.now();
    const std::uint64_t at = access.address - config_.base;
    if (calling_) faults.emplace_back("done within the call");
    if (access.failed) faults.emplace_back("failed");
    if (access.write) {
      if (config_.written_in_order && access.ticket < last_written_) {
        faults.emplace_back("a write was done before one that was given earlier");
      }
      last_written_ = access.ticket;
      memory_.commit(access);
    } else if (access.payload && std::memcmp(access.payload->data() + access.payload_offset,
                                             &shadow[at], access.bytes) != 0) {
      faults.emplace_back("other data than written");
    }
    busy_[at / kPage] = false;
    ++done;
    if (!next_.pending()) {
      steps_.schedule_in(next_, static_cast<Time>(random_.below(20 * kNanosecond)));
    }
  }

  LazyScheduler& steps_;
  Pool<MemoryAccess>& accesses_;
  MemoryPort& memory_;
  MemoryUserConfig config_;
  Event next_;
  RandomStream random_;
  std::vector<bool> busy_;
  std::uint64_t given_ = 0;
  std::uint64_t last_written_ = 0;
  bool calling_ = false;
};

}  // namespace railyard::pcie
