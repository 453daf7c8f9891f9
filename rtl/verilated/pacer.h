// rtl/pacer/pacer.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/pacer.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class PacerRtl final : public VerilatedContextBlock<Pacer> {
 public:
  /// `name` with spaces between scopes; size class 16, 256 or 4,096.
  PacerRtl(VerilatedContext* context, const std::string& name, unsigned contexts = 16);
};

}  // namespace railyard::rtl
