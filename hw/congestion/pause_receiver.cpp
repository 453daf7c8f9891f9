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

bool PauseReceiver::receive(const net::Frame& frame) {
  const Time now = partition_.now();
  const bool pauses = note(frame, now);
  if (response_ == 0) {
    timers_.receive(frame, now);
    update();
    return pauses;
  }
  waiting_.push({now + response_, frame});
  if (waiting_.size() == 1) partition_.scheduler().schedule(effect_, now + response_);
  return pauses;
}

// What the frame says, whenever it takes effect. True: it pauses a priority.
bool PauseReceiver::note(const net::Frame& frame, Time now) {
  const net::MacControl& control = frame.mac_control;
  const unsigned about = frame.is_pause() ? 0xFFU : control.enable_vector & 0xFFU;
  unsigned pauses = 0;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((about >> p & 1U) == 0 || control.quanta[frame.is_pause() ? 0 : p] == 0) continue;
    pauses |= 1U << p;
    last_xoff_[p] = now;
  }
  announced_ = static_cast<std::uint8_t>((announced_ & ~about) | pauses);
  return pauses != 0;
}

void PauseReceiver::forget() {
  while (!waiting_.empty()) waiting_.pop();
  partition_.scheduler().cancel(effect_);
  timers_.forget();
  announced_ = 0;
  update();
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
      if (waiting_.empty()) announced_ = static_cast<std::uint8_t>(announced_ & ~(1U << p));
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
