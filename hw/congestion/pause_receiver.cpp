#include "hw/congestion/pause_receiver.h"

#include <algorithm>

namespace railyard {

PauseReceiver::PauseReceiver(Partition& partition, const std::string& name, Rate rate,
                             std::uint64_t response_quanta, PauseListener& listener)
    : partition_(partition),
      listener_(listener),
      timers_(rate),
      heard_timers_(rate),
      response_(rate.time_of(PauseTimers::kBytesAQuantum * response_quanta)),
      effect_(Event::of<&PauseReceiver::take_effect>(
          *this, partition.endpoint(name + ".pause_effect"), Phase::kArrival)),
      expiry_(Event::of<&PauseReceiver::expire>(*this, partition.endpoint(name + ".pause_expiry"),
                                                Phase::kTimer)) {
  since_.fill(kForever);
  last_xoff_.fill(-1);
}

bool PauseReceiver::receive(const net::Frame& frame) {
  const Time now = partition_.now();
  const bool pauses = note(frame, now) != 0;
  if (response_ == 0) {
    timers_.receive(frame, now);
  } else {
    heard_timers_.receive(frame, now);
    waiting_.push({now + response_, frame});
    if (waiting_.size() == 1) partition_.scheduler().schedule(effect_, now + response_);
  }
  update();
  return pauses;
}

// The priorities that the frame pauses, whenever it takes effect.
std::uint8_t PauseReceiver::note(const net::Frame& frame, Time now) {
  const net::MacControl& control = frame.mac_control;
  const unsigned about = frame.is_pause() ? 0xFFU : control.enable_vector & 0xFFU;
  unsigned pauses = 0;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((about >> p & 1U) == 0 || control.quanta[frame.is_pause() ? 0 : p] == 0) continue;
    pauses |= 1U << p;
    last_xoff_[p] = now;
  }
  return static_cast<std::uint8_t>(pauses);
}

void PauseReceiver::forget() {
  while (!waiting_.empty()) waiting_.pop();
  partition_.scheduler().cancel(effect_);
  timers_.forget();
  heard_timers_.forget();
  update();
}

void PauseReceiver::take_effect() {
  const Waiting waiting = waiting_.pop();
  if (!waiting_.empty()) partition_.scheduler().schedule(effect_, waiting_.front().due);
  timers_.receive(waiting.frame, partition_.now());
  update();
}

/// `first_end` becomes the end of a pause if it is earlier.
std::uint8_t PauseReceiver::paused_by(const PauseTimers& timers, Time now, Time& first_end) const {
  unsigned paused = 0;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if (!timers.paused(p, now)) continue;
    paused |= 1U << p;
    first_end = std::min(first_end, timers.until(p));
  }
  return static_cast<std::uint8_t>(paused);
}

void PauseReceiver::update() {
  const Time now = partition_.now();
  Time first_end = kForever;
  const std::uint8_t paused = paused_by(timers_, now, first_end);
  const std::uint8_t heard = response_ == 0 ? paused : paused_by(heard_timers_, now, first_end);
  if (first_end == kForever) {
    partition_.scheduler().cancel(expiry_);
  } else {
    partition_.scheduler().schedule(expiry_, first_end);
  }
  const auto changed = static_cast<std::uint8_t>(paused ^ paused_);
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((changed >> p & 1U) == 0) continue;
    if ((paused >> p & 1U) != 0) {
      since_[p] = now;
    } else {
      total_[p] += now - since_[p];
      since_[p] = kForever;
    }
  }
  const bool heard_changed = heard != heard_;
  heard_ = heard;
  paused_ = paused;
  if (heard_changed) listener_.pause_heard(heard);
  if (changed != 0) listener_.pause_changed(paused, changed);
}

}  // namespace railyard
