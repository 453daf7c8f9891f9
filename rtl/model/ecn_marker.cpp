#include "rtl/model/ecn_marker.h"

#include <algorithm>

namespace railyard::rtl {

namespace {
std::uint64_t stepped(std::uint64_t x) {
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ x << 17;
}

EcnDecision of_hit(const EcnMarkerIn& in) {
  if (in.req_ecn == 3) return EcnDecision::kPass;
  if (in.req_ecn != 0) return EcnDecision::kMark;
  return in.drop_non_ect ? EcnDecision::kDrop : EcnDecision::kPass;
}
}  // namespace

EcnCurve EcnCurve::of(std::uint32_t kmin, std::uint32_t kmax, std::uint32_t pmax) {
  EcnCurve curve{kmin, kmax, pmax, 0, 0};
  const std::uint64_t width = std::uint64_t{kmax} - kmin;
  if (width == 0) return curve;
  while (width >> curve.shift > 1) ++curve.shift;
  curve.slope =
      static_cast<std::uint32_t>(((std::uint64_t{pmax} << curve.shift) + width - 1) / width);
  return curve;
}

void EcnMarkerModel::take(const EcnMarkerIn& in) {
  state_.s1_never = !in.enable || in.req_depth <= in.curve.kmin;
  state_.s1_always = in.req_depth > in.curve.kmax;
  state_.s1_excess = in.req_depth - in.curve.kmin;
  state_.s1_draw = static_cast<std::uint32_t>(state_.lfsr >> (64 - EcnCurve::kProbabilityBits));
  state_.s1_hit = of_hit(in);
  state_.lfsr = stepped(state_.lfsr);
}

void EcnMarkerModel::decide(const EcnMarkerIn& in) {
  const std::uint64_t probability =
      std::min<std::uint64_t>(state_.s2_product >> in.curve.shift, in.curve.pmax);
  const bool hit = !state_.s2_never && (state_.s2_always || state_.s2_draw < probability);
  state_.s3_dec = hit ? state_.s2_hit : EcnDecision::kPass;
}

EcnMarkerOut EcnMarkerModel::outputs(const EcnMarkerIn& in) const {
  const bool busy = state_.s1_valid || state_.s2_valid || state_.s3_valid;
  return {state_.s3_valid, state_.s3_dec, !in.req_valid && !in.seed_valid && !busy};
}

EcnMarkerOut EcnMarkerModel::clock(const EcnMarkerIn& in) {
  if (state_.s2_valid) decide(in);
  state_.s3_valid = state_.s2_valid;
  if (state_.s1_valid) {
    state_.s2_never = state_.s1_never;
    state_.s2_always = state_.s1_always;
    state_.s2_product = std::uint64_t{state_.s1_excess} * in.curve.slope;
    state_.s2_draw = state_.s1_draw;
    state_.s2_hit = state_.s1_hit;
  }
  state_.s2_valid = state_.s1_valid;
  if (in.req_valid) take(in);
  state_.s1_valid = in.req_valid;
  if (in.seed_valid) state_.lfsr = in.seed == 0 ? EcnMarkerState::kSeed : in.seed;
  return outputs(in);
}

}  // namespace railyard::rtl
