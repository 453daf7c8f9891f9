#include "rtl/model/pfc_rx.h"

namespace railyard::rtl {

std::uint8_t PfcRxModel::expired(std::uint64_t now) const {
  unsigned expired = 0;
  for (unsigned left = state_.paused; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    if (reached(now, state_.until[p])) expired |= 1U << p;
  }
  return static_cast<std::uint8_t>(expired);
}

PfcRxOut PfcRxModel::outputs(const PfcRxIn& in) const {
  PfcRxOut out;
  out.paused = state_.paused;
  out.quiet = !(in.frame_valid && !in.clear && in.enable != 0) && state_.set == 0 &&
              expired(in.now) == 0 && !(in.clear && state_.paused != 0);
  out.wake = in.now;
  for (unsigned left = state_.paused; left != 0; left &= left - 1) {
    const std::uint64_t until = state_.until[static_cast<unsigned>(__builtin_ctz(left))];
    if (!out.wake_valid || !reached(until, out.wake)) out.wake = until;
    out.wake_valid = true;
  }
  if (state_.set != 0) {
    out.wake_valid = true;
    out.wake = in.now;
  }
  return out;
}

PfcRxOut PfcRxModel::clock(const PfcRxIn& in) {
  unsigned paused = state_.paused & ~unsigned{expired(in.now)};
  for (unsigned left = state_.set; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    state_.until[p] = (in.now + state_.cycles[p]) & kTimeMask;
    paused = state_.cycles[p] != 0 ? paused | 1U << p : paused & ~(1U << p);
  }
  const unsigned set = in.frame_valid && !in.clear ? in.enable : 0U;
  for (unsigned left = set; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t half = std::uint64_t{1} << (kQuantumFracBits - 1);
    state_.cycles[p] = static_cast<std::uint32_t>(
        (std::uint64_t{in.quanta[p]} * in.quantum + half) >> kQuantumFracBits);
  }
  state_.set = static_cast<std::uint8_t>(set);
  state_.paused = static_cast<std::uint8_t>(in.clear ? 0U : paused);
  return outputs(in);
}

}  // namespace railyard::rtl
