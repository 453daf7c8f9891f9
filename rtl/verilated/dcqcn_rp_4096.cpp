#include <Vdcqcn_rp_4096.h>
#include <Vdcqcn_rp_4096___024root.h>

#include "rtl/verilated/dcqcn_rp_impl.h"

namespace railyard::rtl {

std::unique_ptr<DcqcnRpRtl::Impl> dcqcn_rp_4096(VerilatedContext* context,
                                                const std::string& name) {
  return std::make_unique<DcqcnRpSized<Vdcqcn_rp_4096, 12>>(context, name);
}

}  // namespace railyard::rtl
