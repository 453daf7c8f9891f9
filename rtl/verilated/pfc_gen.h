// rtl/pfc/pfc_gen.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/pfc_gen.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class PfcGenRtl final : public VerilatedBlock<PfcGen> {
 public:
  /// `name` with spaces between scopes.
  PfcGenRtl(VerilatedContext* context, const std::string& name);
};

}  // namespace railyard::rtl
