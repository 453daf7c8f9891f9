#include "rtl/model/dcqcn_setup.h"

#include <cmath>

namespace railyard::rtl {
namespace {

std::uint32_t fixed(double value, int fraction) {
  return static_cast<std::uint32_t>(std::llround(std::ldexp(value, fraction)));
}
std::uint32_t reciprocal(std::uint32_t period) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << 32) / period);
}
std::uint32_t rules_of(const DcqcnSetup& s) {
  namespace rules = dcqcn_rules;
  return (s.hardware_rules ? rules::kHardware : 0) | (s.alpha_first ? rules::kAlphaFirst : 0) |
         (s.clamp_target ? rules::kClamp : 0) | (s.clamp_target_ati ? rules::kClampAti : 0) |
         (s.fewer_halvings ? rules::kFewerHalvings : 0) | s.threshold << rules::kThresholdShift |
         s.gd << rules::kGdShift;
}

}  // namespace

std::vector<DcqcnWrite> dcqcn_writes(const DcqcnSetup& s) {
  using R = DcqcnRegister;
  std::vector<DcqcnWrite> writes;
  const auto write = [&](R r, std::uint32_t data) {
    writes.push_back({static_cast<std::uint16_t>(r), data});
  };
  write(R::kAlphaPeriod, s.alpha_period);
  write(R::kAlphaRecip, reciprocal(s.alpha_period));
  write(R::kRatePeriod, s.time_reset);
  write(R::kRateRecip, reciprocal(s.time_reset));
  write(R::kMonitorPeriod, s.rate_reduce_monitor);
  write(R::kMonitorRecip, reciprocal(s.rate_reduce_monitor));
  write(R::kByteReset, s.byte_reset);
  write(R::kRules, rules_of(s));
  write(R::kAiRate, s.ai_rate);
  write(R::kHaiRate, s.hai_rate);
  write(R::kMaxRate, fixed(s.max_rate, 12));
  write(R::kMinRate, fixed(s.min_rate, 12));
  write(R::kFirstRate, fixed(s.first_cnp_rate, 12));
  write(R::kMostCut, fixed(1 - s.min_dec_fac, 25));
  write(R::kGain, fixed(s.g, 24));
  write(R::kGainRatio, fixed(s.g / (1 - s.g), 24));
  write(R::kInitialAlpha, fixed(s.initial_alpha, 24));
  for (std::uint16_t i = 0; i < 128; ++i) {
    const auto addr = static_cast<std::uint16_t>(kDcqcnDecayTable + i);
    writes.push_back({addr, fixed(std::pow(1 - s.g, i), 24)});
    writes.push_back(
        {static_cast<std::uint16_t>(addr + 128), fixed(std::pow(1 - s.g, 128 * i), 24)});
  }
  return writes;
}

std::uint32_t dcqcn_pace_factor(double clock_hz) { return fixed(8 * clock_hz / 1e6, 8); }

}  // namespace railyard::rtl
