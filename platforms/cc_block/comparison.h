// The other engine of a block, beside the one that is driven.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "platforms/cc_block/block.h"
#include "tlm/base/time.h"

namespace railyard {

/// Free-running: it sees every cycle.
class BlockComparison {
 public:
  /// `driven` and `other` are the engines' names; `type` outlives it.
  BlockComparison(const BlockType& type, std::unique_ptr<Block> block, std::string driven,
                  std::string other);

  Block& block() { return *block_; }
  /// A cycle that begins at `now`; false if not all that is seen is equal.
  bool equal(std::uint64_t cycle, Time now, const Values& inputs, const BlockView& seen);
  /// The cycle's edge.
  void clock(const Values& inputs) { block_->clock(inputs, view_); }

  /// Breaks the run, with the first difference, if there was one.
  void conclude() const;

 private:
  const BlockType& type_;
  std::unique_ptr<Block> block_;
  std::string driven_;
  std::string other_;
  BlockView view_;
  std::uint64_t differ_ = 0;  // cycles
  std::string first_;         // what differed in the first
  Time first_at_ = 0;
};

}  // namespace railyard
