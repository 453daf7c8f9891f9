// dcqcn_rp, its twin and the RTL each by itself, against the referee over random events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

#include "tests/rtl/dcqcn/dcqcn_reference.h"
#include "tests/rtl/dcqcn/dcqcn_rp_bench.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::DcqcnSetup;
using test::DcqcnParameters;
using test::DcqcnReference;
using test::hardware_setup;
using test::Qp;
using test::Stimulus;

DcqcnParameters as_parameters(const DcqcnSetup& s) {
  DcqcnParameters p;
  p.line = s.max_rate;
  p.min_rate = s.min_rate;
  p.first_cnp_rate = s.first_cnp_rate;
  p.ai_rate = s.ai_rate;
  p.hai_rate = s.hai_rate;
  p.rate_period = s.time_reset;
  p.alpha_period = s.alpha_period;
  p.monitor_period = s.rate_reduce_monitor;
  p.byte_reset = s.byte_reset;
  p.threshold = s.threshold;
  p.g = s.g;
  p.initial_alpha = s.initial_alpha;
  p.min_dec_fac = s.min_dec_fac;
  p.gd = static_cast<int>(s.gd);
  p.clamp_target = s.clamp_target;
  p.clamp_target_ati = s.clamp_target_ati;
  p.fewer_halvings = s.fewer_halvings;
  p.alpha_first = s.alpha_first;
  p.hardware_rules = s.hardware_rules;
  return p;
}

struct Error {
  double rate = 0;   // in shares of what is allowed
  double alpha = 0;  // of 1
  double interval = 0;
};

// Phases of dense, of rare and of no CNPs; gaps from nanoseconds to tens of milliseconds.
class Traffic {
 public:
  explicit Traffic(std::uint64_t seed) : stimulus_(seed) {}

  /// Whether a CNP is next; otherwise bytes.
  bool next() {
    if (stimulus_.once_in(300)) {
      cnp_one_in_ = std::uint64_t{2} << stimulus_.below(9);
      gap_ = std::uint64_t{100} << stimulus_.below(10);
    }
    now_ += static_cast<double>(2 + stimulus_.below(gap_));
    if (stimulus_.once_in(2000)) now_ += static_cast<double>(stimulus_.below(50'000'000));
    return stimulus_.once_in(cnp_one_in_);
  }
  double now() const { return now_; }
  std::uint32_t bytes() {
    return static_cast<std::uint32_t>(stimulus_.once_in(8) ? stimulus_.below(1'000'000)
                                                           : 64 + stimulus_.below(4096));
  }

 private:
  Stimulus stimulus_;
  double now_ = test::kStart;
  std::uint64_t cnp_one_in_ = 16;
  std::uint64_t gap_ = 1000;
};

template <class Engine>
Error worst_over(const DcqcnSetup& setup, std::uint64_t seed, int events) {
  Qp<Engine> qp(setup);
  DcqcnReference referee(as_parameters(setup), test::kStart);
  Traffic traffic(seed);
  Error worst;
  for (int n = 0; n < events; ++n) {
    if (traffic.next()) {
      referee.cnp(traffic.now());
      qp.cnp(traffic.now());
    } else {
      const std::uint32_t bytes = traffic.bytes();
      referee.transmit(traffic.now(), bytes);
      qp.transmit(traffic.now(), bytes);
    }
    const double allowed = std::max(1.0, referee.rate() * 0.001);
    const double rate = std::abs(qp.rate() - referee.rate()) / allowed;
    worst.rate = std::max(worst.rate, rate);
    worst.alpha = std::max(worst.alpha, std::abs(qp.alpha() - referee.alpha()));
    const double interval = 8000 / qp.rate();
    worst.interval = std::max(worst.interval, std::abs(qp.interval() - interval) / interval);
    if (rate > 1) {
      ADD_FAILURE() << "event " << n << ": rate " << qp.rate() << ", the referee's "
                    << referee.rate() << "; target " << qp.target() << ", " << referee.target();
      break;
    }
  }
  return worst;
}

