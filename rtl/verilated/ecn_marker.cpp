#include "rtl/verilated/ecn_marker.h"

#include <Vecn_marker.h>
#include <Vecn_marker__Syms.h>
#include <Vecn_marker___024root.h>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vecn_marker)

namespace railyard::rtl {
namespace {

struct EcnMarkerPins {
  static void drive(Vecn_marker& top, const EcnMarkerIn& in) {
    top.enable_i = in.enable ? 1 : 0;
    top.kmin_i = in.curve.kmin;
    top.kmax_i = in.curve.kmax;
    top.pmax_i = in.curve.pmax;
    top.slope_i = in.curve.slope;
    top.shift_i = in.curve.shift;
    top.drop_non_ect_i = in.drop_non_ect ? 1 : 0;
    top.seed_valid_i = in.seed_valid ? 1 : 0;
    top.seed_i = in.seed;
    top.req_valid_i = in.req_valid ? 1 : 0;
    top.req_depth_i = in.req_depth;
    top.req_ecn_i = in.req_ecn;
  }
  static EcnMarkerOut outputs(const Vecn_marker& top) {
    return {top.dec_valid_o != 0, static_cast<EcnDecision>(top.dec_o), top.quiet_o != 0};
  }
  static EcnMarkerState registers(const Vecn_marker& top) {
    const Vecn_marker___024root& root = *top.rootp;
    EcnMarkerState state;
    state.lfsr = root.ecn_marker__DOT__lfsr_q;
    state.s1_valid = root.ecn_marker__DOT__s1_valid_q != 0;
    state.s1_never = root.ecn_marker__DOT__s1_never_q != 0;
    state.s1_always = root.ecn_marker__DOT__s1_always_q != 0;
    state.s1_excess = root.ecn_marker__DOT__s1_excess_q;
    state.s1_draw = root.ecn_marker__DOT__s1_draw_q;
    state.s1_hit = static_cast<EcnDecision>(root.ecn_marker__DOT__s1_hit_q);
    state.s2_valid = root.ecn_marker__DOT__s2_valid_q != 0;
    state.s2_never = root.ecn_marker__DOT__s2_never_q != 0;
    state.s2_always = root.ecn_marker__DOT__s2_always_q != 0;
    state.s2_product = root.ecn_marker__DOT__s2_product_q;
    state.s2_draw = root.ecn_marker__DOT__s2_draw_q;
    state.s2_hit = static_cast<EcnDecision>(root.ecn_marker__DOT__s2_hit_q);
    state.s3_valid = root.ecn_marker__DOT__s3_valid_q != 0;
    state.s3_dec = static_cast<EcnDecision>(root.ecn_marker__DOT__s3_dec_q);
    return state;
  }
};

}  // namespace

EcnMarkerRtl::EcnMarkerRtl(VerilatedContext* context, const std::string& name)
    : VerilatedBlock(
          std::make_unique<Wrapped<Vecn_marker, EcnMarker, EcnMarkerPins>>(context, name)) {}

}  // namespace railyard::rtl
