#include "rtl/verilated/pacer.h"

#include <Vpacer.h>
#include <Vpacer_256.h>
#include <Vpacer_256__Syms.h>
#include <Vpacer_256___024root.h>
#include <Vpacer_4096.h>
#include <Vpacer_4096__Syms.h>
#include <Vpacer_4096___024root.h>
#include <Vpacer__Syms.h>
#include <Vpacer___024root.h>

#include <array>
#include <type_traits>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vpacer_256)
RAILYARD_VERILATED(Vpacer_4096)
RAILYARD_VERILATED(Vpacer)

namespace railyard::rtl {
namespace {

template <unsigned kSize>
struct PacerPins {
  static constexpr unsigned kContexts = kSize;
  static constexpr unsigned kIndexBits = static_cast<unsigned>(__builtin_ctz(kSize));

  template <class Top>
  static void drive(Top& top, const PacerIn& in) {
    top.now_i = in.now;
    top.burst_i = in.burst;
    top.tx_valid_i = in.tx_valid ? 1 : 0;
    top.tx_open_i = in.tx_open ? 1 : 0;
    top.tx_index_i = static_cast<std::remove_reference_t<decltype(top.tx_index_i)>>(in.tx_index);
    top.tx_bytes_i = in.tx_bytes;
    top.tx_interval_i = in.tx_interval;
  }
  template <class Top>
  static PacerOut outputs(const Top& top) {
    PacerOut out;
    out.tx_ready = top.tx_ready_o != 0;
    out.next_valid = top.next_valid_o != 0;
    out.next_index = top.next_index_o;
    out.next_at = top.next_at_o;
    out.quiet = top.quiet_o != 0;
    out.wake_valid = top.wake_valid_o != 0;
    out.wake = top.wake_o;
    return out;
  }
  template <class Top>
  static PacerState registers(const Top& top) {
    const auto& root = *top.rootp;
    PacerState state;
    state.init = root.pacer__DOT__init_q;
    state.fresh = root.pacer__DOT__fresh_q;
    state.s1_valid = root.pacer__DOT__s1_valid_q != 0;
    state.s1_scan = root.pacer__DOT__s1_scan_q != 0;
    state.s1_open = root.pacer__DOT__s1_open_q != 0;
    state.s1_index = root.pacer__DOT__s1_index_q;
    state.s1_bytes = root.pacer__DOT__s1_bytes_q;
    state.s1_interval = root.pacer__DOT__s1_interval_q;
    state.s2_valid = root.pacer__DOT__s2_valid_q != 0;
    state.s2_scan = root.pacer__DOT__s2_scan_q != 0;
    state.s2_open = root.pacer__DOT__s2_open_q != 0;
    state.s2_index = root.pacer__DOT__s2_index_q;
    state.s2_product = root.pacer__DOT__s2_product_q;
    state.next_valid = root.pacer__DOT__next_valid_q != 0;
    state.next_index = root.pacer__DOT__next_index_q;
    state.next_at = root.pacer__DOT__next_at_q;
    return state;
  }
  template <class Top>
  static std::uint64_t context(const Top& top, unsigned index) {
    return top.rootp->pacer__DOT__contexts[index];
  }
};

}  // namespace

PacerRtl::PacerRtl(VerilatedContext* context, const std::string& name, unsigned contexts)
    : VerilatedContextBlock(wrapped_size<Pacer, PacerPins, Vpacer, Vpacer_256, Vpacer_4096>(
          context, name, contexts)) {}

}  // namespace railyard::rtl
