// The ECN marker of a port: ecn_marker (rtl/ecn) between the depths of its egress queues and who
// carries its decisions out. The rule and its rounding are told there.
//
// A request of clock n is answered in clock n + L, and the curve is to be changed while the block
// is quiet. So a request takes its own clock and L more. They are executed at once when it is made,
// all at that time: its frame has them behind it, in latencies that the owner charged before. A
// cycle between requests changes no register, so none is executed, with a free-running clock
// either.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hw/congestion/blocks.h"
#include "hw/congestion/ecn_rule.h"
#include "tlm/net/headers.h"
#include "tlm/sim/random.h"

namespace railyard {

class EcnMarking {
 public:
  /// `name` is the port's; `random` is what seeds the block's numbers, once.
  EcnMarking(const std::string& name, RandomStream random, Blocks& blocks);

  /// What becomes of a frame at a queue of that depth. Up to kmin it passes whatever the number:
  /// that is proved of the block, so there is no request and no number is used up.
  rtl::EcnDecision judge(const EcnRule& rule, std::uint64_t depth, net::Ecn ecn, Time now) {
    if (!rule.enabled || depth <= rule.curve.kmin) return rtl::EcnDecision::kPass;
    return request(rule, depth, ecn, now);
  }

 private:
  rtl::EcnDecision request(const EcnRule& rule, std::uint64_t depth, net::Ecn ecn, Time now);

  std::string name_;
  Blocks& blocks_;
  std::unique_ptr<rtl::EcnMarker> block_;
  rtl::EcnMarkerIn in_;
};

}  // namespace railyard
