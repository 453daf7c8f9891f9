#include "hw/congestion/pause_receiver.h"

#include <algorithm>

namespace railyard {

namespace {

/// The priorities that a frame pauses, whenever it takes effect.
std::uint8_t pauses_of(const net::Frame& frame) {
  const net::MacControl& control = frame.mac_control;
  const unsigned about = frame.is_pause() ? 0xFFU : control.enable_vector & 0xFFU;
  unsigned pauses = 0;
  for (unsigned p = 0; p < PauseReceiver::kPriorities; ++p) {
    if ((about >> p & 1U) != 0 && control.quanta[frame.is_pause() ? 0 : p] != 0) pauses |= 1U << p;
  }
  return static_cast<std::uint8_t>(pauses);
}

}  // namespace

PauseReceiver::PauseReceiver(Partition& partition, const std::string& name, Rate rate,
                             std::uint64_t response_quanta, bool at_once, PauseListener& listener)
    : partition_(partition),
      listener_(listener),
      response_(rate.time_of(PauseTimers::kBytesAQuantum * response_quanta)),
      heard_is_paused_(at_once && response_quanta == 0),
      heard_timers_(rate),
      heard_expiry_(Event::of<&PauseReceiver::listen>(
          *this, partition.endpoint(name + ".pause_heard"), Phase::kTimer)) {
  since_.fill(kForever);
}

std::uint8_t PauseReceiver::receive(const net::Frame& frame) {
  if (!heard_is_paused_) heard_timers_.receive(frame, partition_.now());
  take(frame);
  if (!heard_is_paused_) listen();
  return pauses_of(frame);
}

void PauseReceiver::forget() {
  heard_timers_.forget();
  drop_all();
  set_paused(0);
  listen();
}

void PauseReceiver::listen() {
  const Time now = partition_.now();
  Time first_end = kForever;
  const std::uint8_t heard = heard_timers_.paused_at(now, first_end);
  if (first_end == kForever) {
    partition_.scheduler().cancel(heard_expiry_);
  } else {
    partition_.scheduler().schedule(heard_expiry_, first_end);
  }
  hear(heard);
}

void PauseReceiver::hear(std::uint8_t heard) {
  if (heard == heard_) return;
  heard_ = heard;
  listener_.pause_heard(heard);
}

void PauseReceiver::set_paused(std::uint8_t paused) {
  const Time now = partition_.now();
  const auto changed = static_cast<std::uint8_t>(paused ^ paused_);
  if (changed == 0) return;
  for (unsigned left = changed; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    if ((paused >> p & 1U) != 0) {
      since_[p] = now;
    } else {
      total_[p] += now - since_[p];
      since_[p] = kForever;
    }
  }
  paused_ = paused;
  if (heard_is_paused_) hear(paused);
  listener_.pause_changed(paused, changed);
}

}  // namespace railyard
