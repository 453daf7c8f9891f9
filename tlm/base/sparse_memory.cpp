#include "tlm/base/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace railyard {

SparseMemory::Piece SparseMemory::piece_at(std::uint64_t address, std::uint64_t bytes) const {
  Piece piece{std::min(bytes, kPageBytes - address % kPageBytes), false};
  // The first range that ends behind the address.
  const auto range = std::upper_bound(
      elided_.begin(), elided_.end(), address,
      [](std::uint64_t value, const Range& candidate) { return value < candidate.end; });
  if (range == elided_.end()) return piece;
  piece.elided = range->begin <= address;
  const std::uint64_t edge = piece.elided ? range->end : range->begin;
  piece.bytes = std::min(piece.bytes, edge - address);
  return piece;
}

void SparseMemory::read(std::uint64_t address, std::uint8_t* to, std::uint64_t bytes) const {
  while (bytes > 0) {
    const Piece piece = piece_at(address, bytes);
    const auto page = piece.elided ? pages_.end() : pages_.find(address / kPageBytes);
    if (piece.elided) {
      for (std::uint64_t i = 0; i < piece.bytes; ++i) to[i] = elided_byte(address + i);
    } else if (page == pages_.end()) {
      std::memset(to, 0, piece.bytes);
    } else {
      std::memcpy(to, page->second.bytes() + address % kPageBytes, piece.bytes);
    }
    address += piece.bytes;
    to += piece.bytes;
    bytes -= piece.bytes;
  }
}

void SparseMemory::write(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes) {
  while (bytes > 0) {
    const Piece piece = piece_at(address, bytes);
    if (!piece.elided) {
      std::memcpy(make_page(address).bytes() + address % kPageBytes, from, piece.bytes);
    }
    address += piece.bytes;
    from += piece.bytes;
    bytes -= piece.bytes;
  }
}

SparseMemory::Page& SparseMemory::make_page(std::uint64_t address) {
  Page& page = pages_[address / kPageBytes];
  if (page.bytes() == nullptr) page.own = std::make_unique<Bytes>();
  return page;
}

std::uint8_t* SparseMemory::page(std::uint64_t address) {
  const std::uint64_t first = address - address % kPageBytes;
  const Piece piece = piece_at(first, kPageBytes);
  const bool kept = !piece.elided && piece.bytes == kPageBytes;
  return kept ? make_page(first).bytes() : nullptr;
}

void SparseMemory::elide(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  elided_.push_back({address, address + bytes});
  std::sort(elided_.begin(), elided_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> apart;
  for (const Range& range : elided_) {
    if (!apart.empty() && range.begin <= apart.back().end) {
      apart.back().end = std::max(apart.back().end, range.end);
    } else {
      apart.push_back(range);
    }
  }
  elided_ = std::move(apart);
}

void SparseMemory::map(std::uint64_t address, std::uint8_t* memory, std::uint64_t bytes) {
  for (std::uint64_t offset = 0; offset < bytes; offset += kPageBytes) {
    Page& page = pages_[(address + offset) / kPageBytes];
    page.own.reset();
    page.mapped = memory + offset;
  }
}

void SparseMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t offset = 0; offset < bytes; offset += kPageBytes) {
    pages_.erase((address + offset) / kPageBytes);
  }
}

void SparseMemory::clear(std::uint64_t address, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t piece = std::min(bytes, kPageBytes - address % kPageBytes);
    if (piece == kPageBytes) {
      pages_.erase(address / kPageBytes);
    } else if (const auto page = pages_.find(address / kPageBytes); page != pages_.end()) {
      std::memset(page->second.bytes() + address % kPageBytes, 0, piece);
    }
    address += piece;
    bytes -= piece;
  }
}

}  // namespace railyard
