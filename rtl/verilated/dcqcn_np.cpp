#include "rtl/verilated/dcqcn_np.h"

#include <Vdcqcn_np.h>
#include <Vdcqcn_np_256.h>
#include <Vdcqcn_np_256__Syms.h>
#include <Vdcqcn_np_256___024root.h>
#include <Vdcqcn_np_4096.h>
#include <Vdcqcn_np_4096__Syms.h>
#include <Vdcqcn_np_4096___024root.h>
#include <Vdcqcn_np__Syms.h>
#include <Vdcqcn_np___024root.h>

#include <array>
#include <type_traits>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vdcqcn_np_256)
RAILYARD_VERILATED(Vdcqcn_np_4096)
RAILYARD_VERILATED(Vdcqcn_np)

namespace railyard::rtl {
namespace {

template <unsigned kSize>
struct DcqcnNpPins {
  static constexpr unsigned kContexts = kSize;
  static constexpr unsigned kIndexBits = static_cast<unsigned>(__builtin_ctz(kSize));

  template <class Top>
  static void drive(Top& top, const DcqcnNpIn& in) {
    top.now_i = in.now;
    top.interval_i = in.interval;
    top.delay_i = in.delay;
    top.ce_valid_i = in.ce_valid ? 1 : 0;
    top.ce_index_i = static_cast<std::remove_reference_t<decltype(top.ce_index_i)>>(in.ce_index);
    top.cnp_ready_i = in.cnp_ready ? 1 : 0;
  }
  template <class Top>
  static DcqcnNpOut outputs(const Top& top) {
    DcqcnNpOut out;
    out.ce_ready = top.ce_ready_o != 0;
    out.cnp_valid = top.cnp_valid_o != 0;
    out.cnp_index = out.cnp_valid ? std::uint16_t{top.cnp_index_o} : std::uint16_t{0};
    out.quiet = top.quiet_o != 0;
    out.wake_valid = top.wake_valid_o != 0;
    out.wake = top.wake_o;
    return out;
  }
  template <class Top>
  static DcqcnNpState registers(const Top& top) {
    const auto& root = *top.rootp;
    DcqcnNpState state;
    state.init = root.dcqcn_np__DOT__init_q;
    state.fresh = root.dcqcn_np__DOT__fresh_q;
    state.s1_valid = root.dcqcn_np__DOT__s1_valid_q != 0;
    state.s1_scan = root.dcqcn_np__DOT__s1_scan_q != 0;
    state.s1_index = root.dcqcn_np__DOT__s1_index_q;
    state.write_at = root.dcqcn_np__DOT__write_at_q;
    state.read_at = root.dcqcn_np__DOT__read_at_q;
    state.count = root.dcqcn_np__DOT__count_q;
    state.head_valid = root.dcqcn_np__DOT__head_valid_q != 0;
    if (state.head_valid) {
      state.head_index = top.cnp_index_o;
      state.head_at = root.dcqcn_np__DOT__head_q >> kIndexBits;  // {due time, index}
    }
    return state;
  }
  template <class Top>
  static std::uint64_t context(const Top& top, unsigned index) {
    return top.rootp->dcqcn_np__DOT__contexts[index];
  }
};

}  // namespace

DcqcnNpRtl::DcqcnNpRtl(VerilatedContext* context, const std::string& name, unsigned contexts)
    : VerilatedContextBlock(
          wrapped_size<DcqcnNp, DcqcnNpPins, Vdcqcn_np, Vdcqcn_np_256, Vdcqcn_np_4096>(
              context, name, contexts)) {}

}  // namespace railyard::rtl
