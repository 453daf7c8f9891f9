#include "hw/nic/rate_gate.h"

#include <algorithm>

namespace railyard::nic {

RateGate::RateGate(Units& units)
    : units_(units),
      timers_(*units.partition, units.name + ".rate_gate", units.config->limits.qps, *this),
      states_(units.config->limits.qps) {
  units.congestion->set_listener(this);
}

RateGate::~RateGate() = default;

bool RateGate::allows(std::uint32_t slot, Side side) {
  State& state = states_[slot];
  const Time due = units_.congestion->next_packet(slot);
  const bool its_turn = state.last != side || (state.told & bit(other(side))) == 0;
  if (due <= units_.partition->now() && its_turn) return true;
  state.waiting |= bit(side);
  state.told &= static_cast<std::uint8_t>(~bit(side));
  // Who waits for the other side alone is told when that has sent, or left.
  if (due > units_.partition->now()) timers_.arm(slot, due);
  return false;
}

void RateGate::sent(std::uint32_t slot, Side side, std::uint32_t line_bytes) {
  State& state = states_[slot];
  units_.congestion->sent(slot, line_bytes);
  state.last = side;
  state.told &= static_cast<std::uint8_t>(~bit(side));
  if (state.waiting != 0) plan(slot);
}

void RateGate::leave(std::uint32_t slot, Side side) {
  State& state = states_[slot];
  if (((state.waiting | state.told) & bit(side)) == 0) return;
  state.waiting &= static_cast<std::uint8_t>(~bit(side));
  state.told &= static_cast<std::uint8_t>(~bit(side));
  if (state.waiting == 0) {
    timers_.disarm(slot);
  } else {
    plan(slot);
  }
}

void RateGate::may_send(std::uint32_t slot) {
  if (states_[slot].waiting != 0) {
    timers_.disarm(slot);
    tell(slot);
  }
  // It may wait for the window, which is its own.
  if (clients_[kRequests] != nullptr) clients_[kRequests]->window_grew(slot);
}

// That time had come may be all that congestion control wanted to know.
void RateGate::timer_ran_out(std::uint32_t slot) {
  const Time due = units_.congestion->next_packet(slot);
  if (due > units_.partition->now()) {
    timers_.arm(slot, due);
  } else {
    tell(slot);
  }
}

void RateGate::tell(std::uint32_t slot) {
  State& state = states_[slot];
  if (state.waiting == 0) return;
  const Side first = other(state.last);
  const Side side = (state.waiting & bit(first)) != 0 ? first : state.last;
  state.waiting &= static_cast<std::uint8_t>(~bit(side));
  state.told |= bit(side);
  clients_[side]->may_send(slot);
}

void RateGate::plan(std::uint32_t slot) {
  timers_.arm(slot, std::max(units_.partition->now(), units_.congestion->next_packet(slot)));
}

}  // namespace railyard::nic
