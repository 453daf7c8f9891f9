#include "rtl/model/dcqcn_rules.h"

#include <algorithm>

namespace railyard::rtl {
namespace {

constexpr std::uint32_t kOne = 1U << 24;  // of alpha
constexpr std::uint32_t kLastStage = 1023;
constexpr std::uint32_t kLastCount = 65'535;  // events of the timer between two accesses
constexpr std::uint32_t kLastDecay = 1U << 14;
constexpr std::uint64_t kTargetMask = (std::uint64_t{1} << 34) - 1;
constexpr unsigned kFraction = 12;  // of rates

constexpr std::uint8_t kSeen = 16;
constexpr std::uint8_t kAlphaFlag = 8;
constexpr std::uint8_t kCutFlag = 4;
constexpr std::uint8_t kByBytes = 2;
constexpr std::uint8_t kByTime = 1;

struct Periods {
  std::uint32_t count;
  std::uint32_t rest;
};

Periods periods(std::uint64_t elapsed, std::uint32_t period, std::uint32_t recip) {
  elapsed &= kTimeMask;
  if (elapsed >> 32 != 0) return {elapsed >> (kTimeBits - 1) != 0 ? 0U : ~0U, 0};
  const auto guess = static_cast<std::uint32_t>(elapsed * recip >> 32);
  const std::uint32_t rest = static_cast<std::uint32_t>(elapsed) - guess * period;
  if (rest >= period) return {guess + 1, rest - period};
  return {guess, rest};
}

std::uint32_t above(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : 0; }
std::uint16_t stage_of(std::uint32_t stage, std::uint32_t count) {
  return static_cast<std::uint16_t>(std::min(stage + count, kLastStage));
}
std::uint32_t times(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((std::uint64_t{a} * b + (1U << 23)) >> 24);
}

struct Limits {
  std::uint32_t threshold;
  std::uint32_t halvings;
};

Limits limits_of(const DcqcnClass& k) {
  const std::uint32_t threshold = k.at(DcqcnRegister::kRules) >> dcqcn_rules::kThresholdShift & 31U;
  // Wraps as the RTL's sixteen bits do, if F is zero.
  return {threshold, (threshold - (k.rule(dcqcn_rules::kFewerHalvings) ? 1U : 0U)) & kLastCount};
}

DcqcnPhases phases(std::uint32_t n, const Limits& l, const DcqcnContext& c) {
  DcqcnPhases p;
  const std::uint32_t slow =
      c.byte_stage > l.threshold ? std::min(n, above(l.threshold, c.time_stage)) : n;
  const std::uint32_t hyper = n - slow;
  const std::uint32_t at_hyper = std::max<std::uint32_t>(c.time_stage, l.threshold);
  p.recover = c.byte_stage > l.halvings ? 0 : std::min(n, above(l.halvings, c.time_stage));
  p.add = slow - p.recover;
  p.grow = std::min(hyper, above(c.byte_stage, at_hyper));
  p.from = at_hyper - l.threshold;
  p.hyper = hyper - p.grow;
  p.steady = above(c.byte_stage, l.threshold);
  return p;
}

void restart(const DcqcnEvent& event, DcqcnContext& c) {
  c.flags = event.cnp && !event.open ? kSeen : 0;
  c.time_stage = 0;
  c.byte_stage = 0;
  c.bytes = 0;
  c.alpha_at = event.now;
  c.rate_at = event.now;
  c.monitor_at = event.now;
}

void count_bytes(const DcqcnEvent& event, const DcqcnClass& k, const Limits& l, DcqcnContext& c,
                 DcqcnPhases& p) {
  const std::uint64_t sum = std::uint64_t{c.bytes} + event.bytes;
  c.bytes = static_cast<std::uint32_t>(sum);
  if (sum < k.at(DcqcnRegister::kByteReset)) return;
  c.bytes -= k.at(DcqcnRegister::kByteReset);
  c.byte_stage = stage_of(c.byte_stage, 1);
  c.flags |= kByBytes;
  p.byte_event = true;
  p.byte_add = c.byte_stage > l.halvings || c.time_stage > l.halvings;
  p.byte_hyper = std::min(above(c.byte_stage, l.threshold), above(c.time_stage, l.threshold));
}

/// Increases as one map.
struct Increase {
  std::uint64_t sum;
  std::uint64_t lag;
  unsigned halvings;
};

Increase increase_of(const DcqcnPhases& p, const DcqcnClass& k) {
  if (p.recover == 0 && p.add == 0 && p.grow == 0 && p.hyper == 0 && !p.byte_event) {
    return {0, 0, 0};
  }
  const auto shift = [](std::uint64_t n) {
    return static_cast<unsigned>(std::min<std::uint64_t>(n, 63));
  };
  const std::uint64_t ai = std::uint64_t{k.at(DcqcnRegister::kAiRate)};
  const std::uint64_t hai = std::uint64_t{k.at(DcqcnRegister::kHaiRate)};
  const std::uint64_t ai_step = ai << kFraction;
  const std::uint64_t steady = hai * p.steady << kFraction;
  std::uint64_t lag = ai_step - (ai_step >> shift(p.add));
  if (p.grow != 0) {
    lag = (lag >> shift(p.grow)) + (hai * (p.from + p.grow - 1) << kFraction);
    if (p.from == 0) {
      lag += (hai << kFraction) >> shift(p.grow);
    } else {
      lag -= (hai * (p.from - 1) << kFraction) >> shift(p.grow);
    }
  }
  lag = (lag >> shift(p.hyper)) + steady - (steady >> shift(p.hyper));
  const std::uint64_t steps = std::uint64_t{p.grow} * p.from +
                              (std::uint64_t{p.grow} * (p.grow + 1) >> 1) +
                              std::uint64_t{p.steady} * p.hyper;
  std::uint64_t sum = (ai * p.add + hai * steps) << kFraction;
  if (p.byte_event) {
    std::uint64_t step = 0;
    if (p.byte_add) step = p.byte_hyper == 0 ? ai_step : hai * p.byte_hyper << kFraction;
    lag = (lag >> 1) + (step >> 1);
    sum += step;
  }
  sum = std::min(sum, kTargetMask);
  return {sum, std::min(lag, sum),
          shift(std::uint64_t{p.recover} + p.add + p.grow + p.hyper + (p.byte_event ? 1 : 0))};
}

struct Rates {
  std::uint64_t target;
  std::uint32_t rate;
};

Rates raised(const Rates& r, const Increase& i, std::uint32_t max_rate) {
  const std::uint64_t target = r.target + i.sum;
  const std::uint64_t rate = target - ((r.target - r.rate) >> i.halvings) - i.lag;
  return {std::min(target, kTargetMask),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(rate, max_rate))};
}

}  // namespace

