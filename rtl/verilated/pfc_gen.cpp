#include "rtl/verilated/pfc_gen.h"

#include <Vpfc_gen.h>
#include <Vpfc_gen___024root.h>
#include <verilated_fst_c.h>

namespace railyard::rtl {

struct PfcGenRtl::Impl {
  Impl(VerilatedContext* context, const std::string& name) : top(context, name.c_str()) {}

  // Ports that are wider than 64 bits are arrays of words: one word a priority.
  void drive(const PfcGenIn& in) {
    top.now_i = in.now;
    top.refresh_i = in.refresh;
    top.enable_i = in.enable;
    for (unsigned p = 0; p < kPriorities; ++p) {
      top.depth_i[p] = in.depth[p];
      top.xoff_th_i[p] = in.xoff_th[p];
      top.xon_th_i[p] = in.xon_th[p];
    }
    top.clear_i = in.clear ? 1 : 0;
    top.tx_ready_i = in.tx_ready ? 1 : 0;
    top.clk_i = 0;
    top.eval();
  }
  PfcGenOut outputs() const {
    return {top.tx_valid_o != 0, top.tx_enable_o,       top.tx_xoff_o, top.tx_refresh_o != 0,
            top.quiet_o != 0,    top.wake_valid_o != 0, top.wake_o};
  }

  Vpfc_gen top;
};

PfcGenRtl::PfcGenRtl(VerilatedContext* context, const std::string& name)
    : impl_(std::make_unique<Impl>(context, name)) {
  reset();
}
PfcGenRtl::~PfcGenRtl() = default;

void PfcGenRtl::reset() {
  impl_->top.rst_ni = 0;
  impl_->drive({});
  impl_->top.rst_ni = 1;
  impl_->drive({});
}

PfcGenOut PfcGenRtl::settle(const PfcGenIn& in) {
  impl_->drive(in);
  return impl_->outputs();
}

PfcGenOut PfcGenRtl::clock(const PfcGenIn& in) {
  impl_->drive(in);
  impl_->top.clk_i = 1;
  impl_->top.eval();
  return impl_->outputs();
}

PfcGenState PfcGenRtl::state() const {
  const Vpfc_gen___024root& root = *impl_->top.rootp;
  return {root.pfc_gen__DOT__want_q, root.pfc_gen__DOT__told_q, root.pfc_gen__DOT__again_q != 0,
          root.pfc_gen__DOT__refresh_at_q};
}

void PfcGenRtl::trace(VerilatedFstC& fst) { impl_->top.trace(&fst, 99); }

}  // namespace railyard::rtl
