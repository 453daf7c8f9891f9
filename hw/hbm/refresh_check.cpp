#include "hw/hbm/refresh_check.h"

#include <algorithm>

#include "hw/hbm/clock_text.h"

namespace railyard::hbm {
namespace {

Tick period_of(const Organisation& organisation, const Timing& timing, RefreshMode mode) {
  if (mode != RefreshMode::kPerBank) return Tick{timing.refi} * kTicksPerClock;
  const unsigned turn = timing.refi / organisation.banks_per_pseudo_channel();
  return Tick{turn} * organisation.sids * kTicksPerClock;
}

}  // namespace

RefreshCheck::RefreshCheck(const Organisation& organisation, const Timing& timing,
                           const RefreshConfig& config, Tick slack)
    : organisation_(organisation),
      mode_(config.mode),
      period_(period_of(organisation, timing, config.mode)),
      slack_(slack),
      postpone_(config.postpone),
      sids_(std::size_t{organisation.total_pseudo_channels()} * organisation.sids) {
  const bool turns = config.staggered || mode_ == RefreshMode::kPerBank;
  for (Sid& sid : sids_) sid.least_shift = turns ? 1 - period_ : 0;
  const Tick first = mode_ == RefreshMode::kOff ? kNever : last_moment(sids_.front());
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
  const Sid& sid = sids_[pseudo_channel * organisation_.sids + organisation_.sid_of(record.bank)];
  const Tick first_due = due(sid.done + 1, sid.least_shift);
  if (record.tick < first_due) {
    return "refresh " + std::to_string(sid.done + 1) + " of its SID is not due before " +
           clock_text(first_due) + " CK, missed by " + clock_text(first_due - record.tick) + " CK";
  }
  return mode_ == RefreshMode::kPerBank ? wrong_bank(sid, record) : std::nullopt;
}

std::optional<std::string> RefreshCheck::wrong_bank(const Sid& sid,
                                                    const CommandRecord& record) const {
  const unsigned bank = record.bank % organisation_.banks_per_sid();
  if ((sid.round >> bank & 1U) == 0) return std::nullopt;
  return "the bank is refreshed again before all of its SID were, once each";
}

void RefreshCheck::take(const CommandRecord& record, std::size_t pseudo_channel) {
  const std::size_t first = pseudo_channel * organisation_.sids;
  Sid& sid = sids_[first + organisation_.sid_of(record.bank)];
  ++sid.done;
  sid.most_shift = std::min(sid.most_shift, record.tick - due(sid.done, 0));
  sid.least_shift = std::max(sid.least_shift, record.tick - due(sid.done + postpone_, slack_));
  if (mode_ == RefreshMode::kPerBank) {
    const unsigned banks = organisation_.banks_per_sid();
    sid.round |= std::uint64_t{1} << record.bank % banks;
    if (sid.round == ~std::uint64_t{0} >> (64 - banks)) sid.round = 0;
  }
  Tick moment = kNever;
  for (unsigned s = 0; s < organisation_.sids; ++s) {
    moment = std::min(moment, last_moment(sids_[first + s]));
  }
  overdue_[pseudo_channel] = moment;
}

std::optional<std::string> RefreshCheck::missing(std::size_t pseudo_channel, Tick end) const {
  if (end <= overdue_[pseudo_channel]) return std::nullopt;
  for (unsigned s = 0; s < organisation_.sids; ++s) {
    const Sid& sid = sids_[pseudo_channel * organisation_.sids + s];
    if (end <= last_moment(sid)) continue;
    return "SID " + std::to_string(s) + " was refreshed " + std::to_string(sid.done) +
           " times by " + clock_text(end) + " CK, the next one had to be done by " +
           clock_text(last_moment(sid)) + " CK, missed by " + clock_text(end - last_moment(sid)) +
           " CK";
  }
  return std::nullopt;
}

}  // namespace railyard::hbm
