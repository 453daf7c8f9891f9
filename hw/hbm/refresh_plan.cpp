#include "hw/hbm/refresh_plan.h"

#include <algorithm>

namespace railyard::hbm {

RefreshPlan::RefreshPlan(const RefreshConfig& config, const Organisation& organisation,
                         const Timing& timing, unsigned index, unsigned count)
    : organisation_(organisation),
      mode_(config.mode),
      postpone_(config.postpone),
      command_(config.mode == RefreshMode::kPerBank ? Command::kRefreshBank
                                                    : Command::kRefreshAll) {
  if (mode_ == RefreshMode::kOff) return;
  const bool all = mode_ == RefreshMode::kAllBank;
  interval_ = kTicksPerClock * (all ? timing.refi : refi_bank(timing, organisation));
  units_.resize(all ? organisation.sids : 1);
  for (unsigned i = 0; i < units_.size(); ++i) {
    Unit& unit = units_[i];
    const auto place = static_cast<Tick>(index * units_.size() + i);
    const auto places = static_cast<Tick>(count * units_.size());
    // Apart: the first ones are spread over an interval.
    unit.due = config.staggered ? interval_ * (place + 1) / places : interval_;
    if (all) {
      unit.bank = organisation.first_bank_of_sid(i);
      unit.mask = organisation.banks_of_sid(unit.bank);
    } else {
      take_turn(unit);
    }
    next_ = std::min(next_, unit.due);
  }
}

// One bank group after the other: a stream that uses the banks of one number in all groups meets
// every fourth refresh, not all of a run of them.
void RefreshPlan::take_turn(Unit& unit) {
  unit.bank = unit.turn;
  unit.mask = std::uint64_t{1} << unit.bank;
  unit.turn = (unit.turn + 1) % organisation_.banks_per_pseudo_channel();
}

bool RefreshPlan::decide(Tick now, std::uint64_t waiting) {
  const std::uint64_t before = wanted_;
  next_ = kNever;
  for (Unit& unit : units_) {
    while (unit.due <= now) {
      ++unit.owed;
      ++owed_;
      unit.due += interval_;
    }
    next_ = std::min(next_, unit.due);
    unit.wanted =
        unit.wanted || unit.owed > postpone_ || (unit.owed > 0 && (waiting & unit.mask) == 0);
    if (unit.wanted) wanted_ |= unit.mask;
  }
  return wanted_ != before;
}

void RefreshPlan::done(unsigned bank) {
  for (Unit& unit : units_) {
    if (unit.bank != bank) continue;
    --unit.owed;
    --owed_;
    unit.wanted = false;
    wanted_ &= ~unit.mask;
    if (mode_ == RefreshMode::kPerBank) take_turn(unit);
    return;
  }
}

}  // namespace railyard::hbm
