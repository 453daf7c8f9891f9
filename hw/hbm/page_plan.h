// When a row that nobody waits for is closed. Open: never. Closed: by the last request that waits
// for it, with auto-precharge. Adaptive: after a time without requests that each bank learns: half
// as long when a row that was still open was in the way, twice as long when a row was closed and
// opened again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/controller_config.h"

namespace railyard::hbm {

class PagePlan {
 public:
  PagePlan(const PageConfig& config, unsigned banks)
      : policy_(config.policy),
        least_(Tick{config.timeout_min} * kTicksPerClock),
        most_(Tick{config.timeout_max} * kTicksPerClock),
        banks_(banks, Bank{Tick{config.timeout} * kTicksPerClock, 0, kNoRow}) {}

  bool closes_after_last() const { return policy_ == PagePolicy::kClosed; }
  bool closes_late() const { return policy_ == PagePolicy::kAdaptive; }
  /// When the row of a bank is closed if nothing comes for it.
  Tick close_at(unsigned bank) const { return banks_[bank].used + banks_[bank].timeout; }

  void opened(unsigned bank, std::uint32_t row) {
    if (!closes_late()) return;
    Bank& b = banks_[bank];
    if (b.closed_row == row) b.timeout = std::min(2 * b.timeout, most_);
    b.closed_row = kNoRow;
  }
  void used(unsigned bank, Tick now) { banks_[bank].used = now; }
  void in_the_way(unsigned bank) {
    if (!closes_late()) return;
    banks_[bank].timeout = std::max(banks_[bank].timeout / 2, least_);
    banks_[bank].closed_row = kNoRow;
  }
  void closed_unasked(unsigned bank, std::uint32_t row) { banks_[bank].closed_row = row; }

 private:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  struct Bank {
    Tick timeout;
    Tick used;
    std::uint32_t closed_row;  // by the timeout, last
  };
  PagePolicy policy_;
  Tick least_;
  Tick most_;
  std::vector<Bank> banks_;
};

}  // namespace railyard::hbm
