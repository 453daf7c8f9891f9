// ECC that is kept in the memory itself (`ecc.mode: inline`): an eighth of each bank's rows, the
// last, holds the codes of the others, 4 B for each access of 32 B. A pseudo-channel keeps some
// lines of codes; an access whose line it does not have reads it first, and one that was written to
// is written back when it makes room.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/hbm/organisation.h"

namespace railyard::hbm {

class InlineEcc {
 public:
  struct Line {
    std::uint8_t bank = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    bool is(const Line& o) const { return bank == o.bank && row == o.row && column == o.column; }
  };
  /// What an access costs on top.
  struct Cost {
    bool read = false;
    bool write = false;
    Line line;     // to read
    Line evicted;  // to write
  };

  /// Accesses whose codes are in one line: eight codes of 4 B.
  static constexpr unsigned kCovered = 8;

  InlineEcc(const Organisation& organisation, unsigned lines)
      : columns_(organisation.columns),
        rows_(organisation.rows),
        bank_flip_(organisation.banks > 1 ? 1 : 0),
        lines_(lines) {}

  /// The line of an access to a row of data: in the neighbouring bank, so that both rows stay open.
  Line line_of(unsigned bank, std::uint32_t row, std::uint32_t column) const {
    return {static_cast<std::uint8_t>(bank ^ bank_flip_),
            rows_ / kCovered * (kCovered - 1) + row / kCovered,
            (row % kCovered * columns_ + column) / kCovered};
  }

  Cost access(unsigned bank, std::uint32_t row, std::uint32_t column, bool write) {
    Cost cost;
    cost.line = line_of(bank, row, column);
    Kept* oldest = &lines_.front();
    ++clock_;
    for (Kept& kept : lines_) {
      if (kept.used != 0 && kept.line.is(cost.line)) {
        kept.used = clock_;
        kept.dirty = kept.dirty || write;
        return cost;
      }
      if (kept.used < oldest->used) oldest = &kept;
    }
    cost.read = true;
    cost.write = oldest->dirty;
    cost.evicted = oldest->line;
    *oldest = {cost.line, clock_, write};
    return cost;
  }

 private:
  struct Kept {
    Line line;
    std::uint64_t used = 0;  // 0: nothing there
    bool dirty = false;
  };
  unsigned columns_;
  unsigned rows_;
  unsigned bank_flip_;
  std::uint64_t clock_ = 0;
  std::vector<Kept> lines_;
};

}  // namespace railyard::hbm
