#include "rtl/model/pfc_watchdog.h"

namespace railyard::rtl {

namespace {
bool bit(std::uint8_t vector, unsigned p) { return (vector >> p & 1U) != 0; }

std::uint64_t from_to(std::uint64_t from, std::uint64_t to) { return (to - from) & kTimeMask; }
}  // namespace

PfcWatchdogModel::Seen PfcWatchdogModel::seen(unsigned p, const PfcWatchdogIn& in) {
  const bool full = bit(in.enable, p) && bit(in.occupied, p);
  const bool paused = bit(in.paused, p);
  return {in.now,         reached(in.now, in.poll_at),  paused,
          full && paused, full && !bit(in.dequeued, p), bit(in.enable, p),
          bit(in.xoff, p)};
}

// StWatch; true if the watch begins anew.
bool PfcWatchdogModel::watch(Registers& r, const Seen& s, const PfcWatchdogIn& in) {
  if (s.poll) r.gaps = 0;
  if (!s.held) return true;
  if (s.poll && from_to(r.since, s.now) >= in.detection) {
    r.state = WatchdogState::kStorm;
    r.since = s.now;
  } else if (!s.paused) {
    r.state = WatchdogState::kGap;
    r.gap_at = s.now;
  }
  return false;
}

// StGap; true if the watch begins anew.
bool PfcWatchdogModel::gap(Registers& r, const Seen& s, const PfcWatchdogIn& in) {
  if (!s.held) return true;
  if (!s.paused && !s.poll) return false;
  const std::uint64_t gap = from_to(r.gap_at, s.now);
  const std::uint64_t gaps = (r.gaps + gap) & kTimeMask;
  if (gap > in.forgiven || gaps > in.forgiven) return true;
  if (s.poll && from_to(r.since, s.now) >= in.detection) {
    r.state = WatchdogState::kStorm;
    r.since = s.now;
  } else if (s.paused) {
    r.state = WatchdogState::kWatch;
    r.gaps = s.poll ? 0 : gaps;
  } else {
    r.gaps = from_to(s.now, r.gap_at);
  }
  return false;
}

PfcWatchdogModel::Next PfcWatchdogModel::next(unsigned p, const PfcWatchdogIn& in) const {
  const Registers old{state_.state[p], state_.since[p], state_.gap_at[p], state_.gaps[p]};
  const Seen s = seen(p, in);
  Registers r = old;
  bool anew = false;
  bool acts = false;
  switch (old.state) {
    case WatchdogState::kIdle:
      anew = s.blocked;
      break;
    case WatchdogState::kWatch:
      anew = watch(r, s, in);
      acts = s.poll && old.gaps != 0;
      break;
    case WatchdogState::kGap:
      anew = gap(r, s, in);
      acts = s.poll;
      break;
    case WatchdogState::kStorm:
      anew = !s.enable || (s.poll && !s.xoff && from_to(r.since, s.now) >= in.restoration);
      if (s.xoff) r.since = s.now;
      acts = s.xoff;
      break;
  }
  if (anew) {
    r.state = s.blocked ? WatchdogState::kWatch : WatchdogState::kIdle;
    r.since = s.now;
    r.gaps = 0;
  }
  return {r, anew || acts || r.state != old.state};
}

PfcWatchdogOut PfcWatchdogModel::outputs(const PfcWatchdogIn& in) const {
  PfcWatchdogOut out;
  out.storm = static_cast<std::uint8_t>(storms_);
  out.quiet = true;
  for (unsigned left = alive(in); left != 0 && out.quiet; left &= left - 1) {
    out.quiet = !next(static_cast<unsigned>(__builtin_ctz(left)), in).acts;
  }
  out.wake_valid = active_ != 0;
  out.wake = in.poll_at;
  return out;
}

PfcWatchdogOut PfcWatchdogModel::clock(const PfcWatchdogIn& in) {
  for (unsigned left = alive(in); left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    const Registers r = next(p, in).registers;
    state_.state[p] = r.state;
    state_.since[p] = r.since;
    state_.gap_at[p] = r.gap_at;
    state_.gaps[p] = r.gaps;
    const unsigned mask = 1U << p;
    active_ = r.state != WatchdogState::kIdle ? active_ | mask : active_ & ~mask;
    storms_ = r.state == WatchdogState::kStorm ? storms_ | mask : storms_ & ~mask;
  }
  return outputs(in);
}

}  // namespace railyard::rtl
