#include "hw/pcie/iommu.h"

#include <algorithm>
#include <limits>

namespace railyard::pcie {

namespace {

bool power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace

void IommuConfig::declare(Parameters& p) {
  p.add("enabled", enabled).doc("Devices' addresses are translated; off: they are physical");
  p.choice("page_size", page_size, {{"4KiB", kibibytes(4)}, {"2MiB", kibibytes(2048)}})
      .doc("Size of all pages");
  p.add("tlb_entries", tlb_entries)
      .range(1, 65'536)
      .accept("is not a power of two", "a power of two", [](unsigned n) { return power_of_two(n); })
      .doc("Translations that the TLB holds; 64 is what measurements of a server show");
  p.add("tlb_ways", tlb_ways)
      .range(1, 65'536)
      .accept("is not a power of two", "a power of two", [](unsigned n) { return power_of_two(n); })
      .doc("Entries of a set of the TLB; as many as tlb_entries: fully associative");
  p.add("miss_latency", miss_latency)
      .range(kNanosecond, 100 * kMicrosecond)
      .doc("Time of a page walk; about 330 ns is published for servers");
  p.add("walkers", walkers).range(1, 1'024).doc("Page walks at the same time");
  p.check([this](const Bound& bound) {
    if (tlb_ways <= tlb_entries) return;
    bound.fail("tlb_ways", "a set has more entries than the TLB", "write at most tlb_entries");
  });
}

Iommu::Iommu(const IommuConfig& config)
    : page_size_(config.page_size),
      ways_(config.tlb_ways),
      sets_(config.tlb_entries / config.tlb_ways),
      entries_(config.tlb_entries) {
  while (1ULL << page_shift_ < page_size_) ++page_shift_;
}

bool Iommu::whole_pages(std::uint64_t address, std::uint64_t bytes) const {
  return bytes != 0 && (address | bytes) % page_size_ == 0 &&
         bytes - 1 <= std::numeric_limits<std::uint64_t>::max() - address;
}

MapStatus Iommu::map(DeviceId device, std::uint64_t iova, std::uint64_t physical,
                     std::uint64_t bytes, bool writable) {
  if (!whole_pages(iova, bytes) || !whole_pages(physical, bytes)) return MapStatus::kUnaligned;
  PageTable& table = tables_[device.value];
  const std::uint64_t last = iova + (bytes - 1);
  const auto after = table.upper_bound(last);
  if (after != table.begin() && std::prev(after)->second.last >= iova) return MapStatus::kOverlap;
  table.emplace_hint(after, iova, Range{last, physical, writable});
  return MapStatus::kDone;
}

MapStatus Iommu::unmap(DeviceId device, std::uint64_t iova, std::uint64_t bytes) {
  if (!whole_pages(iova, bytes)) return MapStatus::kUnaligned;
  PageTable& table = tables_[device.value];
  const std::uint64_t last = iova + (bytes - 1);
  auto at = table.upper_bound(iova);
  if (at != table.begin() && std::prev(at)->second.last >= iova) --at;
  while (at != table.end() && at->first <= last) {
    const std::uint64_t first = at->first;
    const Range range = at->second;
    at = table.erase(at);
    if (first < iova) table.emplace(first, Range{iova - 1, range.physical, range.writable});
    if (range.last > last) {
      table.emplace(last + 1,
                    Range{range.last, range.physical + (last + 1 - first), range.writable});
    }
  }
  return MapStatus::kDone;
}

Iommu::Entry* Iommu::set_of(DeviceId device, std::uint64_t page) {
  // Devices that map the same addresses begin in different sets.
  const std::uint64_t set = (page + device.value + device.bus()) & (sets_ - 1);
  return &entries_[set * ways_];
}

Iommu::Entry* Iommu::find(DeviceId device, std::uint64_t page) {
  Entry* const set = set_of(device, page);
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    if (entry->used != 0 && entry->page == page && entry->device == device) return entry;
  }
  return nullptr;
}

std::optional<Iommu::Hit> Iommu::look_up(DeviceId device, std::uint64_t iova, bool write) {
  Entry* const entry = find(device, page_of(iova));
  if (entry == nullptr) {
    ++misses_;
    return std::nullopt;
  }
  ++hits_;
  entry->used = ++clock_;
  if (write && !entry->writable) return Hit{IommuFault::kReadOnly, 0};
  return Hit{IommuFault::kNone, entry->physical | (iova & (page_size_ - 1))};
}

Iommu::Walk Iommu::walk(DeviceId device, std::uint64_t iova, bool write) const {
  const auto table = tables_.find(device.value);
  if (table == tables_.end()) return {};
  const auto after = table->second.upper_bound(iova);
  if (after == table->second.begin()) return {};
  const auto& [first, range] = *std::prev(after);
  if (range.last < iova) return {};
  const bool refused = write && !range.writable;
  return {refused ? IommuFault::kReadOnly : IommuFault::kNone, range.physical + (iova - first),
          range.writable};
}

void Iommu::fill(DeviceId device, std::uint64_t iova, const Walk& walk) {
  if (walk.fault == IommuFault::kNotMapped) return;
  const std::uint64_t page = page_of(iova);
  Entry* entry = find(device, page);  // a walk for the same page may have come first
  if (entry == nullptr) {
    Entry* const set = set_of(device, page);
    entry = std::min_element(set, set + ways_,
                             [](const Entry& a, const Entry& b) { return a.used < b.used; });
  }
  *entry = {page, walk.physical & ~(page_size_ - 1), ++clock_, device, walk.writable};
}

void Iommu::invalidate(DeviceId device, std::uint64_t iova, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t first = page_of(iova);
  const std::uint64_t last = page_of(iova + (bytes - 1));
  for (Entry& entry : entries_) {
    if (entry.device == device && first <= entry.page && entry.page <= last) entry.used = 0;
  }
}

void Iommu::invalidate(DeviceId device) {
  for (Entry& entry : entries_) {
    if (entry.device == device) entry.used = 0;
  }
}

void Iommu::invalidate() {
  for (Entry& entry : entries_) entry.used = 0;
}

}  // namespace railyard::pcie
