// What a block's inputs are given, from a CSV file, strictly:
//
//   # depths in cells
//   cycle,enable_i,depth_i[3],tx_ready_i
//   0,0x08,10,0
//   5,,11,
//   9,,,1!
//
// The first column is `cycle`, the others are inputs by their names in the RTL, any of them in any
// order; now_i is the platform's. A row holds from its cycle on. A value is decimal or 0x and
// hexadecimal; nothing: the input stays as it is; with ! behind it: for that cycle alone, then what
// it was before. An input is 0 until a row says otherwise. Cycles rise. Blank lines, and lines that
// begin with #, are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/cc_block/block.h"

namespace railyard {

/// Cycles of the longest run.
constexpr std::uint64_t kMostCycles = 1'000'000'000'000;

struct Stimulus {
  struct Change {
    std::uint64_t cycle;
    std::size_t input;  // of the block
    std::uint64_t value;
  };
  /// In order of cycle; of two of one input at one cycle the later counts.
  std::vector<Change> changes;
  /// Of the last row, and where it is.
  std::uint64_t last_cycle = 0;
  std::string last_place;
};

/// Throws ConfigError with file, line and column at the first thing that is wrong. Reads a regular
/// file of at most 16 MB. `place` is where `path` was written.
Stimulus read_stimulus(const std::string& place, const std::string& path, const BlockType& block);

/// `source` is what places name.
Stimulus parse_stimulus(const std::string& text, const std::string& source, const BlockType& block);

}  // namespace railyard
