#include "hw/eth_switch/wred.h"

#include <cmath>

namespace railyard {

namespace {

__extension__ using Wide = unsigned __int128;

/// (1 - 2^-weight)^power times 2^64, power > 0. Each of the squarings drops less than 1, so the
/// error stays below 2 * power.
Wide decay(unsigned weight, std::uint64_t power) {
  Wide result = Wide{1} << 64;
  Wide base = (Wide{1} << 64) - (Wide{1} << (64 - weight));
  for (; power != 0; power >>= 1) {
    if ((power & 1) != 0) result = result * base >> 64;
    base = base * base >> 64;
  }
  return result;
}

}  // namespace

void AverageDepth::age(Time now) {
  const auto slots = static_cast<std::uint64_t>((now - empty_since_) / slot_);
  empty_since_ = kForever;
  if (slots == 0) return;
  // After 64 * 2^weight slots less than e^-64 is left of any depth.
  const bool forgotten = slots >= std::uint64_t{64} << weight_;
  scaled_ = forgotten ? 0 : static_cast<std::uint64_t>(scaled_ * decay(weight_, slots) >> 64);
}

void WredConfig::declare(Parameters& p) {
  constexpr Bytes kMost = 4'000'000'000;
  static_assert(kMost < EcnRule::kDeepest);
  p.add("enabled", enabled).doc("Marks frames with ECN as their queue grows");
  p.add("kmin", kmin).max(kMost).doc("Queue bytes up to which no frame is marked");
  p.add("kmax", kmax).max(kMost).doc("Queue bytes above which every frame is marked");
  p.add("pmax", pmax).range(0, 1).doc("Chance that a frame is marked at kmax; linear from kmin");
  p.add("drop_non_ect", drop_non_ect)
      .doc("A frame that would be marked but is not ECN-capable is dropped, not passed");
  p.choice("point", point, {{"enqueue", WredPoint::kEnqueue}, {"dequeue", WredPoint::kDequeue}})
      .doc("When a frame is judged");
  p.add("average_weight", average_weight)
      .max(AverageDepth::kMostWeight)
      .doc("Depth is averaged, a new one with weight 2^-average_weight; 0: the present depth");
  p.add("average_frame", average_frame)
      .range(64, 9216)
      .doc("While a queue is empty its average falls once in the time of a frame of this size");
  p.check([this](const Bound& bound) {
    if (average_weight == 0) {
      bound.needs("average_frame", average_frame != WredConfig{}.average_frame,
                  "average_weight: 1 or more");
    }
    if (kmin <= kmax) return;
    bound.fail("kmin",
               "kmin at " + format_bytes(kmin) + " lies above kmax at " + format_bytes(kmax),
               "write a kmin of at most kmax");
  });
}

EcnRule WredConfig::rule() const {
  const double scaled = std::ldexp(pmax, rtl::EcnCurve::kProbabilityBits);
  return {enabled,
          rtl::EcnCurve::of(static_cast<std::uint32_t>(kmin), static_cast<std::uint32_t>(kmax),
                            static_cast<std::uint32_t>(std::llround(scaled))),
          drop_non_ect};
}

}  // namespace railyard
