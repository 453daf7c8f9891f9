// What software has of its host's memory: ranges of its own, for queues and buffers that devices
// reach, and a program's memory mapped so that they reach it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/core/core.h"

namespace railyard {

class AddressSpace {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  virtual ~AddressSpace() = default;

  /// Host memory, contiguous, that is nobody else's; its bytes are zero. `alignment` is a power of
  /// two. Takes no simulated time. Throws std::bad_alloc if there is none left.
  virtual Address allocate(std::uint64_t bytes, std::uint64_t alignment) = 0;
  /// What allocate() gave, as a whole.
  virtual void release(Address address) = 0;

  /// Makes `bytes` at `memory`, which this process holds and keeps until unmap(), the host's
  /// memory: devices and cores read and write those very bytes. Returns the page addresses, first
  /// byte's page first; the first byte's offset in its page is that of the pointer. A range that
  /// overlaps one that is mapped already shares its pages.
  virtual std::vector<Address> map(void* memory, std::size_t bytes) = 0;
  /// What map() was given, as often as it was.
  virtual void unmap(void* memory, std::size_t bytes) = 0;
};

}  // namespace railyard
