#include <Vdcqcn_rp_256.h>
#include <Vdcqcn_rp_256___024root.h>

#include "rtl/verilated/dcqcn_rp_impl.h"

namespace railyard::rtl {

std::unique_ptr<DcqcnRpRtl::Impl> dcqcn_rp_256(VerilatedContext* context, const std::string& name) {
  return std::make_unique<DcqcnRpSized<Vdcqcn_rp_256, 8>>(context, name);
}

}  // namespace railyard::rtl
