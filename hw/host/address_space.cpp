#include "hw/host/address_space.h"

#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>

namespace railyard::host {

namespace {

constexpr std::uint64_t kPage = AddressSpace::kPageBytes;
static_assert(kPage == SparseMemory::kPageBytes);

std::uint64_t number_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

HostAddressSpace::HostAddressSpace(HostMemory& memory, Address base, std::uint64_t bytes)
    : memory_(memory) {
  if (bytes == 0 || base % kPage != 0 || bytes % kPage != 0 || !memory.covers(base, bytes)) {
    throw std::invalid_argument("an address space is whole pages of its host's memory");
  }
  free_[base] = bytes;
  if (base == 0) (void)take(kPage, kPage);
}

HostAddressSpace::~HostAddressSpace() {
  for (const auto& page : pages_) memory_.unmap(page.second.page, kPage);
}

Address HostAddressSpace::take(std::uint64_t bytes, std::uint64_t alignment) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const Address begin = range->first;
    const Address end = begin + range->second;
    const Address address = (begin + alignment - 1) & ~(alignment - 1);
    if (address < begin || address > end || bytes > end - address) continue;
    free_.erase(range);
    if (address > begin) free_[begin] = address - begin;
    if (address + bytes < end) free_[address + bytes] = end - (address + bytes);
    return address;
  }
  throw std::bad_alloc();
}

void HostAddressSpace::give_back(Address address, std::uint64_t bytes) {
  const auto next = free_.lower_bound(address);
  if (next != free_.end() && next->first == address + bytes) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto behind = free_.lower_bound(address);
  if (behind != free_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  }
  free_[address] = bytes;
}

Address HostAddressSpace::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    throw std::invalid_argument("an allocation has bytes, and a power of two as alignment");
  }
  const Address address = take(bytes, alignment);
  allocated_[address] = bytes;
  const LazyScheduler::Visit visit(memory_.lazy());
  memory_.clear(address, bytes);
  return address;
}

void HostAddressSpace::release(Address address) {
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) {
    throw std::invalid_argument("what is released was not allocated");
  }
  const std::uint64_t bytes = found->second;
  allocated_.erase(found);
  give_back(address, bytes);
}

HostAddressSpace::Pages HostAddressSpace::pages_of(const void* memory, std::size_t bytes) {
  const std::uint64_t first = number_of(memory) / kPage * kPage;
  if (bytes == 0) return {first, first};
  return {first, (number_of(memory) + bytes - 1) / kPage * kPage + kPage};
}

/// Bytes of pages from `page` on that are not mapped.
std::uint64_t HostAddressSpace::unmapped_run(std::uint64_t page, std::uint64_t end) const {
  std::uint64_t behind = page;
  while (behind < end && pages_.count(behind) == 0) behind += kPage;
  return behind - page;
}

void HostAddressSpace::map_run(std::uint64_t page, std::uint64_t bytes) {
  const Address address = take(bytes, kPage);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer rounded down to its page
  memory_.map(address, reinterpret_cast<std::uint8_t*>(page), bytes);
  for (std::uint64_t offset = 0; offset < bytes; offset += kPage) {
    pages_[page + offset] = {address + offset, 0};
  }
}

std::vector<Address> HostAddressSpace::map(void* memory, std::size_t bytes) {
  const LazyScheduler::Visit visit(memory_.lazy());
  const Pages range = pages_of(memory, bytes);
  try {
    for (std::uint64_t page = range.first; page < range.end;) {
      const std::uint64_t run = unmapped_run(page, range.end);
      if (run > 0) map_run(page, run);
      page += run > 0 ? run : kPage;
    }
  } catch (const std::bad_alloc&) {
    for (std::uint64_t page = range.first; page < range.end; page += kPage) drop(page);
    throw;
  }
  std::vector<Address> addresses;
  addresses.reserve((range.end - range.first) / kPage);
  for (std::uint64_t page = range.first; page < range.end; page += kPage) {
    Mapping& mapping = pages_.at(page);
    ++mapping.uses;
    addresses.push_back(mapping.page);
  }
  return addresses;
}

/// A page that nobody uses any more.
void HostAddressSpace::drop(std::uint64_t page) {
  const auto found = pages_.find(page);
  if (found == pages_.end() || found->second.uses > 0) return;
  memory_.unmap(found->second.page, kPage);
  give_back(found->second.page, kPage);
  pages_.erase(found);
}

// A program that is unwound may find its host half taken down: then nothing moves any more.
void HostAddressSpace::unmap(void* memory, std::size_t bytes) {
  if (std::uncaught_exceptions() == 0) memory_.lazy().catch_up();
  const Pages range = pages_of(memory, bytes);
  for (std::uint64_t page = range.first; page < range.end; page += kPage) {
    if (pages_.count(page) == 0) throw std::invalid_argument("what is unmapped was not mapped");
  }
  for (std::uint64_t page = range.first; page < range.end; page += kPage) {
    --pages_.at(page).uses;
    drop(page);
  }
}

std::uint64_t HostAddressSpace::free_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& range : free_) bytes += range.second;
  return bytes;
}

}  // namespace railyard::host
