#include "rtl/verilated/pfc_rx.h"

#include <Vpfc_rx.h>
#include <Vpfc_rx__Syms.h>
#include <Vpfc_rx___024root.h>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vpfc_rx)

namespace railyard::rtl {
namespace {

struct PfcRxPins {
  static void drive(Vpfc_rx& top, const PfcRxIn& in) {
    top.now_i = in.now;
    top.quantum_i = in.quantum;
    top.clear_i = in.clear ? 1 : 0;
    top.frame_valid_i = in.frame_valid ? 1 : 0;
    top.enable_i = in.enable;
    // A port that is wider than 64 bits is an array of words: two priorities each.
    for (unsigned p = 0; p < kPriorities; p += 2) {
      top.quanta_i[p / 2] = std::uint32_t{in.quanta[p + 1]} << 16 | in.quanta[p];
    }
  }
  static PfcRxOut outputs(const Vpfc_rx& top) {
    return {top.paused_o, top.quiet_o != 0, top.wake_valid_o != 0, top.wake_o};
  }
  static PfcRxState registers(const Vpfc_rx& top) {
    const Vpfc_rx___024root& root = *top.rootp;
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
};

}  // namespace

PfcRxRtl::PfcRxRtl(VerilatedContext* context, const std::string& name)
    : VerilatedBlock(std::make_unique<Wrapped<Vpfc_rx, PfcRx, PfcRxPins>>(context, name)) {}

}  // namespace railyard::rtl
