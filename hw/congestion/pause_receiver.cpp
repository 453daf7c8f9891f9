#include "hw/congestion/pause_receiver.h"

#include <algorithm>

namespace railyard {

PauseReceiver::PauseReceiver(Partition& partition, const std::string& name, Rate rate,
                             std::uint64_t response_quanta, PauseListener& listener)
    : partition_(partition),
      listener_(listener),
      timers_(rate),
      response_(rate.time_of(PauseTimers::kBytesAQuantum * response_quanta)),
      effect_(Event::of<&PauseReceiver::take_effect>(
          *this, partition.endpoint(name + ".pause_effect"), Phase::kArrival)),
      expiry_(Event::of<&PauseReceiver::expire>(*this, partition.endpoint(name + ".pause_expiry"),
                                                Phase::kTimer)) {
  since_.fill(kForever);
  last_xoff_.fill(-1);
}

void PauseReceiver::receive(const net::Frame& frame) {
  const Time now = partition_.now();
  const net::MacControl& control = frame.mac_control;
  for (unsigned p = 0; p < kPriorities; ++p) {
    const bool pauses = frame.is_pause()
                            ? control.quanta[0] != 0
                            : (control.enable_vector >> p & 1U) != 0 && control.quanta[p] != 0;
    if (pauses) last_xoff_[p] = now;
  }
  if (response_ == 0) {
    timers_.receive(frame, now);
    update();
    return;
  }
  waiting_.push({now + response_, frame});
  if (waiting_.size() == 1) partition_.scheduler().schedule(effect_, now + response_);
}

void PauseReceiver::take_effect() {
  const Waiting waiting = waiting_.pop();
  if (!waiting_.empty()) partition_.scheduler().schedule(effect_, waiting_.front().due);
  timers_.receive(waiting.frame, partition_.now());
  update();
}

void PauseReceiver::update() {
  const Time now = partition_.now();
  std::uint8_t paused = 0;
  Time first_end = kForever;
  for (unsigned p = 0; p < kPriorities; ++p) {
    const bool is_paused = timers_.paused(p, now);
    if (is_paused) {
      paused = static_cast<std::uint8_t>(paused | 1U << p);
      first_end = std::min(first_end, timers_.until(p));
      since_[p] = std::min(since_[p], now);
    } else if (since_[p] != kForever) {
      total_[p] += now - since_[p];
      since_[p] = kForever;
    }
  }
  if (first_end == kForever) {
    partition_.scheduler().cancel(expiry_);
  } else {
    partition_.scheduler().schedule(expiry_, first_end);
  }
  const auto changed = static_cast<std::uint8_t>(paused ^ paused_);
  paused_ = paused;
  if (changed != 0) listener_.pause_changed(paused, changed);
}

}  // namespace railyard
