#include "hw/hbm/channel_parts.h"

#include <algorithm>
#include <numeric>

namespace railyard::hbm {
namespace {

/// Kinds of commands that are never sent.
unsigned unused(RefreshMode mode) {
  const auto bit = [](Kind kind) { return 1U << static_cast<unsigned>(kind); };
  switch (mode) {
    case RefreshMode::kAllBank:
      return bit(Kind::kRefreshBank);
    case RefreshMode::kPerBank:
      return bit(Kind::kRefreshAll) | bit(Kind::kPrechargeAll);
    case RefreshMode::kOff:
      break;
  }
  return bit(Kind::kRefreshAll) | bit(Kind::kRefreshBank) | bit(Kind::kPrechargeAll);
}

}  // namespace

Settings::Settings(const HbmConfig& all)
    : config(all),
      num(all.timing.tick_num()),
      den(all.timing.tick_den()),
      rules(constraint_table(all.timing), all.organisation, unused(all.controller.refresh.mode)) {
  const std::uint64_t common = std::gcd(num, den);
  num /= common;
  den /= common;
  const Timing& t = config.timing;
  const WriteDrainConfig& d = config.controller.drain;
  drain.high = d.high;
  drain.low = d.low;
  drain.idle = ticks(d.idle);
  if (config.controller.age_limit > 0) {
    age_limit = ticks(config.controller.age_limit);
    drain.age = age_limit;
  }
  read_end = Tick{t.cl + t.burst} * kTicksPerClock;
  write_end = Tick{t.wl + t.burst} * kTicksPerClock;
  least_column_gap =
      Tick{std::max(t.burst, std::min({t.ccd_s, t.ccd_l, t.ccd_r}))} * kTicksPerClock;
  least_activate = Tick{std::min(t.rcd_read, t.rcd_write)} * kTicksPerClock;
}

// The least tick whose time is not before `time`, as times of ticks are rounded up: so that of a
// tick's time is the tick. In whole parts of den or num first, so that no product is large.
Tick Settings::compute_ticks(Time time) const {
  if (time <= 0) return 0;
  const auto before = static_cast<std::uint64_t>(time - 1);
  return static_cast<Tick>(before / num * den + before % num * den / num + 1);
}

Time Settings::time(Tick tick) const {
  const auto t = static_cast<std::uint64_t>(tick);
  return static_cast<Time>(t / den * num + (t % den * num + den - 1) / den);
}

}  // namespace railyard::hbm
