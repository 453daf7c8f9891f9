// Marking at an egress queue: the congestion point of DCQCN (SIGCOMM 2015), which is WRED with ECN.
// Of depth q, a frame is hit with probability 0 for q <= kmin, pmax * (q - kmin) / (kmax - kmin) up
// to kmax, and 1 above. Depths are in bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/net/headers.h"
#include "tlm/sim/random.h"

namespace railyard {

/// Floyd and Jacobson 1993 (RED): avg += (q - avg) / 2^weight at each frame; a queue that was empty
/// for m slots is as if m frames had met it empty. One a queue; integers only.
class AverageDepth {
 public:
  static constexpr unsigned kMostWeight = 16;

  /// Weight 0: the average is the depth itself. `slot` > 0 is what one frame takes of the line.
  AverageDepth(unsigned weight, Time slot) : slot_(slot), weight_(weight) {}

  /// A frame meets `depth` bytes (< 2^40). Returns the average, less than 2 bytes off the exact
  /// one.
  std::uint64_t sample(std::uint64_t depth, Time now) {
    if (empty_since_ != kForever) age(now);
    scaled_ += depth - (scaled_ >> weight_);
    return value();
  }
  /// The queue has run empty.
  void empty(Time now) { empty_since_ = now; }
  std::uint64_t value() const { return scaled_ >> weight_; }

 private:
  void age(Time now);

  Time slot_;
  Time empty_since_ = kForever;  // kForever: not empty
  std::uint64_t scaled_ = 0;     // average * 2^weight
  unsigned weight_;
};

/// When a frame is judged: by the depth that it finds or by the depth that it leaves.
enum class WredPoint : std::uint8_t { kEnqueue, kDequeue };

/// Of one queue or of many alike. The defaults are a shipping RoCE-lossless profile.
struct WredConfig {
  bool enabled = true;
  Bytes kmin = 150'000;
  Bytes kmax = 1'430'000;
  double pmax = 1.0;
  bool drop_non_ect = false;
  WredPoint point = WredPoint::kDequeue;
  std::uint32_t average_weight = 0;
  Bytes average_frame = 1'000;

  void declare(Parameters& p);
  /// A new average for a queue of a port of that rate.
  AverageDepth average(Rate port) const {
    return AverageDepth(average_weight, port.time_of(average_frame));
  }
};

enum class WredVerdict : std::uint8_t { kPass, kMark, kDrop };

class Wred {
 public:
  explicit Wred(const WredConfig& config);

  /// What happens to a frame at a queue of that depth, present or averaged. kMark: ECT becomes CE.
  /// A frame that has CE passes. Takes a number from `random` on the slope alone.
  WredVerdict judge(std::uint64_t depth, net::Ecn ecn, RandomStream& random) const {
    if (depth <= kmin_) return WredVerdict::kPass;
    if (depth <= kmax_ && !random.chance(threshold(depth))) return WredVerdict::kPass;
    if (ecn == net::Ecn::kCe) return WredVerdict::kPass;
    if (ecn == net::Ecn::kNotEct) return not_ect_;
    return WredVerdict::kMark;
  }

  /// The probability, times 2^64, for kmin < depth <= kmax: less than 2 above and 1 below the
  /// exact value for RandomStream::threshold(pmax), which it reaches at kmax.
  std::uint64_t threshold(std::uint64_t depth) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{depth - kmin_} * slope_ >> shift_;
    return static_cast<std::uint64_t>(std::min(product, Wide{pmax_}));
  }

 private:
  std::uint64_t kmin_ = ~std::uint64_t{0};  // off: no depth is above
  std::uint64_t kmax_ = 0;
  std::uint64_t pmax_ = 0;
  std::uint64_t slope_ = 0;  // a byte's share of pmax, times 2^shift, rounded up
  unsigned shift_ = 0;       // floor(log2(kmax - kmin)): the slope fits, barely
  WredVerdict not_ect_ = WredVerdict::kPass;
};

}  // namespace railyard
