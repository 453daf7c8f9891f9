#include "rtl/verilated/pfc_watchdog.h"

#include <Vpfc_watchdog.h>
#include <Vpfc_watchdog__Syms.h>
#include <Vpfc_watchdog___024root.h>

#include "rtl/verilated/wrapped.h"

RAILYARD_VERILATED(Vpfc_watchdog)

namespace railyard::rtl {
namespace {

struct PfcWatchdogPins {
  static void drive(Vpfc_watchdog& top, const PfcWatchdogIn& in) {
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
  }
  static PfcWatchdogOut outputs(const Vpfc_watchdog& top) {
    return {top.storm_o, top.quiet_o != 0, top.wake_valid_o != 0, top.wake_o};
  }
  static PfcWatchdogState registers(const Vpfc_watchdog& top) {
    const Vpfc_watchdog___024root& root = *top.rootp;
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
};

}  // namespace

PfcWatchdogRtl::PfcWatchdogRtl(VerilatedContext* context, const std::string& name)
    : VerilatedBlock(
          std::make_unique<Wrapped<Vpfc_watchdog, PfcWatchdog, PfcWatchdogPins>>(context, name)) {}

}  // namespace railyard::rtl
