#include "rtl/verilated/pacer.h"

#include <Vpacer.h>
#include <Vpacer_256.h>
#include <Vpacer_256___024root.h>
#include <Vpacer_4096.h>
#include <Vpacer_4096___024root.h>
#include <Vpacer___024root.h>
#include <verilated_fst_c.h>

#include <type_traits>

namespace railyard::rtl {

/// One size class.
class PacerRtl::Size {
 public:
  virtual ~Size() = default;
  virtual void reset() = 0;
  virtual void drive(const PacerIn& in) = 0;
  virtual void edge() = 0;
  virtual PacerOut outputs() const = 0;
  virtual PacerState state() const = 0;
  virtual std::uint64_t context(unsigned index) const = 0;
  virtual void trace(VerilatedFstC& fst) = 0;
};

template <class Top>
class PacerRtl::Of final : public Size {
 public:
  Of(VerilatedContext* context, const std::string& name) : top_(context, name.c_str()) {}

  void reset() override {
    top_.rst_ni = 0;
    drive({});
    top_.rst_ni = 1;
    drive({});
  }
  void drive(const PacerIn& in) override {
    top_.now_i = in.now;
    top_.burst_i = in.burst;
    top_.tx_valid_i = in.tx_valid ? 1 : 0;
    top_.tx_index_i = static_cast<std::remove_reference_t<decltype(top_.tx_index_i)>>(in.tx_index);
    top_.tx_bytes_i = in.tx_bytes;
    top_.tx_interval_i = in.tx_interval;
    top_.clk_i = 0;
    top_.eval();
  }
  void edge() override {
    top_.clk_i = 1;
    top_.eval();
  }
  PacerOut outputs() const override {
    PacerOut out;
    out.tx_ready = top_.tx_ready_o != 0;
    out.next_valid = top_.next_valid_o != 0;
    out.next_index = top_.next_index_o;
    out.next_at = top_.next_at_o;
    out.quiet = top_.quiet_o != 0;
    out.wake_valid = top_.wake_valid_o != 0;
    out.wake = top_.wake_o;
    return out;
  }
  PacerState state() const override {
    const auto& root = *top_.rootp;
    PacerState state;
    state.init = root.pacer__DOT__init_q;
    state.fresh = root.pacer__DOT__fresh_q;
    state.s1_valid = root.pacer__DOT__s1_valid_q != 0;
    state.s1_scan = root.pacer__DOT__s1_scan_q != 0;
    state.s1_index = root.pacer__DOT__s1_index_q;
    state.s1_bytes = root.pacer__DOT__s1_bytes_q;
    state.s1_interval = root.pacer__DOT__s1_interval_q;
    state.s2_valid = root.pacer__DOT__s2_valid_q != 0;
    state.s2_scan = root.pacer__DOT__s2_scan_q != 0;
    state.s2_index = root.pacer__DOT__s2_index_q;
    state.s2_product = root.pacer__DOT__s2_product_q;
    state.next_valid = root.pacer__DOT__next_valid_q != 0;
    state.next_index = root.pacer__DOT__next_index_q;
    state.next_at = root.pacer__DOT__next_at_q;
    return state;
  }
  std::uint64_t context(unsigned index) const override {
    return top_.rootp->pacer__DOT__contexts[index];
  }
  void trace(VerilatedFstC& fst) override { top_.trace(&fst, 99); }

 private:
  Top top_;
};

PacerRtl::PacerRtl(VerilatedContext* context, const std::string& name, unsigned contexts)
    : contexts_(contexts) {
  if (contexts == 16) size_ = std::make_unique<Of<Vpacer>>(context, name);
  if (contexts == 256) size_ = std::make_unique<Of<Vpacer_256>>(context, name);
  if (contexts == 4096) size_ = std::make_unique<Of<Vpacer_4096>>(context, name);
  reset();
}
PacerRtl::~PacerRtl() = default;

void PacerRtl::reset() { size_->reset(); }

PacerOut PacerRtl::settle(const PacerIn& in) {
  size_->drive(in);
  return size_->outputs();
}

PacerOut PacerRtl::clock(const PacerIn& in) {
  size_->drive(in);
  size_->edge();
  return size_->outputs();
}

PacerState PacerRtl::state() const { return size_->state(); }
std::uint64_t PacerRtl::context(unsigned index) const { return size_->context(index); }
void PacerRtl::trace(VerilatedFstC& fst) { size_->trace(fst); }

}  // namespace railyard::rtl
