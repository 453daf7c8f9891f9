#include "rtl/model/pfc_gen.h"

namespace railyard::rtl {

std::uint8_t PfcGenModel::wanted(const PfcGenIn& in) const {
  unsigned wanted = 0;
  for (unsigned left = in.enable; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    const bool now = (state_.want >> p & 1U) != 0;
    if (in.depth[p] > (now ? in.xon_th[p] : in.xoff_th[p])) wanted |= 1U << p;
  }
  return static_cast<std::uint8_t>(wanted);
}

PfcGenOut PfcGenModel::outputs(const PfcGenIn& in) const {
  PfcGenOut out;
  out.tx_valid = frame_due();
  out.tx_enable = state_.want | state_.told;
  out.tx_xoff = state_.want;
  out.tx_refresh = state_.want == state_.told;
  out.quiet = wanted(in) == state_.want && !(out.tx_valid && in.tx_ready) && !runs_out(in.now) &&
              !(in.clear && (state_.told != 0 || state_.again));
  out.wake_valid = state_.told != 0 && !state_.again;
  out.wake = state_.refresh_at;
  return out;
}

PfcGenOut PfcGenModel::clock(const PfcGenIn& in) {
  PfcGenState next = state_;
  next.want = wanted(in);
  next.again = state_.again || runs_out(in.now);
  if (in.tx_ready && frame_due()) {
    next.told = state_.want;
    next.again = false;
    next.refresh_at = (in.now + in.refresh) & kTimeMask;
  }
  if (in.clear) {
    next.told = 0;
    next.again = false;
  }
  state_ = next;
  return outputs(in);
}

}  // namespace railyard::rtl
