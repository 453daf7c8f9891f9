// rtl/pfc/pfc_watchdog.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/pfc_watchdog.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class PfcWatchdogRtl final : public VerilatedBlock<PfcWatchdog> {
 public:
  /// `name` with spaces between scopes.
  PfcWatchdogRtl(VerilatedContext* context, const std::string& name);
};

}  // namespace railyard::rtl
