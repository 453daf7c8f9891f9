// One QP in dcqcn_rp, an event at a time, in the twin and in the RTL: what tests compare with the
// referee and with numbers worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "rtl/model/dcqcn_rp.h"
#include "rtl/model/dcqcn_setup.h"
#include "rtl/verilated/dcqcn_rp.h"
#include "waveforms/rtl_context.h"

namespace railyard::test {

constexpr double kClock = 1e9;  // cycles are nanoseconds
constexpr double kStart = 1e6;  // when the QP is opened

struct TwinOfRp {
  rtl::DcqcnRpModel block{16};
};
struct RtlOfRp {
  RtlContext context;
  rtl::DcqcnRpRtl block{context.get(), "dcqcn_rp", 16};
};
using RpEngines = testing::Types<TwinOfRp, RtlOfRp>;
struct RpEngineNames {
  template <class Engine>
  static std::string GetName(int /*index*/) {
    return std::is_same_v<Engine, TwinOfRp> ? "Twin" : "Rtl";
  }
};

/// What a ConnectX has when it is delivered.
inline rtl::DcqcnSetup hardware_setup(double line) {
  rtl::DcqcnSetup s;
  s.time_reset = 300'000;
  s.alpha_period = 1'000;
  s.rate_reduce_monitor = 4'000;
  s.byte_reset = 32'767 * 64;
  s.threshold = 1;
  s.ai_rate = 5;
  s.hai_rate = 50;
  s.max_rate = line;
  s.min_rate = 1;
  s.min_dec_fac = 0.5;
  s.g = 5.0 / 1024;
  s.initial_alpha = 1023.0 / 1024;
  s.clamp_target = false;
  s.clamp_target_ati = true;
  s.hardware_rules = true;
  return s;
}

/// Of one class of parameters.
template <class Engine>
class Qp {
 public:
  explicit Qp(const rtl::DcqcnSetup& setup) {
    in_.pace_factor = rtl::dcqcn_pace_factor(kClock);
    in_.cfg_valid = true;
    for (const rtl::DcqcnWrite& w : rtl::dcqcn_writes(setup)) {
      in_.cfg_addr = w.addr;
      in_.cfg_data = w.data;
      engine_.block.clock(in_);
    }
    in_.cfg_valid = false;
    in_.tx_qp = kQp;
    in_.cnp_qp = kQp;
    in_.tx_open = true;
    transmit(kStart, 0);
    in_.tx_open = false;
  }

  const rtl::DcqcnRpOut& transmit(double now, std::uint32_t bytes) {
    in_.tx_valid = true;
    in_.tx_bytes = bytes;
    at(now);
    engine_.block.clock(in_);
    in_.tx_valid = false;
    return answer();
  }
  const rtl::DcqcnRpOut& cnp(double now) {
    at(now - 1);
    in_.cnp_valid = true;
    engine_.block.clock(in_);
    in_.cnp_valid = false;
    at(now);  // it enters in the cycle after
    engine_.block.clock(in_);
    return answer();
  }
  rtl::DcqcnContext context() const { return engine_.block.context(kQp); }
  double rate() const { return std::ldexp(out_.rate, -12); }
  double target() const { return std::ldexp(static_cast<double>(out_.target), -12); }
  double alpha() const { return std::ldexp(out_.alpha, -24); }
  double interval() const { return std::ldexp(static_cast<double>(out_.interval), -24); }

 private:
  static constexpr unsigned kQp = 7;

  // Times of the test from near the wrap of the block's on.
  void at(double now) {
    in_.now = (static_cast<std::uint64_t>(now) - 100'000'000) & rtl::kTimeMask;
  }
  const rtl::DcqcnRpOut& answer() {
    for (unsigned n = 1; n < rtl::DcqcnRp::kLatency; ++n) out_ = engine_.block.clock(in_);
    EXPECT_TRUE(out_.valid);
    EXPECT_EQ(out_.qp, kQp);
    return out_;
  }

  Engine engine_;
  rtl::DcqcnRpIn in_;
  rtl::DcqcnRpOut out_;
};

}  // namespace railyard::test
