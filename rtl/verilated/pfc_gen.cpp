#include "rtl/verilated/pfc_gen.h"

#include <Vpfc_gen.h>
#include <Vpfc_gen__Syms.h>
#include <Vpfc_gen___024root.h>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vpfc_gen)

namespace railyard::rtl {
namespace {

struct PfcGenPins {
  // Ports that are wider than 64 bits are arrays of words: one word a priority.
  static void drive(Vpfc_gen& top, const PfcGenIn& in) {
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
  }
  static PfcGenOut outputs(const Vpfc_gen& top) {
    return {top.tx_valid_o != 0, top.tx_enable_o,       top.tx_xoff_o, top.tx_refresh_o != 0,
            top.quiet_o != 0,    top.wake_valid_o != 0, top.wake_o};
  }
  static PfcGenState registers(const Vpfc_gen& top) {
    const Vpfc_gen___024root& root = *top.rootp;
    return {root.pfc_gen__DOT__want_q, root.pfc_gen__DOT__told_q, root.pfc_gen__DOT__again_q != 0,
            root.pfc_gen__DOT__refresh_at_q};
  }
};

}  // namespace

PfcGenRtl::PfcGenRtl(VerilatedContext* context, const std::string& name)
    : VerilatedBlock(std::make_unique<Wrapped<Vpfc_gen, PfcGen, PfcGenPins>>(context, name)) {}

}  // namespace railyard::rtl
