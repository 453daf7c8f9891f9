// rtl/ecn/ecn_marker.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/ecn_marker.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class EcnMarkerRtl final : public VerilatedBlock<EcnMarker> {
 public:
  /// `name` with spaces between scopes.
  EcnMarkerRtl(VerilatedContext* context, const std::string& name);
};

}  // namespace railyard::rtl
