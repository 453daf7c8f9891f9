// How many of each traffic class wait in front of a stage for what is being read.
#pragma once

#include <array>
#include <cstdint>

#include "hw/nic/stage.h"

namespace railyard::nic {

class BlockedClasses {
 public:
  explicit BlockedClasses(Cause cause) : cause_(cause) {}

  void add(unsigned cls) {
    ++waiting_[cls];
    ++total_;
  }
  void remove(unsigned cls) {
    --waiting_[cls];
    --total_;
  }

  /// Something that waits for nothing passes the stage: when it leaves.
  Time pass(Stage& stage, Time at, unsigned cls, Time now) const {
    const Time out = stage.pass(at, cls);
    mark(stage, now);
    return out;
  }
  /// To be called when the numbers have changed: with nothing else to do the stage is blocked with
  /// the first class that waits.
  void mark(Stage& stage, Time now) const {
    if (total_ == 0) return;
    for (unsigned cls = 0; cls < Stage::kClasses; ++cls) {
      if (waiting_[cls] == 0) continue;
      stage.block(cause_, cls, now);
      return;
    }
  }

 private:
  Cause cause_;
  std::array<std::uint32_t, Stage::kClasses> waiting_{};
  std::uint32_t total_ = 0;
};

}  // namespace railyard::nic
