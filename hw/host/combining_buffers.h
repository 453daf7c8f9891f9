// A core's write-combining buffers: lines of 64 B that collect stores to a device. What leaves them
// and when is the core's decision; no line leaves by itself (there is no timeout).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/core/core.h"

namespace railyard::host {

constexpr std::uint64_t kLineBytes = 64;
constexpr Address line_of(Address address) { return address & ~(kLineBytes - 1); }

struct CombiningLine {
  Address base = 0;
  std::uint64_t valid = 0;  // bit i: byte i was stored
  std::array<std::uint8_t, kLineBytes> data{};

  bool full() const { return valid == ~std::uint64_t{0}; }
};

/// Calls `send(address, data, bytes)` for each contiguous run of bytes, upwards.
template <class Send>
void for_each_run(const CombiningLine& line, Send send) {
  const auto stored = [&line](unsigned i) { return (line.valid >> i & 1U) != 0; };
  for (unsigned i = 0; i < kLineBytes;) {
    unsigned end = i;
    while (end < kLineBytes && stored(end)) ++end;
    if (end > i) send(line.base + i, line.data.data() + i, end - i);
    i = end + 1;
  }
}

class CombiningBuffers {
 public:
  explicit CombiningBuffers(std::size_t count) : count_(count) { lines_.reserve(count); }

  bool empty() const { return lines_.empty(); }
  /// A store to `address` needs a buffer, and none is free.
  bool needs_eviction(Address address) const {
    return lines_.size() == count_ && find(line_of(address)) == lines_.size();
  }
  /// Bytes within one line, for which there is a buffer. True if the line is full now.
  bool put(Address address, const std::uint8_t* from, std::size_t bytes);
  /// Takes the line out into which was stored first.
  CombiningLine take_oldest() { return take_at(0); }
  /// Takes a line out that is there.
  CombiningLine take(Address address) { return take_at(find(line_of(address))); }

 private:
  std::size_t find(Address base) const;
  CombiningLine take_at(std::size_t index);

  std::size_t count_;
  std::vector<CombiningLine> lines_;  // the oldest first
};

}  // namespace railyard::host
