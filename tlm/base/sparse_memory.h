// Bytes of a large address range of which few are written: pages of 4 KiB, made when they are first
// written; all else reads as zero. Ranges that are elided keep nothing: they read as a fixed
// function of the address, and writes to them are dropped. Pages that are mapped are others' bytes:
// reads and writes go to those.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace railyard {

class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  /// What a byte of an elided range reads as.
  static std::uint8_t elided_byte(std::uint64_t address) {
    constexpr std::uint64_t kMix = 0x9E37'79B9'7F4A'7C15;  // 2^64 / golden ratio
    return static_cast<std::uint8_t>((address * kMix) >> 56);
  }

  void read(std::uint64_t address, std::uint8_t* to, std::uint64_t bytes) const;
  void write(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes);
  /// The bytes of the page of `address`, which is made if it does not exist; they stay where they
  /// are until it is mapped, unmapped or cleared. None if any of it is elided.
  std::uint8_t* page(std::uint64_t address);
  /// From now on; what was written there before is hidden.
  void elide(std::uint64_t address, std::uint64_t bytes);

  /// Whole pages of which none is mapped or elided, `address` a page's: from now on they are the
  /// bytes at `memory`, which outlive the mapping, and what was written there before is gone.
  void map(std::uint64_t address, std::uint8_t* memory, std::uint64_t bytes);
  /// Whole pages that are mapped: from now on they read as zero.
  void unmap(std::uint64_t address, std::uint64_t bytes);
  /// The range reads as zero, unless it is elided. It is not mapped.
  void clear(std::uint64_t address, std::uint64_t bytes);

  bool elided(std::uint64_t address) const { return piece_at(address, 1).elided; }
  /// Pages that exist, the mapped ones included.
  std::size_t pages() const { return pages_.size(); }

 private:
  using Bytes = std::array<std::uint8_t, kPageBytes>;
  struct Page {
    std::unique_ptr<Bytes> own;      // or
    std::uint8_t* mapped = nullptr;  // another's
    std::uint8_t* bytes() const { return own ? own->data() : mapped; }
  };
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  /// The longest start of a range that lies in one page and is elided as a whole or not at all.
  struct Piece {
    std::uint64_t bytes;
    bool elided;
  };
  Piece piece_at(std::uint64_t address, std::uint64_t bytes) const;
  Page& make_page(std::uint64_t address);

  std::unordered_map<std::uint64_t, Page> pages_;
  std::vector<Range> elided_;  // in order and apart
};

}  // namespace railyard
