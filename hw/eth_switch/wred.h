// Marking at an egress queue: the congestion point of DCQCN (SIGCOMM 2015), which is WRED with ECN.
// Which frames are marked is ecn_marker's affair (rtl/ecn); here is what it is told: the curve, and
// the depth in bytes, present or averaged.
#pragma once

#include <cstdint>

#include "hw/congestion/ecn_rule.h"
#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

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
  /// As the block takes it: pmax in steps of 2^-24, to the nearest.
  EcnRule rule() const;
  /// A new average for a queue of a port of that rate.
  AverageDepth average(Rate port) const {
    return AverageDepth(average_weight, port.time_of(average_frame));
  }
};

/// kMark: ECT becomes CE.
using WredVerdict = rtl::EcnDecision;

}  // namespace railyard
