#include "hw/hbm/channel_parts.h"

#include <algorithm>
#include <numeric>

namespace railyard::hbm {

Settings::Settings(const HbmConfig& all)
    : config(all),
      num(all.timing.tick_num()),
      den(all.timing.tick_den()),
      rules(constraint_table(all.timing), all.organisation) {
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
  least_column_gap = Tick{std::max(t.burst, t.ccd_s)} * kTicksPerClock;
  least_activate = Tick{std::min(t.rcd_read, t.rcd_write)} * kTicksPerClock;
  sid_banks = ~std::uint64_t{0} >> (64 - config.organisation.banks_per_sid());
}

// In whole parts of den or num first, so that no product is large.
Tick Settings::ticks(Time time) const {
  const auto t = static_cast<std::uint64_t>(time);
  return static_cast<Tick>(t / num * den + (t % num * den + num - 1) / num);
}

Time Settings::time(Tick tick) const {
  const auto t = static_cast<std::uint64_t>(tick);
  return static_cast<Time>(t / den * num + (t % den * num + den - 1) / den);
}

}  // namespace railyard::hbm
