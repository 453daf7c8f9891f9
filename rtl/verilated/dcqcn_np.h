// rtl/dcqcn/dcqcn_np.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <string>

#include "rtl/model/dcqcn_np.h"
#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

class DcqcnNpRtl final : public VerilatedContextBlock<DcqcnNp> {
 public:
  /// `name` with spaces between scopes; size class 16, 256 or 4,096.
  DcqcnNpRtl(VerilatedContext* context, const std::string& name, unsigned contexts = 16);
};

}  // namespace railyard::rtl
