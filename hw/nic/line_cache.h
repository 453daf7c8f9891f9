// A cache of lines that live in host memory, and the reads that fill it: so many at once, those
// beyond wait in order. Hits go on while lines are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/nic/dma_path.h"
#include "hw/nic/tag_cache.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

class LineCache;

/// Whose lines they are. What a line holds is kept here, by its number.
class LineUser {
 public:
  virtual ~LineUser() = default;
  /// The bytes of `tag` have come; they belong in `line`.
  virtual void line_filled(LineCache& cache, std::uint32_t tag, std::uint32_t line,
                           const std::uint8_t* bytes) = 0;
  /// `tag` had to go.
  virtual void line_evicted(LineCache& cache, std::uint32_t tag) = 0;
  /// `waiter` may look again. `good`: what it waited for is here, unless it was dropped meanwhile;
  /// else its read failed.
  virtual void line_ready(LineCache& cache, std::uint32_t waiter, bool good) = 0;
};

class LineCache : private DmaClient {
 public:
  static constexpr std::uint32_t kNone = TagCache::kNone;

  struct Shape {
    std::string name;  // behind the NIC's: prefix of metrics
    std::string doc;   // what a line is
    std::uint32_t line_bytes = 0;
    DmaUse use = DmaUse::kContext;
  };

  LineCache(Units& units, const CacheConfig& config, const Shape& shape, LineUser& user);
  ~LineCache() override;

  /// Tag n is at `address` + n * line_bytes. Nothing is in the cache now.
  void set_memory(std::uint64_t address);
  std::uint64_t address_of(std::uint32_t tag) const {
    return memory_ + std::uint64_t{tag} * shape_.line_bytes;
  }
  std::uint32_t lines() const { return tags_.lines(); }

  /// The line that holds `tag`, with its bytes, or kNone. One that is found is a hit.
  std::uint32_t find(std::uint32_t tag) {
    const std::uint32_t line = find_again(tag);
    if (line != kNone) hits_.add();
    return line;
  }
  /// The same for who has waited: not counted.
  std::uint32_t find_again(std::uint32_t tag) {
    const std::uint32_t line = tags_.find(tag);
    return line != kNone && fetch_of_[line] == kNone ? line : kNone;
  }
  /// Reads `tag`, which find() has not found, or waits with others who want it; `waiter` is told,
  /// never within this call.
  void want(std::uint32_t tag, std::uint32_t waiter);

  /// `tag`, which is not here, gets a line without a read. kNone: there is none at the moment.
  std::uint32_t put(std::uint32_t tag);
  /// Forgets `tag`, in the cache and on its way there: who waits for it looks again.
  void drop(std::uint32_t tag);
  void drop_all();

 private:
  struct Wish {
    std::uint32_t tag = 0;
    std::uint32_t waiter = 0;
    Time since = 0;
  };
  struct Fetch {
    std::uint32_t tag = kNone;
    std::uint32_t line = kNone;
    Time since = 0;
    std::uint32_t first = kNone;  // waiters, in the order of asking
    std::uint32_t last = kNone;
    bool dropped = false;
  };
  struct Node {
    std::uint32_t waiter = 0;
    std::uint32_t next = kNone;
  };

  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;

  void register_all();
  /// The read that is under way for `tag`, or kNone.
  std::uint32_t fetch_of(std::uint32_t tag) const;
  bool try_start(const Wish& wish);
  void start(const Wish& wish, std::uint32_t line);
  void join(Fetch& fetch, const Wish& wish);
  void add_waiter(Fetch& fetch, std::uint32_t waiter);
  void tell(std::uint32_t first, bool good);
  void start_waiting();
  void count_fetches();

  Units& units_;
  Shape shape_;
  LineUser& user_;
  TagCache tags_;
  std::uint64_t memory_ = 0;
  std::vector<Fetch> fetches_;
  std::vector<std::uint32_t> free_fetches_;
  std::vector<std::uint32_t> fetch_of_;  // by line; kNone: it is not being read
  std::vector<Node> nodes_;
  std::uint32_t free_nodes_ = kNone;
  Ring<Wish> waiting_;  // for a fetch, or for a line that is not being read
  bool telling_ = false;
  Counter hits_, misses_, joined_, evictions_, failed_;
  Histogram latency_;
  TimeWeighted in_flight_;
  Probe in_flight_probe_;
};

}  // namespace railyard::nic
