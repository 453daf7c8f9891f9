#include "tests/waveforms/counter_rtl.h"

#include <Vcounter.h>
#include <verilated_fst_c.h>

namespace railyard {

struct CounterRtl::Impl {
  Impl(VerilatedContext* context, const std::string& name) : top(context, name.c_str()) {}
  Vcounter top;
};

CounterRtl::CounterRtl(VerilatedContext* context, const std::string& name)
    : impl_(std::make_unique<Impl>(context, name)) {
  impl_->top.rst_ni = 0;
  impl_->top.eval();
}

CounterRtl::~CounterRtl() = default;

void CounterRtl::trace(VerilatedFstC& fst) { impl_->top.trace(&fst, 99); }
void CounterRtl::reset(bool active) { impl_->top.rst_ni = active ? 0 : 1; }
void CounterRtl::enable(bool on) { impl_->top.en_i = on ? 1 : 0; }
void CounterRtl::break_it(bool on) { impl_->top.break_i = on ? 1 : 0; }
void CounterRtl::clock(bool high) {
  impl_->top.clk_i = high ? 1 : 0;
  impl_->top.eval();
}
std::uint32_t CounterRtl::count() const { return impl_->top.count_o; }

}  // namespace railyard
