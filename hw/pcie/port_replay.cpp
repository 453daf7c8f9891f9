// What a transmitter does about acknowledgements, and without them.
#include <algorithm>

#include "hw/pcie/port.h"

namespace railyard::pcie {

void Port::acknowledged(std::uint64_t sequence, Time now) {
  bool progress = false;
  while (!unacknowledged_.empty() && unacknowledged_.front().sequence <= sequence) {
    replay_bytes_ -= unacknowledged_.front().wire_bytes;
    unacknowledged_.pop();
    if (replay_next_ > 0) --replay_next_;
    progress = true;
  }
  if (!progress) return;
  replay_probe_.set(replay_bytes_, now);
  replays_in_a_row_ = 0;
  replay_deadline_ = now + config_.replay_timeout;
  if (unacknowledged_.empty()) scheduler_.cancel(replay_timer_);
  if (time_.use() == LineUse::kAcknowledge) kick();
}

void Port::replay(Time now) {
  if (unacknowledged_.empty()) return;
  constexpr unsigned kMost = 4;  // REPLAY_NUM rolls over: 3.6.2.1
  replays_.add();
  replay_deadline_ = now + config_.replay_timeout;
  if (++replays_in_a_row_ == kMost) {
    retrain(now);
    return;
  }
  replay_next_ = 0;
  kick();
}

void Port::replay_timed_out() {
  const Time now = scheduler_.now();
  if (unacknowledged_.empty() || !up_) return;
  if (now >= replay_deadline_) replay(now);
  if (up_) scheduler_.schedule(replay_timer_, std::max(replay_deadline_, now + 1));
}

void Port::retrain(Time now) {
  retrains_.add();
  go_down(now);
  peer_->go_down(now);
}

// What is on the line or on the way arrives broken; what was not acknowledged is sent again.
void Port::go_down(Time now) {
  up_ = false;
  scheduler_.cancel(pick_);
  scheduler_.cancel(replay_timer_);
  for (std::size_t i = 0; i < in_flight_.size(); ++i) in_flight_[i].good = false;
  time_.become(LineUse::kRetrain, now);
  scheduler_.schedule(come_up_, now + config_.retrain_time);
}

void Port::come_up() {
  const Time now = scheduler_.now();
  up_ = true;
  idle_since_ = kForever;
  replay_next_ = 0;
  replays_in_a_row_ = 0;
  nak_scheduled_ = false;
  nak_due_ = false;
  ack_due_ = expected_ > 1;
  next_skip_ = skip_interval_ > 0 ? now + skip_interval_ : kForever;
  if (!unacknowledged_.empty()) {
    replay_deadline_ = now + config_.replay_timeout;
    scheduler_.schedule(replay_timer_, replay_deadline_);
  }
  kick();
}

}  // namespace railyard::pcie
