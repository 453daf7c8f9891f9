// A part of a host's memory that its programs share out (tlm/core/address_space.h says how they see
// it): ranges of their own, and pages that show the process's memory.
//
// A range is taken from the lowest addresses that have room. What is mapped lies on consecutive
// pages, as far as it is not mapped already. The first and the last page of what is mapped show
// bytes beside it too: a page is whole.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "hw/host/memory.h"
#include "tlm/core/address_space.h"

namespace railyard::host {

class HostAddressSpace : public AddressSpace {
 public:
  /// Of `bytes` at `base`, which the memory covers and nobody else uses: whole pages, not all from
  /// address 0 on, for that is nobody's address. std::invalid_argument otherwise.
  HostAddressSpace(HostMemory& memory, Address base, std::uint64_t bytes);
  ~HostAddressSpace() override;
  HostAddressSpace(const HostAddressSpace&) = delete;
  HostAddressSpace& operator=(const HostAddressSpace&) = delete;

  /// std::invalid_argument if `bytes` is 0 or `alignment` is no power of two.
  Address allocate(std::uint64_t bytes, std::uint64_t alignment) override;
  /// std::invalid_argument if allocate() did not give it.
  void release(Address address) override;
  std::vector<Address> map(void* memory, std::size_t bytes) override;
  /// std::invalid_argument if a page is not mapped.
  void unmap(void* memory, std::size_t bytes) override;

  std::uint64_t free_bytes() const;
  std::size_t mapped_pages() const { return pages_.size(); }

 private:
  /// A page of the process that is mapped.
  struct Mapping {
    Address page = 0;
    std::uint64_t uses = 0;
  };
  /// Addresses of pages of the process that a range touches.
  struct Pages {
    std::uint64_t first;
    std::uint64_t end;
  };
  static Pages pages_of(const void* memory, std::size_t bytes);
  Address take(std::uint64_t bytes, std::uint64_t alignment);
  void give_back(Address address, std::uint64_t bytes);
  std::uint64_t unmapped_run(std::uint64_t page, std::uint64_t end) const;
  void map_run(std::uint64_t page, std::uint64_t bytes);
  void drop(std::uint64_t page);

  HostMemory& memory_;
  std::map<Address, std::uint64_t> free_;       // apart, and not adjacent
  std::map<Address, std::uint64_t> allocated_;  // by allocate()
  std::unordered_map<std::uint64_t, Mapping> pages_;
};

}  // namespace railyard::host
