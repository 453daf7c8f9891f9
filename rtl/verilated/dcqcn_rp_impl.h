// A size class of dcqcn_rp behind virtual calls. Its Verilated classes differ by name only, so each
// has a file of its own that fills in the template.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "rtl/verilated/dcqcn_rp.h"

namespace railyard::rtl {

struct DcqcnRpRtl::Impl {
  virtual ~Impl() = default;
  virtual void reset() = 0;
  virtual void drive(const DcqcnRpIn& in) = 0;
  virtual void edge() = 0;
  virtual DcqcnRpOut outputs() const = 0;
  virtual DcqcnRpState state() const = 0;
  virtual DcqcnContext context(std::uint32_t qp) const = 0;
  virtual void trace(VerilatedFstC& fst) = 0;
};

std::unique_ptr<DcqcnRpRtl::Impl> dcqcn_rp_16(VerilatedContext* context, const std::string& name);
std::unique_ptr<DcqcnRpRtl::Impl> dcqcn_rp_256(VerilatedContext* context, const std::string& name);
std::unique_ptr<DcqcnRpRtl::Impl> dcqcn_rp_4096(VerilatedContext* context, const std::string& name);

template <class Top, unsigned kQpBits>
class DcqcnRpSized final : public DcqcnRpRtl::Impl {
 public:
  DcqcnRpSized(VerilatedContext* context, const std::string& name) : top_(context, name.c_str()) {}

  void reset() override {
    top_.rst_ni = 0;
    drive({});
    top_.rst_ni = 1;
    drive({});
  }
  void drive(const DcqcnRpIn& in) override {
    top_.now_i = in.now;
    top_.cfg_valid_i = in.cfg_valid ? 1 : 0;
    top_.cfg_class_i = in.cfg_class;
    top_.cfg_addr_i = in.cfg_addr;
    top_.cfg_data_i = in.cfg_data;
    top_.pace_factor_i = in.pace_factor;
    top_.tx_valid_i = in.tx_valid ? 1 : 0;
    top_.tx_open_i = in.tx_open ? 1 : 0;
    top_.tx_class_i = in.tx_class;
    top_.tx_qp_i = static_cast<std::remove_reference_t<decltype(top_.tx_qp_i)>>(in.tx_qp);
    top_.tx_bytes_i = in.tx_bytes;
    top_.cnp_valid_i = in.cnp_valid ? 1 : 0;
    top_.cnp_qp_i = static_cast<std::remove_reference_t<decltype(top_.cnp_qp_i)>>(in.cnp_qp);
    top_.clk_i = 0;
    top_.eval();
  }
  void edge() override {
    top_.clk_i = 1;
    top_.eval();
  }
  DcqcnRpOut outputs() const override {
    return {top_.tx_ready_o != 0,
            top_.cnp_ready_o != 0,
            top_.out_valid_o != 0,
            top_.out_qp_o,
            top_.out_rate_o,
            top_.out_target_o,
            top_.out_alpha_o,
            top_.out_interval_o,
            top_.quiet_o != 0,
            top_.wake_valid_o != 0,
            top_.wake_o};
  }
  DcqcnRpState state() const override {
    const auto& root = *top_.rootp;
    DcqcnRpState s;
    s.waiting = root.dcqcn_rp__DOT__u_queue__DOT__waiting_q;
    s.passed = root.dcqcn_rp__DOT__u_queue__DOT__passed_q != 0;
    s.valid = root.dcqcn_rp__DOT__valid_q;
    for (unsigned i = 0; i < s.waiting && i < s.cnps.size(); ++i) {
      s.cnps[i] = static_cast<std::uint32_t>(
                      std::uint64_t{root.dcqcn_rp__DOT__u_queue__DOT__cnps_q} >> (i * kQpBits)) &
                  ((1U << kQpBits) - 1);
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
  DcqcnContext context(std::uint32_t qp) const override {
    const auto& root = *top_.rootp;
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
  void trace(VerilatedFstC& fst) override { top_.trace(&fst, 99); }

 private:
  Top top_;
};

}  // namespace railyard::rtl