template <class Engine>
void expect_agreement(const std::string& what, const DcqcnSetup& setup) {
  SCOPED_TRACE(what);
  const Error worst = worst_over<Engine>(setup, 1, 100'000);
  EXPECT_LT(worst.rate, 1);
  EXPECT_LT(worst.alpha, std::ldexp(1, -12));
  EXPECT_LT(worst.interval, 1e-4);
  std::cout << what << ": rate " << worst.rate << " of what is allowed, alpha " << worst.alpha
            << ", interval " << worst.interval << "\n";
}

template <class Engine>
struct DcqcnRpReference : testing::Test {};
TYPED_TEST_SUITE(DcqcnRpReference, test::RpEngines, test::RpEngineNames);

TYPED_TEST(DcqcnRpReference, APaperTrajectoryIsTheReferees) {
  for (const double line : {40'000, 100'000, 400'000, 800'000}) {
    DcqcnSetup s;
    s.max_rate = line;
    expect_agreement<TypeParam>("paper " + std::to_string(line), s);
  }
}

TYPED_TEST(DcqcnRpReference, AHardwareTrajectoryIsTheReferees) {
  for (const double line : {40'000, 100'000, 400'000, 800'000}) {
    expect_agreement<TypeParam>("hardware " + std::to_string(line), hardware_setup(line));
  }
}

TYPED_TEST(DcqcnRpReference, ATrajectoryOfEachVariantIsTheReferees) {
  for (const bool adapter : {false, true}) {
    const DcqcnSetup base = adapter ? hardware_setup(100'000) : DcqcnSetup();
    const std::string of = adapter ? "hardware, " : "paper, ";
    const auto expect = [&](const std::string& what, const auto& change) {
      DcqcnSetup s = base;
      change(s);
      expect_agreement<TypeParam>(of + what, s);
    };
    expect("alpha first", [](DcqcnSetup& s) { s.alpha_first = true; });
    expect("F 4, less one", [](DcqcnSetup& s) {
      s.threshold = 4;
      s.fewer_halvings = true;
    });
    expect("F 3", [](DcqcnSetup& s) { s.threshold = 3; });
    expect("clamped", [](DcqcnSetup& s) { s.clamp_target = true; });
    expect("clamped after bytes",
           [](DcqcnSetup& s) { s.clamp_target_ati = s.clamp_target = false; });
    expect("clamped after either", [](DcqcnSetup& s) {
      s.clamp_target = false;
      s.clamp_target_ati = true;
    });
    expect("a tenth at most", [](DcqcnSetup& s) { s.min_dec_fac = 0.9; });
    expect("gd 10", [](DcqcnSetup& s) { s.gd = 10; });
    expect("gd 12", [](DcqcnSetup& s) { s.gd = 12; });
    expect("first CNP to 20G", [](DcqcnSetup& s) { s.first_cnp_rate = 20'000; });
    expect("other rules", [](DcqcnSetup& s) { s.hardware_rules = !s.hardware_rules; });
    expect("short periods", [](DcqcnSetup& s) {
      s.time_reset = 5'000;
      s.alpha_period = 700;
      s.byte_reset = 100'000;
    });
  }
}

TEST(DcqcnRpInterval, TheIntervalIsOfTheRateFrom1MbTo800Gb) {
  double worst = 0;
  for (double rate = 1; rate <= 800'000; rate *= 1.01) {
    const auto fixed = static_cast<std::uint32_t>(std::llround(rate * 4096));
    const double interval = std::ldexp(
        static_cast<double>(rtl::dcqcn_interval(fixed, rtl::dcqcn_pace_factor(test::kClock))), -24);
    worst = std::max(worst, std::abs(interval * std::ldexp(fixed, -12) / 8000 - 1));
  }
  EXPECT_LT(worst, 2e-5);
}

}  // namespace
}  // namespace railyard
