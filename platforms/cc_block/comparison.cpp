#include "platforms/cc_block/comparison.h"

#include <utility>

#include "tlm/observe/checker.h"

namespace railyard {

namespace {

/// "; name this, that" for each that differs.
std::string differences(const std::vector<BlockPort>& ports, const Values& a, const Values& b) {
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (a[i] == b[i]) continue;
    text += "; " + ports[i].name + " " + std::to_string(a[i]) + ", " + std::to_string(b[i]);
  }
  return text;
}

}  // namespace

BlockComparison::BlockComparison(const BlockType& type, std::unique_ptr<Block> block,
                                 std::string driven, std::string other)
    : type_(type), block_(std::move(block)), driven_(std::move(driven)), other_(std::move(other)) {}

bool BlockComparison::equal(std::uint64_t cycle, Time now, const Values& inputs,
                            const BlockView& seen) {
  block_->settle(inputs, view_);
  if (view_.outputs == seen.outputs && view_.registers == seen.registers) return true;
  if (++differ_ == 1) {
    first_at_ = now;
    first_ = "cycle " + std::to_string(cycle) + ": " + driven_ + " and " + other_ + " differ" +
             differences(type_.outputs, seen.outputs, view_.outputs) +
             differences(type_.registers, seen.registers, view_.registers);
  }
  return false;
}

void BlockComparison::conclude() const {
  if (differ_ == 0) return;
  break_invariant(type_.name, first_at_,
                  first_ + " (cycles that differ: " + std::to_string(differ_) + ")");
}

}  // namespace railyard
