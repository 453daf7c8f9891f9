#include "waveforms/rtl_context.h"

#include <verilated.h>

namespace railyard {

RtlContext::RtlContext() : context_(std::make_unique<VerilatedContext>()) {
  make_current();
  context_->timeunit(-12);
  context_->timeprecision(-12);
  context_->traceEverOn(true);
}

RtlContext::~RtlContext() {
  // The thread must not keep a dangling current context.
  if (Verilated::threadContextp() == context_.get()) {
    Verilated::threadContextp(Verilated::defaultContextp());
  }
}

void RtlContext::set_time(Time now) { context_->time(static_cast<std::uint64_t>(now)); }

Time RtlContext::time() const { return static_cast<Time>(context_->time()); }

void RtlContext::make_current() { Verilated::threadContextp(context_.get()); }

}  // namespace railyard
