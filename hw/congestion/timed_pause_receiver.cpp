#include "hw/congestion/timed_pause_receiver.h"

namespace railyard {

TimedPauseReceiver::TimedPauseReceiver(Partition& partition, const std::string& name, Rate rate,
                                       std::uint64_t response_quanta, PauseListener& listener)
    : PauseReceiver(partition, name, rate, response_quanta, true, listener),
      timers_(rate),
      effect_(Event::of<&TimedPauseReceiver::take_effect>(
          *this, partition.endpoint(name + ".pause_effect"), Phase::kArrival)),
      expiry_(Event::of<&TimedPauseReceiver::update>(
          *this, partition.endpoint(name + ".pause_expiry"), Phase::kTimer)) {}

void TimedPauseReceiver::take(const net::Frame& frame) {
  const Time now = partition().now();
  if (response_delay() == 0) {
    timers_.receive(frame, now);
    update();
    return;
  }
  waiting_.push({now + response_delay(), frame});
  if (waiting_.size() == 1) partition().scheduler().schedule(effect_, waiting_.front().due);
}

void TimedPauseReceiver::drop_all() {
  while (!waiting_.empty()) waiting_.pop();
  partition().scheduler().cancel(effect_);
  partition().scheduler().cancel(expiry_);
  timers_.forget();
}

void TimedPauseReceiver::take_effect() {
  const Waiting waiting = waiting_.pop();
  if (!waiting_.empty()) partition().scheduler().schedule(effect_, waiting_.front().due);
  timers_.receive(waiting.frame, partition().now());
  update();
}

void TimedPauseReceiver::update() {
  const Time now = partition().now();
  Time first_end = kForever;
  const std::uint8_t paused = timers_.paused_at(now, first_end);
  if (first_end == kForever) {
    partition().scheduler().cancel(expiry_);
  } else {
    partition().scheduler().schedule(expiry_, first_end);
  }
  set_paused(paused);
}

}  // namespace railyard
