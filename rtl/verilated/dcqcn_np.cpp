#include "rtl/verilated/dcqcn_np.h"

#include <Vdcqcn_np.h>
#include <Vdcqcn_np_256.h>
#include <Vdcqcn_np_256___024root.h>
#include <Vdcqcn_np_4096.h>
#include <Vdcqcn_np_4096___024root.h>
#include <Vdcqcn_np___024root.h>
#include <verilated_fst_c.h>

#include <type_traits>

namespace railyard::rtl {

/// One size class.
class DcqcnNpRtl::Size {
 public:
  virtual ~Size() = default;
  virtual void reset() = 0;
  virtual void drive(const DcqcnNpIn& in) = 0;
  virtual void edge() = 0;
  virtual DcqcnNpOut outputs() const = 0;
  virtual DcqcnNpState state() const = 0;
  virtual std::uint64_t context(unsigned index) const = 0;
  virtual void trace(VerilatedFstC& fst) = 0;
};

template <class Top>
class DcqcnNpRtl::Of final : public Size {
 public:
  Of(VerilatedContext* context, const std::string& name, unsigned contexts)
      : top_(context, name.c_str()), index_bits_(static_cast<unsigned>(__builtin_ctz(contexts))) {}

  void reset() override {
    top_.rst_ni = 0;
    drive({});
    top_.rst_ni = 1;
    drive({});
  }
  void drive(const DcqcnNpIn& in) override {
    top_.now_i = in.now;
    top_.interval_i = in.interval;
    top_.delay_i = in.delay;
    top_.ce_valid_i = in.ce_valid ? 1 : 0;
    top_.ce_index_i = static_cast<std::remove_reference_t<decltype(top_.ce_index_i)>>(in.ce_index);
    top_.cnp_ready_i = in.cnp_ready ? 1 : 0;
    top_.clk_i = 0;
    top_.eval();
  }
  void edge() override {
    top_.clk_i = 1;
    top_.eval();
  }
  DcqcnNpOut outputs() const override {
    DcqcnNpOut out;
    out.ce_ready = top_.ce_ready_o != 0;
    out.cnp_valid = top_.cnp_valid_o != 0;
    out.cnp_index = out.cnp_valid ? std::uint16_t{top_.cnp_index_o} : std::uint16_t{0};
    out.quiet = top_.quiet_o != 0;
    out.wake_valid = top_.wake_valid_o != 0;
    out.wake = top_.wake_o;
    return out;
  }
  DcqcnNpState state() const override {
    const auto& root = *top_.rootp;
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
      state.head_index = top_.cnp_index_o;
      state.head_at = root.dcqcn_np__DOT__head_q >> index_bits_;  // {due time, index}
    }
    return state;
  }
  std::uint64_t context(unsigned index) const override {
    return top_.rootp->dcqcn_np__DOT__contexts[index];
  }
  void trace(VerilatedFstC& fst) override { top_.trace(&fst, 99); }

 private:
  Top top_;
  unsigned index_bits_;
};

DcqcnNpRtl::DcqcnNpRtl(VerilatedContext* context, const std::string& name, unsigned contexts)
    : contexts_(contexts) {
  if (contexts == 16) size_ = std::make_unique<Of<Vdcqcn_np>>(context, name, contexts);
  if (contexts == 256) size_ = std::make_unique<Of<Vdcqcn_np_256>>(context, name, contexts);
  if (contexts == 4096) size_ = std::make_unique<Of<Vdcqcn_np_4096>>(context, name, contexts);
  reset();
}
DcqcnNpRtl::~DcqcnNpRtl() = default;

void DcqcnNpRtl::reset() { size_->reset(); }

DcqcnNpOut DcqcnNpRtl::settle(const DcqcnNpIn& in) {
  size_->drive(in);
  return size_->outputs();
}

DcqcnNpOut DcqcnNpRtl::clock(const DcqcnNpIn& in) {
  size_->drive(in);
  size_->edge();
  return size_->outputs();
}

DcqcnNpState DcqcnNpRtl::state() const { return size_->state(); }
std::uint64_t DcqcnNpRtl::context(unsigned index) const { return size_->context(index); }
void DcqcnNpRtl::trace(VerilatedFstC& fst) { size_->trace(fst); }

}  // namespace railyard::rtl
