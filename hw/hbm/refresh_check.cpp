#include "hw/hbm/refresh_check.h"

#include <algorithm>

#include "hw/hbm/clock_text.h"

namespace railyard::hbm {
namespace {

Tick period_of(const Organisation& organisation, const Timing& timing, RefreshMode mode) {
  const bool per_bank = mode == RefreshMode::kPerBank;
  const unsigned parts = per_bank ? organisation.banks_per_pseudo_channel() : 1;
  return Tick{timing.refi / parts} * kTicksPerClock;
}

}  // namespace

RefreshCheck::RefreshCheck(const Organisation& organisation, const Timing& timing,
                           const RefreshConfig& config, Tick slack)
    : organisation_(organisation),
      mode_(config.mode),
      period_(period_of(organisation, timing, config.mode)),
      slack_(slack),
      postpone_(config.postpone),
      units_each_(mode_ == RefreshMode::kPerBank ? 1 : organisation.sids),
      units_(std::size_t{organisation.total_pseudo_channels()} * units_each_) {
  for (Unit& unit : units_) unit.least_shift = config.staggered ? 1 - period_ : 0;
  const Tick first = mode_ == RefreshMode::kOff ? kNever : last_moment(units_.front());
  overdue_.assign(organisation.total_pseudo_channels(), first);
}

Tick RefreshCheck::default_slack(const Organisation& organisation, const Timing& timing) {
  const unsigned row = timing.rc + timing.wl + timing.burst + timing.wr + timing.rp;
  const unsigned precharges = organisation.banks_per_pseudo_channel() * timing.ppd;
  return Tick{row + precharges + organisation.sids * timing.rrefd} * kTicksPerClock;
}

std::optional<std::string> RefreshCheck::problem_of(const CommandRecord& record,
                                                    std::size_t pseudo_channel) const {
  if (record.tick > overdue_[pseudo_channel]) return missing(pseudo_channel, record.tick);
  if (mode_ == RefreshMode::kOff) return "a refresh, though refresh is off";
  if ((record.command == Command::kRefreshBank) != (mode_ == RefreshMode::kPerBank)) {
    return "a refresh of the other kind than is configured";
  }
  const Unit& unit = units_[unit_of(record, pseudo_channel)];
  const Tick first_due = due(unit.done + 1, unit.least_shift);
  if (record.tick < first_due) {
    return "refresh " + std::to_string(unit.done + 1) + " is not due before " +
           clock_text(first_due) + " CK, missed by " + clock_text(first_due - record.tick) + " CK";
  }
  if (mode_ == RefreshMode::kPerBank && (unit.round >> record.bank & 1U) != 0) {
    return "the bank is refreshed again before all banks were, once each";
  }
  return std::nullopt;
}

void RefreshCheck::take(const CommandRecord& record, std::size_t pseudo_channel) {
  Unit& unit = units_[unit_of(record, pseudo_channel)];
  ++unit.done;
  unit.most_shift = std::min(unit.most_shift, record.tick - due(unit.done, 0));
  unit.least_shift = std::max(unit.least_shift, record.tick - due(unit.done + postpone_, slack_));
  if (mode_ == RefreshMode::kPerBank) {
    unit.round |= std::uint64_t{1} << record.bank;
    const unsigned banks = organisation_.banks_per_pseudo_channel();
    if (unit.round == ~std::uint64_t{0} >> (64 - banks)) unit.round = 0;
  }
  Tick moment = kNever;
  for (std::size_t i = 0; i < units_each_; ++i) {
    moment = std::min(moment, last_moment(units_[pseudo_channel * units_each_ + i]));
  }
  overdue_[pseudo_channel] = moment;
}

std::optional<std::string> RefreshCheck::missing(std::size_t pseudo_channel, Tick end) const {
  if (end <= overdue_[pseudo_channel]) return std::nullopt;
  for (std::size_t i = 0; i < units_each_; ++i) {
    const Unit& unit = units_[pseudo_channel * units_each_ + i];
    const Tick moment = last_moment(unit);
    if (end <= moment) continue;
    const bool per_bank = mode_ == RefreshMode::kPerBank;
    return (per_bank ? std::string("banks were") : "SID " + std::to_string(i) + " was") +
           " refreshed " + std::to_string(unit.done) + " times by " + clock_text(end) +
           " CK, the next one had to be done by " + clock_text(moment) + " CK, missed by " +
           clock_text(end - moment) + " CK";
  }
  return std::nullopt;
}

}  // namespace railyard::hbm
