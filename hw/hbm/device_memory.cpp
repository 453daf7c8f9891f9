#include "hw/hbm/device_memory.h"

#include <algorithm>

namespace railyard::hbm {

DeviceMemory::DeviceMemory(std::uint64_t base, std::uint64_t capacity, DataMode data)
    : base_(base), capacity_(capacity), data_(data) {
  if (elided()) bytes_.elide(0, capacity);
}

std::uint64_t DeviceMemory::within(std::uint64_t address, std::uint64_t bytes) const {
  return covers(address, 1) ? std::min(bytes, capacity_ - (address - base_)) : 0;
}

DeviceMemory::Direct DeviceMemory::direct(std::uint64_t address) {
  constexpr std::uint64_t kPage = SparseMemory::kPageBytes;
  const std::uint64_t first = (address - base_) / kPage * kPage;
  return {bytes_.page(first), base_ + first, base_ + std::min(first + kPage, capacity_) - 1};
}

}  // namespace railyard::hbm