DcqcnWork dcqcn_timers(const DcqcnEvent& event, const DcqcnClass& k, DcqcnContext& c) {
  using R = DcqcnRegister;
  DcqcnWork w;
  const bool hardware = k.rule(dcqcn_rules::kHardware);
  const bool seen = (c.flags & kSeen) != 0;
  if (event.open) c.traffic_class = event.open_class;
  w.update = event.cnp && !hardware;
  w.first = event.cnp && !seen;
  w.clamp = k.rule(dcqcn_rules::kClamp) || (c.flags & kByBytes) != 0 ||
            (k.rule(dcqcn_rules::kClampAti) && (c.flags & kByTime) != 0);
  w.flagged = hardware && (c.flags & kAlphaFlag) != 0;
  if (!seen) {
    w.cut = event.cnp;
    restart(event, c);
    return w;
  }

  const Limits limits = limits_of(k);
  const Periods monitor =
      periods(event.now - c.monitor_at, k.at(R::kMonitorPeriod), k.at(R::kMonitorRecip));
  const bool late_cut = hardware && (c.flags & kCutFlag) != 0 && monitor.count != 0;
  const std::uint64_t cut_at = c.monitor_at + k.at(R::kMonitorPeriod);
  const std::uint64_t until_cut = late_cut ? cut_at : event.now;
  const auto rate_periods = [&](std::uint64_t elapsed) {
    return periods(elapsed, k.at(R::kRatePeriod), k.at(R::kRateRecip));
  };
  const auto decays = [&](std::uint64_t elapsed) {
    return periods(elapsed, k.at(R::kAlphaPeriod), k.at(R::kAlphaRecip));
  };
  const Periods alpha = decays(event.now - c.alpha_at);
  w.decay = std::min(alpha.count, kLastDecay);
  w.decay_cut = std::min(late_cut ? decays(until_cut - c.alpha_at).count : alpha.count, kLastDecay);

  Periods rate = rate_periods(until_cut - c.rate_at);
  const std::uint32_t early = std::min(rate.count, kLastCount);
  w.early = phases(early, limits, c);
  w.clamp = w.clamp || (k.rule(dcqcn_rules::kClampAti) && early != 0);
  c.time_stage = stage_of(c.time_stage, early);
  if (early != 0) c.flags |= kByTime;
  if (late_cut) {
    rate = rate_periods(event.now - cut_at);
    const std::uint32_t late = std::min(rate.count, kLastCount);
    w.late.recover = std::min(late, limits.halvings);
    w.late.add = late - w.late.recover;
    c.time_stage = stage_of(0, late);
    c.byte_stage = 0;
    c.bytes = 0;
    c.flags &= static_cast<std::uint8_t>(kSeen | kAlphaFlag);
    if (late != 0) c.flags |= kByTime;
  }
  if (alpha.count != 0) c.flags &= static_cast<std::uint8_t>(~kAlphaFlag);

  const bool now_cut = event.cnp && !hardware;
  w.cut = late_cut || now_cut;
  if (event.open || now_cut) {
    restart(event, c);
    return w;
  }
  c.alpha_at = (event.now - alpha.rest) & kTimeMask;
  c.rate_at = (event.now - rate.rest) & kTimeMask;
  c.monitor_at = (event.now - monitor.rest) & kTimeMask;
  if (event.cnp) {
    c.flags |= kAlphaFlag | kCutFlag;
  } else {
    count_bytes(event, k, limits, c, w.late);
  }
  return w;
}

