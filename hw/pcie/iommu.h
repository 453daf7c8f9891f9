// Address translation for devices: page tables, a translation look-aside buffer, and nothing of
// time. Who uses it asks look_up(); on none it takes a walker for `miss_latency`, then asks walk()
// and gives a good result to fill().
//
// Modelled: one page table a function, pages of one size, a set-associative TLB with true LRU. Not
// modelled: the levels of a table and caches of them, address translation services of devices,
// queued invalidation. As in hardware the TLB keeps what it holds until it is invalidated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/pcie/tlp.h"
#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

struct IommuConfig {
  bool enabled = false;
  Bytes page_size = kibibytes(4);
  unsigned tlb_entries = 64;
  unsigned tlb_ways = 4;
  Time miss_latency = 330 * kNanosecond;
  unsigned walkers = 8;

  void declare(Parameters& p);
};

enum class IommuFault : std::uint8_t { kNone, kNotMapped, kReadOnly };

/// Whether a mapping was made; if not, nothing has changed.
enum class MapStatus : std::uint8_t { kDone, kUnaligned, kOverlap };

class Iommu {
 public:
  /// What the TLB holds of an address.
  struct Hit {
    IommuFault fault = IommuFault::kNone;  // kReadOnly: it may not be written
    std::uint64_t physical = 0;            // of the address itself
  };
  /// What the page table says of an address.
  struct Walk {
    IommuFault fault = IommuFault::kNotMapped;
    std::uint64_t physical = 0;  // of the address itself
    bool writable = false;
  };

  /// `config` was checked when it was bound.
  explicit Iommu(const IommuConfig& config);

  /// Maps [iova, iova + bytes) to [physical, physical + bytes): all whole pages, at least one.
  [[nodiscard]] MapStatus map(DeviceId device, std::uint64_t iova, std::uint64_t physical,
                              std::uint64_t bytes, bool writable);
  /// Takes whole pages away, mapped or not. The TLB still holds them: invalidate().
  [[nodiscard]] MapStatus unmap(DeviceId device, std::uint64_t iova, std::uint64_t bytes);

  /// Counts a hit or a miss. None: a miss.
  std::optional<Hit> look_up(DeviceId device, std::uint64_t iova, bool write);
  Walk walk(DeviceId device, std::uint64_t iova, bool write) const;
  /// Puts the result of a walk in place of the entry of its set that was used least recently. What
  /// is not mapped is not kept.
  void fill(DeviceId device, std::uint64_t iova, const Walk& walk);
  void invalidate(DeviceId device, std::uint64_t iova, std::uint64_t bytes);
  void invalidate(DeviceId device);
  void invalidate();

  std::uint64_t page_size() const { return page_size_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Range {
    std::uint64_t last;
    std::uint64_t physical;
    bool writable;
  };
  using PageTable = std::map<std::uint64_t, Range>;  // by first address
  struct Entry {
    std::uint64_t page = 0;
    std::uint64_t physical = 0;  // of the page
    std::uint64_t used = 0;      // when, in look-ups and fills; 0: free
    DeviceId device;
    bool writable = false;
  };

  bool whole_pages(std::uint64_t address, std::uint64_t bytes) const;
  std::uint64_t page_of(std::uint64_t address) const { return address >> page_shift_; }
  /// The first of `ways_` entries.
  Entry* set_of(DeviceId device, std::uint64_t page);
  Entry* find(DeviceId device, std::uint64_t page);

  std::uint64_t page_size_;
  unsigned page_shift_ = 0;
  unsigned ways_;
  std::uint64_t sets_;  // a power of two
  std::unordered_map<std::uint16_t, PageTable> tables_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace railyard::pcie
