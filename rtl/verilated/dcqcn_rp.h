// rtl/dcqcn/dcqcn_rp.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/dcqcn_rp.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class DcqcnRpRtl final : public VerilatedContextBlock<DcqcnRp> {
 public:
  /// `name` with spaces between scopes; size class 16, 256 or 4,096.
  DcqcnRpRtl(VerilatedContext* context, const std::string& name, unsigned contexts);
};

}  // namespace railyard::rtl
