#include "tests/rtl/dcqcn/dcqcn_reference.h"

#include <algorithm>
#include <cmath>

namespace railyard::test {

DcqcnParameters DcqcnParameters::hardware(double line) {
  DcqcnParameters p;
  p.line = line;
  p.min_rate = 1;
  p.ai_rate = 5;
  p.hai_rate = 50;
  p.rate_period = 300;
  p.alpha_period = 1;
  p.monitor_period = 4;
  p.byte_reset = 32'767 * 64.0;
  p.threshold = 1;
  p.g = 5.0 / 1024;
  p.initial_alpha = 1023.0 / 1024;
  p.min_dec_fac = 0.5;
  p.clamp_target = false;
  p.clamp_target_ati = true;
  p.hardware_rules = true;
  return p;
}

DcqcnReference::DcqcnReference(const DcqcnParameters& parameters, double now)
    : p_(parameters),
      rate_(parameters.line),
      target_(parameters.line),
      alpha_(parameters.initial_alpha),
      rate_at_(now),
      alpha_at_(now),
      monitor_at_(now) {}

void DcqcnReference::advance(double now) {
  while (running_) {
    const double monitor_at = p_.hardware_rules ? monitor_at_ : now + 1;
    const double next = std::min({rate_at_, alpha_at_, monitor_at});
    if (next > now) return;
    if (rate_at_ == next) {
      rate_at_ += p_.rate_period;
      ++time_stage_;
      raised_by_time_ = true;
      increase();
    } else if (alpha_at_ == next) {
      alpha_due();
    } else {
      monitor_due();
    }
  }
}

void DcqcnReference::alpha_due() {
  alpha_at_ += p_.alpha_period;
  update_alpha(alpha_flag_);
  alpha_flag_ = false;
}

void DcqcnReference::monitor_due() {
  const double at = monitor_at_;
  monitor_at_ += p_.monitor_period;
  if (!cut_flag_) return;
  cut_flag_ = false;
  cut(at);
}

void DcqcnReference::transmit(double now, double bytes) {
  advance(now);
  if (!running_) return;
  bytes_ += bytes;
  if (bytes_ < p_.byte_reset) return;
  bytes_ -= p_.byte_reset;
  ++byte_stage_;
  raised_by_bytes_ = true;
  increase();
}

void DcqcnReference::cnp(double now) {
  advance(now);
  const bool first = !running_;
  if (!first && p_.hardware_rules) {
    alpha_flag_ = true;
    cut_flag_ = true;
    return;
  }
  const double before = rate_;
  if (p_.alpha_first && !p_.hardware_rules) update_alpha(true);
  cut(now);
  if (!p_.alpha_first && !p_.hardware_rules) update_alpha(true);
  alpha_at_ = now + p_.alpha_period;
  if (first) start(now, before);
}

void DcqcnReference::start(double now, double before) {
  running_ = true;
  monitor_at_ = now + p_.monitor_period;
  if (p_.first_cnp_rate > 0) {
    rate_ = std::max(p_.min_rate, std::min(before, p_.first_cnp_rate));
  }
}

void DcqcnReference::cut(double now) {
  const bool raised = raised_by_bytes_ || (p_.clamp_target_ati && raised_by_time_);
  target_ = p_.clamp_target || raised ? rate_ : std::min(target_, p_.line);
  rate_ = std::max(
      {rate_ * (1 - alpha_ * std::ldexp(1.0, 10 - p_.gd)), rate_ * p_.min_dec_fac, p_.min_rate});
  time_stage_ = 0;
  byte_stage_ = 0;
  bytes_ = 0;
  raised_by_bytes_ = false;
  raised_by_time_ = false;
  rate_at_ = now + p_.rate_period;
}

void DcqcnReference::update_alpha(bool congested) {
  alpha_ = (1 - p_.g) * alpha_ + (congested ? p_.g : 0);
}

void DcqcnReference::increase() {
  const std::uint64_t most = std::max(time_stage_, byte_stage_);
  const std::uint64_t least = std::min(time_stage_, byte_stage_);
  const std::uint64_t halvings = p_.threshold - (p_.fewer_halvings ? 1 : 0);
  if (most > halvings) {
    target_ +=
        least > p_.threshold ? p_.hai_rate * static_cast<double>(least - p_.threshold) : p_.ai_rate;
  }
  rate_ = std::min(p_.line, (target_ + rate_) / 2);
}

}  // namespace railyard::test
