#include <Vdcqcn_rp_16.h>
#include <Vdcqcn_rp_16___024root.h>

#include "rtl/verilated/dcqcn_rp_impl.h"

namespace railyard::rtl {

std::unique_ptr<DcqcnRpRtl::Impl> dcqcn_rp_16(VerilatedContext* context, const std::string& name) {
  return std::make_unique<DcqcnRpSized<Vdcqcn_rp_16, 4>>(context, name);
}

}  // namespace railyard::rtl
