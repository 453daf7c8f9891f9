#include "rtl/verilated/pfc_rx.h"

#include <Vpfc_rx.h>
#include <Vpfc_rx___024root.h>
#include <verilated_fst_c.h>

namespace railyard::rtl {

struct PfcRxRtl::Impl {
  Impl(VerilatedContext* context, const std::string& name) : top(context, name.c_str()) {}

  void drive(const PfcRxIn& in) {
    top.now_i = in.now;
    top.quantum_i = in.quantum;
    top.clear_i = in.clear ? 1 : 0;
    top.frame_valid_i = in.frame_valid ? 1 : 0;
    top.enable_i = in.enable;
    // A port that is wider than 64 bits is an array of words: two priorities each.
    for (unsigned p = 0; p < kPriorities; p += 2) {
      top.quanta_i[p / 2] = std::uint32_t{in.quanta[p + 1]} << 16 | in.quanta[p];
    }
    top.clk_i = 0;
    top.eval();
  }
  PfcRxOut outputs() const {
    return {top.paused_o, top.quiet_o != 0, top.wake_valid_o != 0, top.wake_o};
  }

  Vpfc_rx top;
};

PfcRxRtl::PfcRxRtl(VerilatedContext* context, const std::string& name)
    : impl_(std::make_unique<Impl>(context, name)) {
  reset();
}
PfcRxRtl::~PfcRxRtl() = default;

void PfcRxRtl::reset() {
  impl_->top.rst_ni = 0;
  impl_->drive({});
  impl_->top.rst_ni = 1;
  impl_->drive({});
}

PfcRxOut PfcRxRtl::settle(const PfcRxIn& in) {
  impl_->drive(in);
  return impl_->outputs();
}

PfcRxOut PfcRxRtl::clock(const PfcRxIn& in) {
  impl_->drive(in);
  impl_->top.clk_i = 1;
  impl_->top.eval();
  return impl_->outputs();
}

PfcRxState PfcRxRtl::state() const {
  const Vpfc_rx___024root& root = *impl_->top.rootp;
  PfcRxState state;
  state.set = root.pfc_rx__DOT__set_q;
  state.paused = root.pfc_rx__DOT__paused_q;
#define PRIORITY(p)                                                             \
  state.cycles[p] = root.pfc_rx__DOT__g_prio__BRA__##p##__KET____DOT__cycles_q; \
  state.until[p] = root.pfc_rx__DOT__g_prio__BRA__##p##__KET____DOT__until_q
  PRIORITY(0);
  PRIORITY(1);
  PRIORITY(2);
  PRIORITY(3);
  PRIORITY(4);
  PRIORITY(5);
  PRIORITY(6);
  PRIORITY(7);
#undef PRIORITY
  return state;
}

void PfcRxRtl::trace(VerilatedFstC& fst) { impl_->top.trace(&fst, 99); }

}  // namespace railyard::rtl
