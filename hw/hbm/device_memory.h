// The bytes of an HBM device, and where they lie among its users' addresses. No time passes here:
// the timing is the controller's.
#pragma once

#include <cstdint>

#include "tlm/base/data_mode.h"
#include "tlm/base/sparse_memory.h"

namespace railyard::hbm {

class DeviceMemory {
 public:
  /// `base` + `capacity` does not pass 2^64.
  DeviceMemory(std::uint64_t base, std::uint64_t capacity, DataMode data);

  std::uint64_t base() const { return base_; }
  std::uint64_t capacity() const { return capacity_; }
  bool elided() const { return data_ == DataMode::kElided; }
  /// True also of no bytes at the device's end.
  bool covers(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && bytes <= capacity_ && address - base_ <= capacity_ - bytes;
  }
  /// Bytes of a range that begins at `address` that are the device's before its first that is not.
  std::uint64_t within(std::uint64_t address, std::uint64_t bytes) const;

  // Of a range that is covered.
  void read(std::uint64_t address, std::uint8_t* to, std::uint64_t bytes) const {
    bytes_.read(address - base_, to, bytes);
  }
  void write(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes) {
    bytes_.write(address - base_, from, bytes);
  }

  /// Bytes that one may get at without read() and write(), for as long as the device lives.
  struct Direct {
    std::uint8_t* bytes = nullptr;  // none: not kept
    std::uint64_t first = 0;        // the address of the first
    std::uint64_t last = 0;
  };
  /// Those of the page of an address that is covered, which is made if it does not exist.
  Direct direct(std::uint64_t address);

 private:
  std::uint64_t base_;
  std::uint64_t capacity_;
  DataMode data_;
  SparseMemory bytes_;
};

}  // namespace railyard::hbm
