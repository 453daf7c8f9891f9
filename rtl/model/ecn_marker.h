// Twin of rtl/ecn/ecn_marker.sv: the same registers and outputs in every cycle. What the block does
// is told there.
#pragma once

#include <cstdint>

#include "rtl/model/block.h"

namespace railyard::rtl {

/// Registers of the curve, in the formats of the RTL.
struct EcnCurve {
  static constexpr unsigned kDepthBits = 32;
  static constexpr unsigned kProbabilityBits = 24;  // UQ1.24
  static constexpr std::uint32_t kOne = std::uint32_t{1} << kProbabilityBits;

  std::uint32_t kmin = 0;  // depths in any unit, the requests' one
  std::uint32_t kmax = 0;
  std::uint32_t pmax = 0;   // UQ1.24, at most kOne
  std::uint32_t slope = 0;  // ceil(pmax * 2^shift / (kmax - kmin)), at most pmax
  std::uint8_t shift = 0;   // floor(log2(kmax - kmin))

  /// With slope and shift as they must be. `kmin` at most `kmax`; equal ones are a step.
  static EcnCurve of(std::uint32_t kmin, std::uint32_t kmax, std::uint32_t pmax);
};

/// decision_e of the RTL.
enum class EcnDecision : std::uint8_t { kPass, kMark, kDrop };

struct EcnMarkerIn {
  bool enable = false;
  EcnCurve curve;
  bool drop_non_ect = false;
  bool seed_valid = false;
  std::uint64_t seed = 0;
  bool req_valid = false;
  std::uint32_t req_depth = 0;
  std::uint8_t req_ecn = 0;  // of the IP header

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("enable_i", self.enable, 1);
    visit("kmin_i", self.curve.kmin, 32);
    visit("kmax_i", self.curve.kmax, 32);
    visit("pmax_i", self.curve.pmax, 25);
    visit("slope_i", self.curve.slope, 25);
    visit("shift_i", self.curve.shift, 5);
    visit("drop_non_ect_i", self.drop_non_ect, 1);
    visit("seed_valid_i", self.seed_valid, 1);
    visit("seed_i", self.seed, 64);
    visit("req_valid_i", self.req_valid, 1);
    visit("req_depth_i", self.req_depth, 32);
    visit("req_ecn_i", self.req_ecn, 2);
  }
};

struct EcnMarkerOut {
  bool dec_valid = false;
  EcnDecision dec = EcnDecision::kPass;
  bool quiet = false;

  bool operator==(const EcnMarkerOut& o) const {
    return dec_valid == o.dec_valid && dec == o.dec && quiet == o.quiet;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("dec_valid_o", self.dec_valid, 1);
    visit("dec_o", self.dec, 2);
    visit("quiet_o", self.quiet, 1);
  }
};

struct EcnMarkerState {
  static constexpr std::uint64_t kSeed = 0x9E37'79B9'7F4A'7C15;  // LfsrSeed

  std::uint64_t lfsr = kSeed;
  bool s1_valid = false;
  bool s1_never = false;
  bool s1_always = false;
  std::uint32_t s1_excess = 0;
  std::uint32_t s1_draw = 0;
  EcnDecision s1_hit = EcnDecision::kPass;
  bool s2_valid = false;
  bool s2_never = false;
  bool s2_always = false;
  std::uint64_t s2_product = 0;
  std::uint32_t s2_draw = 0;
  EcnDecision s2_hit = EcnDecision::kPass;
  bool s3_valid = false;
  EcnDecision s3_dec = EcnDecision::kPass;

  bool operator==(const EcnMarkerState& o) const {
    return lfsr == o.lfsr && s1_valid == o.s1_valid && s1_never == o.s1_never &&
           s1_always == o.s1_always && s1_excess == o.s1_excess && s1_draw == o.s1_draw &&
           s1_hit == o.s1_hit && s2_valid == o.s2_valid && s2_never == o.s2_never &&
           s2_always == o.s2_always && s2_product == o.s2_product && s2_draw == o.s2_draw &&
           s2_hit == o.s2_hit && s3_valid == o.s3_valid && s3_dec == o.s3_dec;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lfsr_q", self.lfsr, 64);
    visit("s1_valid_q", self.s1_valid, 1);
    visit("s1_never_q", self.s1_never, 1);
    visit("s1_always_q", self.s1_always, 1);
    visit("s1_excess_q", self.s1_excess, 32);
    visit("s1_draw_q", self.s1_draw, 24);
    visit("s1_hit_q", self.s1_hit, 2);
    visit("s2_valid_q", self.s2_valid, 1);
    visit("s2_never_q", self.s2_never, 1);
    visit("s2_always_q", self.s2_always, 1);
    visit("s2_product_q", self.s2_product, 57);
    visit("s2_draw_q", self.s2_draw, 24);
    visit("s2_hit_q", self.s2_hit, 2);
    visit("s3_valid_q", self.s3_valid, 1);
    visit("s3_dec_q", self.s3_dec, 2);
  }
};

/// The block, whoever computes it.
class EcnMarker : public ClockedBlock<EcnMarkerIn, EcnMarkerOut, EcnMarkerState> {
 public:
  /// A request of clock n is answered in clock n + kLatency.
  static constexpr unsigned kLatency = 3;
};

class EcnMarkerModel final : public EcnMarker {
 public:
  void reset() override { state_ = {}; }
  EcnMarkerOut settle(const EcnMarkerIn& in) override { return outputs(in); }
  EcnMarkerOut clock(const EcnMarkerIn& in) override;
  EcnMarkerState state() const override { return state_; }

 private:
  EcnMarkerOut outputs(const EcnMarkerIn& in) const;
  void take(const EcnMarkerIn& in);
  void decide(const EcnMarkerIn& in);

  EcnMarkerState state_;
};

}  // namespace railyard::rtl
