#include "hw/congestion/ecn_marking.h"

#include <algorithm>

#include "tlm/observe/checker.h"

namespace railyard {

namespace {
constexpr BlockKind kKind = BlockKind::kEcnMarker;
}

EcnMarking::EcnMarking(const std::string& name, RandomStream random, Blocks& blocks)
    : name_(name + ".ecn_marker"), blocks_(blocks), block_(blocks.ecn_marker(name_)) {
  // Before the run: no cycle of it.
  in_.seed_valid = true;
  in_.seed = random.next();
  block_->clock(in_);
  in_.seed_valid = false;
  in_.enable = true;
  block_->settle(in_);
}

rtl::EcnDecision EcnMarking::request(const EcnRule& rule, std::uint64_t depth, net::Ecn ecn,
                                     Time now) {
  in_.curve = rule.curve;
  in_.drop_non_ect = rule.drop_non_ect;
  in_.req_depth = static_cast<std::uint32_t>(std::min(depth, EcnRule::kDeepest));
  in_.req_ecn = static_cast<std::uint8_t>(ecn);
  in_.req_valid = true;
  blocks_.clock(*block_, kKind, name_, in_, now);
  in_.req_valid = false;
  const rtl::EcnMarkerOut out =
      blocks_.clock(*block_, kKind, name_, in_, now, rtl::EcnMarker::kLatency - 1);
  if (!out.dec_valid) break_invariant(name_, now, "a request has no decision in time");
  blocks_.clock(*block_, kKind, name_, in_, now);
  return out.dec;
}

}  // namespace railyard
