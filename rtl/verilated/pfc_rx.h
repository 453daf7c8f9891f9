// rtl/pfc/pfc_rx.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/pfc_rx.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class PfcRxRtl final : public VerilatedBlock<PfcRx> {
 public:
  /// `name` with spaces between scopes.
  PfcRxRtl(VerilatedContext* context, const std::string& name);
};

}  // namespace railyard::rtl