std::uint32_t dcqcn_alpha(const DcqcnEvent& event, const DcqcnWork& work, const DcqcnClass& k,
                          DcqcnContext& c) {
  using R = DcqcnRegister;
  struct Map {
    std::uint32_t scale;
    std::uint32_t offset;
  };
  const auto decayed = [&](std::uint32_t count) -> Map {
    const std::uint32_t power =
        count == kLastDecay ? 0 : times(k.decay[count & 127U], k.decay[128 + (count >> 7)]);
    return {power, work.flagged && count != 0 ? times(power, k.at(R::kGainRatio)) : 0};
  };
  const auto apply = [&](const Map& m) {
    return std::min(times(c.alpha, m.scale) + m.offset, kOne);
  };
  Map now = decayed(work.decay);
  if (work.update) now = {times(now.scale, kOne - k.at(R::kGain)), k.at(R::kGain)};
  const bool alpha_first = work.update && k.rule(dcqcn_rules::kAlphaFirst);
  const std::uint64_t alpha_cut = apply(alpha_first ? now : decayed(work.decay_cut));
  c.alpha = event.open ? k.at(R::kInitialAlpha) : apply(now);
  const unsigned gd = k.at(R::kRules) >> dcqcn_rules::kGdShift & 15U;
  const std::uint64_t factor = gd > 11 ? alpha_cut >> (gd - 11) : alpha_cut << (11 - gd);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(factor, k.at(R::kMostCut)));
}

void dcqcn_rate(const DcqcnEvent& event, const DcqcnWork& work, std::uint32_t factor,
                const DcqcnClass& k, DcqcnContext& c) {
  using R = DcqcnRegister;
  const std::uint32_t max_rate = k.at(R::kMaxRate);
  const std::uint32_t min_rate = k.at(R::kMinRate);
  if (event.open) {
    c.target = max_rate;
    c.rate = max_rate;
    return;
  }
  Rates r{c.target, std::max(std::min(c.rate, max_rate), min_rate)};
  r.target = std::max<std::uint64_t>(r.target, r.rate);
  r = raised(r, increase_of(work.early, k), max_rate);
  if (work.cut) {
    const std::uint64_t product = std::uint64_t{r.rate} * factor + (1U << 24);
    std::uint32_t cut = r.rate - static_cast<std::uint32_t>(product >> 25);
    if (work.first && k.at(R::kFirstRate) != 0) cut = std::min(k.at(R::kFirstRate), r.rate);
    const std::uint64_t target = work.clamp ? r.rate : std::min<std::uint64_t>(r.target, max_rate);
    r.rate = std::max(cut, min_rate);
    r.target = std::max<std::uint64_t>(target, r.rate);
  }
  r = raised(r, increase_of(work.late, k), max_rate);
  c.target = r.target;
  c.rate = r.rate;
}

std::uint64_t dcqcn_interval(std::uint32_t rate, std::uint32_t factor) {
  constexpr std::uint64_t kOffset = 3'031'741'621;  // 48/17 and 32/17, UQ2.30
  constexpr std::uint64_t kSlope = 2'021'161'081;
  if (rate == 0) rate = 1;
  const auto zeros = static_cast<unsigned>(__builtin_clz(rate));
  const std::uint64_t x = std::uint64_t{rate} << zeros;
  std::uint64_t y = kOffset - (x * kSlope >> 32);
  for (int step = 0; step < 2; ++step) {
    const std::uint64_t error = 0x8000'0000U - (x * y >> 32);
    y = y * error >> 30;
  }
  const std::uint64_t interval = factor * y >> (34 - zeros);
  return std::min(interval, (std::uint64_t{1} << 40) - 1);
}

}  // namespace railyard::rtl
