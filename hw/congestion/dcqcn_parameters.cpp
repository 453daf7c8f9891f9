#include "hw/congestion/dcqcn_parameters.h"

#include <algorithm>
#include <string>

namespace railyard {

namespace {

constexpr std::uint32_t kOf1024 = 1024;
constexpr std::uint32_t kMostRate = 1'000'000;  // Mb/s

/// Every member that a set gives, by its key.
template <class Parameters, class Visit>
void visit_members(Parameters& p, Visit&& visit) {
  visit("rules", &DcqcnParameters::rules, p);
  visit("alpha_first", &DcqcnParameters::alpha_first, p);
  visit("fewer_halvings", &DcqcnParameters::fewer_halvings, p);
  visit("rp_clamp_tgt_rate", &DcqcnParameters::rp_clamp_tgt_rate, p);
  visit("rp_clamp_tgt_rate_ati", &DcqcnParameters::rp_clamp_tgt_rate_ati, p);
  visit("rp_time_reset", &DcqcnParameters::rp_time_reset, p);
  visit("rp_byte_reset", &DcqcnParameters::rp_byte_reset, p);
  visit("rp_threshold", &DcqcnParameters::rp_threshold, p);
  visit("rp_ai_rate", &DcqcnParameters::rp_ai_rate, p);
  visit("rp_hai_rate", &DcqcnParameters::rp_hai_rate, p);
  visit("rp_max_rate", &DcqcnParameters::rp_max_rate, p);
  visit("rp_min_rate", &DcqcnParameters::rp_min_rate, p);
  visit("rp_rate_to_set_on_first_cnp", &DcqcnParameters::rp_rate_to_set_on_first_cnp, p);
  visit("rp_min_dec_fac", &DcqcnParameters::rp_min_dec_fac, p);
  visit("rp_dce_tcp_g", &DcqcnParameters::rp_dce_tcp_g, p);
  visit("rp_dce_tcp_rtt", &DcqcnParameters::rp_dce_tcp_rtt, p);
  visit("rp_rate_reduce_monitor_period", &DcqcnParameters::rp_rate_reduce_monitor_period, p);
  visit("rp_initial_alpha_value", &DcqcnParameters::rp_initial_alpha_value, p);
  visit("rp_gd", &DcqcnParameters::rp_gd, p);
}

DcqcnParameters hardware() {
  DcqcnParameters p;
  p.rules = DcqcnRules::kHardware;
  p.rp_clamp_tgt_rate = false;
  p.rp_clamp_tgt_rate_ati = true;
  p.rp_time_reset = 300 * kMicrosecond;
  p.rp_byte_reset = 2'097'088;  // 32,767 times 64
  p.rp_threshold = 1;
  p.rp_ai_rate = 5;
  p.rp_hai_rate = 50;
  p.rp_min_rate = 1;
  p.rp_min_dec_fac = 50;
  p.rp_dce_tcp_g = 1019;
  p.rp_dce_tcp_rtt = kMicrosecond;
  p.rp_rate_reduce_monitor_period = 4 * kMicrosecond;
  p.rp_initial_alpha_value = 1023;
  return p;
}

DcqcnParameters tuned() {
  DcqcnParameters p = hardware();
  p.rp_min_dec_fac = 90;
  p.rp_ai_rate = 14;
  p.rp_time_reset = 60 * kMicrosecond;
  return p;
}

DcqcnParameters hpcc_simulator() {
  DcqcnParameters p = hardware();
  p.rp_byte_reset = 0xFFFF'FFFF;  // that simulator has no byte counter
  // There the timer alone brings hyper increase: 20 Mb/s in its second period, 200 in every later.
  p.rp_ai_rate = 200;
  p.rp_hai_rate = 200;
  p.rp_min_rate = 1000;
  p.rp_rate_to_set_on_first_cnp = kMostRate;  // of any line: the first CNP keeps the rate
  p.rp_min_dec_fac = 0;
  p.rp_dce_tcp_g = 1020;
  p.rp_initial_alpha_value = kOf1024;
  return p;
}

std::uint32_t cycles(Time time, Time clock) {
  return static_cast<std::uint32_t>(std::max<Time>(2, time / clock));
}

}  // namespace

std::vector<std::pair<std::string, DcqcnSet>> dcqcn_set_names() {
  return {{"paper", DcqcnSet::kPaper},
          {"hardware", DcqcnSet::kHardware},
          {"tuned", DcqcnSet::kTuned},
          {"hpcc_simulator", DcqcnSet::kHpccSimulator}};
}

Time least_time_between_cnps(DcqcnSet set) {
  switch (set) {
    case DcqcnSet::kHardware:
      return 4 * kMicrosecond;
    case DcqcnSet::kTuned:
      return kMicrosecond;
    case DcqcnSet::kHpccSimulator:
      return 0;  // a CNP a marked packet
    case DcqcnSet::kPaper:
      break;
  }
  return 50 * kMicrosecond;
}

DcqcnParameters DcqcnParameters::of(DcqcnSet set) {
  switch (set) {
    case DcqcnSet::kHardware:
      return hardware();
    case DcqcnSet::kTuned:
      return tuned();
    case DcqcnSet::kHpccSimulator:
      return hpcc_simulator();
    case DcqcnSet::kPaper:
      break;
  }
  return {};
}

void DcqcnParameters::fill(DcqcnSet set, const Bound& bound, const std::string& prefix) {
  const DcqcnParameters values = of(set);
  visit_members(*this, [&](const char* key, auto member, DcqcnParameters& mine) {
    if (!bound.has(prefix + key)) mine.*member = values.*member;
  });
  if (rules != DcqcnRules::kHardware) {
    bound.needs(prefix + "rp_rate_reduce_monitor_period",
                rp_rate_reduce_monitor_period != values.rp_rate_reduce_monitor_period,
                "rules: hardware");
  }
  if (rp_clamp_tgt_rate) {
    bound.needs(prefix + "rp_clamp_tgt_rate_ati",
                rp_clamp_tgt_rate_ati != values.rp_clamp_tgt_rate_ati, "rp_clamp_tgt_rate: false");
  }
}

bool DcqcnParameters::operator==(const DcqcnParameters& o) const {
  bool same = true;
  visit_members(*this, [&](const char* /*key*/, auto member, const DcqcnParameters& mine) {
    same = same && mine.*member == o.*member;
  });
  return same;
}

void DcqcnParameters::declare(Parameters& p) {
  constexpr Time kLongest = kSecond;
  constexpr std::uint32_t kMostIncrease = 65'535;
  p.choice("rules", rules, {{"paper", DcqcnRules::kPaper}, {"hardware", DcqcnRules::kHardware}})
      .doc(
          "Whether a CNP cuts at once, or sets a flag that the next ends of the alpha and the "
          "monitor period act on");
  p.add("alpha_first", alpha_first).doc("Alpha rises before a cut uses it, not after");
  p.add("fewer_halvings", fewer_halvings)
      .doc("Fast recovery has rp_threshold - 1 halvings, not rp_threshold");
  p.add("rp_clamp_tgt_rate", rp_clamp_tgt_rate)
      .doc("Every CNP sets the target rate to the current one");
  p.add("rp_clamp_tgt_rate_ati", rp_clamp_tgt_rate_ati)
      .doc("Without it: a CNP does so if the timer has raised the rate since the last one, too");
  p.add("rp_time_reset", rp_time_reset)
      .range(kMicrosecond, kLongest)
      .doc("Period of the timer that raises the rate");
  p.add("rp_byte_reset", rp_byte_reset)
      .range(64, 0xFFFF'FFFF)
      .doc("Bytes after which the byte counter raises the rate");
  p.add("rp_threshold", rp_threshold)
      .range(1, 31)
      .doc("F: stages of fast recovery before the rate is raised by rp_ai_rate");
  p.add("rp_ai_rate", rp_ai_rate).max(kMostIncrease).doc("Additive increase, Mb/s");
  p.add("rp_hai_rate", rp_hai_rate).max(kMostIncrease).doc("Hyper increase, Mb/s");
  p.add("rp_max_rate", rp_max_rate).max(kMostRate).doc("Largest rate, Mb/s; 0: the line's");
  p.add("rp_min_rate", rp_min_rate).range(1, kMostRate).doc("Least rate, Mb/s");
  p.add("rp_rate_to_set_on_first_cnp", rp_rate_to_set_on_first_cnp)
      .max(kMostRate)
      .doc("Rate that the first CNP sets, Mb/s; 0: it cuts as any");
  p.add("rp_min_dec_fac", rp_min_dec_fac)
      .max(100)
      .doc("What a cut leaves of the rate at least, per cent");
  p.add("rp_dce_tcp_g", rp_dce_tcp_g)
      .range(512, 1023)
      .doc("1 - g in 1/1024: alpha keeps so much of itself at an update");
  p.add("rp_dce_tcp_rtt", rp_dce_tcp_rtt)
      .range(100 * kNanosecond, kLongest)
      .doc("Period after which alpha falls without a CNP");
  p.add("rp_rate_reduce_monitor_period", rp_rate_reduce_monitor_period)
      .range(100 * kNanosecond, kLongest)
      .doc("Period of cuts by rules: hardware");
  p.add("rp_initial_alpha_value", rp_initial_alpha_value)
      .max(kOf1024)
      .doc("Alpha before the first CNP, in 1/1024");
  p.add("rp_gd", rp_gd).range(10, 15).doc("A cut takes alpha * 2^(10 - rp_gd) of the rate");
}

rtl::DcqcnSetup DcqcnParameters::setup(Time clock, Rate line) const {
  rtl::DcqcnSetup s;
  const double line_mbps = line.bits_per_second() / 1e6;
  s.time_reset = cycles(rp_time_reset, clock);
  s.alpha_period = cycles(rp_dce_tcp_rtt, clock);
  s.rate_reduce_monitor = cycles(rp_rate_reduce_monitor_period, clock);
  s.byte_reset = static_cast<std::uint32_t>(rp_byte_reset);
  s.threshold = rp_threshold;
  s.ai_rate = rp_ai_rate;
  s.hai_rate = rp_hai_rate;
  s.max_rate = rp_max_rate == 0 ? line_mbps : std::min<double>(rp_max_rate, line_mbps);
  s.min_rate = std::min<double>(rp_min_rate, s.max_rate);
  s.first_cnp_rate = std::min<double>(rp_rate_to_set_on_first_cnp, s.max_rate);
  s.min_dec_fac = rp_min_dec_fac / 100.0;
  s.g = static_cast<double>(kOf1024 - rp_dce_tcp_g) / kOf1024;
  s.initial_alpha = static_cast<double>(rp_initial_alpha_value) / kOf1024;
  s.gd = rp_gd;
  s.clamp_target = rp_clamp_tgt_rate;
  s.clamp_target_ati = rp_clamp_tgt_rate_ati;
  s.fewer_halvings = fewer_halvings;
  s.alpha_first = alpha_first;
  s.hardware_rules = rules == DcqcnRules::kHardware;
  return s;
}

}  // namespace railyard
