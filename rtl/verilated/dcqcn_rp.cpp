#include "rtl/verilated/dcqcn_rp.h"

#include <Vdcqcn_rp_16.h>
#include <Vdcqcn_rp_16__Syms.h>
#include <Vdcqcn_rp_16___024root.h>
#include <Vdcqcn_rp_256.h>
#include <Vdcqcn_rp_256__Syms.h>
#include <Vdcqcn_rp_256___024root.h>
#include <Vdcqcn_rp_4096.h>
#include <Vdcqcn_rp_4096__Syms.h>
#include <Vdcqcn_rp_4096___024root.h>

#include <array>
#include <type_traits>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vdcqcn_rp_16)
RAILYARD_VERILATED(Vdcqcn_rp_256)
RAILYARD_VERILATED(Vdcqcn_rp_4096)

namespace railyard::rtl {
namespace {

template <unsigned kSize>
struct DcqcnRpPins {
  static constexpr unsigned kContexts = kSize;
  static constexpr unsigned kIndexBits = static_cast<unsigned>(__builtin_ctz(kSize));

  template <class Top>
  static void drive(Top& top, const DcqcnRpIn& in) {
    top.now_i = in.now;
    top.cfg_valid_i = in.cfg_valid ? 1 : 0;
    top.cfg_class_i = in.cfg_class;
    top.cfg_addr_i = in.cfg_addr;
    top.cfg_data_i = in.cfg_data;
    top.pace_factor_i = in.pace_factor;
    top.tx_valid_i = in.tx_valid ? 1 : 0;
    top.tx_open_i = in.tx_open ? 1 : 0;
    top.tx_class_i = in.tx_class;
    top.tx_qp_i = static_cast<std::remove_reference_t<decltype(top.tx_qp_i)>>(in.tx_qp);
    top.tx_bytes_i = in.tx_bytes;
    top.cnp_valid_i = in.cnp_valid ? 1 : 0;
    top.cnp_qp_i = static_cast<std::remove_reference_t<decltype(top.cnp_qp_i)>>(in.cnp_qp);
  }
  template <class Top>
  static DcqcnRpOut outputs(const Top& top) {
    return {top.tx_ready_o != 0,
            top.cnp_ready_o != 0,
            top.out_valid_o != 0,
            top.out_qp_o,
            top.out_rate_o,
            top.out_target_o,
            top.out_alpha_o,
            top.out_interval_o,
            top.quiet_o != 0,
            top.wake_valid_o != 0,
            top.wake_o};
  }
  template <class Top>
  static DcqcnRpState registers(const Top& top) {
    const auto& root = *top.rootp;
    DcqcnRpState s;
    s.waiting = root.dcqcn_rp__DOT__u_queue__DOT__waiting_q;
    s.passed = root.dcqcn_rp__DOT__u_queue__DOT__passed_q != 0;
    s.valid = root.dcqcn_rp__DOT__valid_q;
    for (unsigned i = 0; i < s.waiting && i < s.cnps.size(); ++i) {
      s.cnps[i] = static_cast<std::uint32_t>(
                      std::uint64_t{root.dcqcn_rp__DOT__u_queue__DOT__cnps_q} >> (i * kIndexBits)) &
                  ((1U << kIndexBits) - 1);
    }
    const std::array<std::uint32_t, 12> qps = {
        root.dcqcn_rp__DOT__qp1_q,  root.dcqcn_rp__DOT__qp2_q,  root.dcqcn_rp__DOT__qp3_q,
        root.dcqcn_rp__DOT__qp4_q,  root.dcqcn_rp__DOT__qp5_q,  root.dcqcn_rp__DOT__qp6_q,
        root.dcqcn_rp__DOT__qp7_q,  root.dcqcn_rp__DOT__qp8_q,  root.dcqcn_rp__DOT__qp9_q,
        root.dcqcn_rp__DOT__qp10_q, root.dcqcn_rp__DOT__qp11_q, root.dcqcn_rp__DOT__qp12_q};
    for (unsigned n = 0; n < qps.size(); ++n) {
      if ((s.valid >> n & 1U) != 0) s.qps[n] = qps[n];
    }
    return s;
  }
  template <class Top>
  static DcqcnContext context(const Top& top, unsigned qp) {
    const auto& root = *top.rootp;
    const std::uint32_t word = root.dcqcn_rp__DOT__state_mem[qp];
    DcqcnContext c;
    c.traffic_class = static_cast<std::uint8_t>(word >> 25);
    c.flags = word >> 20 & 31U;
    c.byte_stage = word >> 10 & 1023U;
    c.time_stage = word & 1023U;
    c.bytes = root.dcqcn_rp__DOT__bytes_mem[qp];
    c.alpha_at = root.dcqcn_rp__DOT__alpha_at_mem[qp];
    c.rate_at = root.dcqcn_rp__DOT__rate_at_mem[qp];
    c.monitor_at = root.dcqcn_rp__DOT__monitor_at_mem[qp];
    c.alpha = root.dcqcn_rp__DOT__alpha_mem[qp];
    c.target = root.dcqcn_rp__DOT__target_mem[qp];
    c.rate = root.dcqcn_rp__DOT__rate_mem[qp];
    return c;
  }
};

}  // namespace

DcqcnRpRtl::DcqcnRpRtl(VerilatedContext* context, const std::string& name, unsigned contexts)
    : VerilatedContextBlock(
          wrapped_size<DcqcnRp, DcqcnRpPins, Vdcqcn_rp_16, Vdcqcn_rp_256, Vdcqcn_rp_4096>(
              context, name, contexts)) {}

}  // namespace railyard::rtl
