#include "rtl/verilated/dcqcn_rp.h"

#include "rtl/verilated/dcqcn_rp_impl.h"

namespace railyard::rtl {
namespace {

std::unique_ptr<DcqcnRpRtl::Impl> sized(VerilatedContext* context, const std::string& name,
                                        unsigned qps) {
  switch (qps) {
    case 16:
      return dcqcn_rp_16(context, name);
    case 256:
      return dcqcn_rp_256(context, name);
    default:
      return dcqcn_rp_4096(context, name);
  }
}

}  // namespace

DcqcnRpRtl::DcqcnRpRtl(VerilatedContext* context, const std::string& name, unsigned qps)
    : impl_(sized(context, name, qps)) {
  reset();
}
DcqcnRpRtl::~DcqcnRpRtl() = default;

void DcqcnRpRtl::reset() { impl_->reset(); }

DcqcnRpOut DcqcnRpRtl::settle(const DcqcnRpIn& in) {
  impl_->drive(in);
  return impl_->outputs();
}

DcqcnRpOut DcqcnRpRtl::clock(const DcqcnRpIn& in) {
  impl_->drive(in);
  impl_->edge();
  return impl_->outputs();
}

DcqcnRpState DcqcnRpRtl::state() const { return impl_->state(); }
DcqcnContext DcqcnRpRtl::context(std::uint32_t qp) const { return impl_->context(qp); }
void DcqcnRpRtl::trace(VerilatedFstC& fst) { impl_->trace(fst); }

}  // namespace railyard::rtl
