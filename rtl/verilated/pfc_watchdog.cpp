#include "rtl/verilated/pfc_watchdog.h"

#include <Vpfc_watchdog.h>
#include <Vpfc_watchdog___024root.h>
#include <verilated_fst_c.h>

namespace railyard::rtl {

struct PfcWatchdogRtl::Impl {
  Impl(VerilatedContext* context, const std::string& name) : top(context, name.c_str()) {}

  void drive(const PfcWatchdogIn& in) {
    top.now_i = in.now;
    top.detection_i = in.detection;
    top.restoration_i = in.restoration;
    top.forgiven_i = in.forgiven;
    top.poll_at_i = in.poll_at;
    top.enable_i = in.enable;
    top.paused_i = in.paused;
    top.occupied_i = in.occupied;
    top.dequeued_i = in.dequeued;
    top.xoff_i = in.xoff;
    top.clk_i = 0;
    top.eval();
  }
  PfcWatchdogOut outputs() const {
    return {top.storm_o, top.quiet_o != 0, top.wake_valid_o != 0, top.wake_o};
  }

  Vpfc_watchdog top;
};

PfcWatchdogRtl::PfcWatchdogRtl(VerilatedContext* context, const std::string& name)
    : impl_(std::make_unique<Impl>(context, name)) {
  reset();
}
PfcWatchdogRtl::~PfcWatchdogRtl() = default;

void PfcWatchdogRtl::reset() {
  impl_->top.rst_ni = 0;
  impl_->drive({});
  impl_->top.rst_ni = 1;
  impl_->drive({});
}

PfcWatchdogOut PfcWatchdogRtl::settle(const PfcWatchdogIn& in) {
  impl_->drive(in);
  return impl_->outputs();
}

PfcWatchdogOut PfcWatchdogRtl::clock(const PfcWatchdogIn& in) {
  impl_->drive(in);
  impl_->top.clk_i = 1;
  impl_->top.eval();
  return impl_->outputs();
}

PfcWatchdogState PfcWatchdogRtl::state() const {
  const Vpfc_watchdog___024root& root = *impl_->top.rootp;
  PfcWatchdogState state;
#define REGISTER(p, name) root.pfc_watchdog__DOT__g_prio__BRA__##p##__KET____DOT__##name
#define PRIORITY(p)                                                  \
  state.state[p] = static_cast<WatchdogState>(REGISTER(p, state_q)); \
  state.since[p] = REGISTER(p, since_q);                             \
  state.gap_at[p] = REGISTER(p, gap_at_q);                           \
  state.gaps[p] = REGISTER(p, gaps_q)
  PRIORITY(0);
  PRIORITY(1);
  PRIORITY(2);
  PRIORITY(3);
  PRIORITY(4);
  PRIORITY(5);
  PRIORITY(6);
  PRIORITY(7);
#undef PRIORITY
#undef REGISTER
  return state;
}

void PfcWatchdogRtl::trace(VerilatedFstC& fst) { impl_->top.trace(&fst, 99); }

}  // namespace railyard::rtl
