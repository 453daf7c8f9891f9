#include "tests/rtl/pfc/plain_watchdog.h"

namespace railyard {

// The queue has been blocked since its onset. One gap is measured from the pause before it, so that
// a poll in its middle does not halve it.
bool PlainWatchdog::goes_on(const Watch& watch, const QueueView& view, Time now) const {
  if (watch.onset == kForever || !view.occupied || view.dequeued != watch.dequeued) return false;
  const auto unpaused_since = [&](const Instant& instant) {
    return (now - instant.at) - (view.paused_time - instant.paused_time);
  };
  const Time forgiven = config_.poll / 100;
  return unpaused_since(watch.blocked) <= forgiven && unpaused_since(watch.polled) <= forgiven;
}

void PlainWatchdog::begin(Watch& watch, const QueueView& view, Time now) {
  watch.onset = view.occupied ? now : kForever;
  watch.dequeued = view.dequeued;
  watch.blocked = watch.polled = {now, view.paused_time};
}

void PlainWatchdog::blocked(unsigned priority, const QueueView& view, Time now) {
  Watch& watch = watches_[priority];
  if (!goes_on(watch, view, now)) begin(watch, view, now);
  watch.blocked = {now, view.paused_time};
}

PlainWatchdog::Finding PlainWatchdog::poll(unsigned priority, const QueueView& view, Time now) {
  Watch& watch = watches_[priority];
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  if ((storms_ & bit) != 0) {
    if (now - view.last_xoff < config_.restoration) return Finding::kNone;
    storms_ = static_cast<std::uint8_t>(storms_ & ~bit);
    begin(watch, view, now);
    return Finding::kRestored;
  }
  if (!goes_on(watch, view, now)) begin(watch, view, now);
  watch.polled = {now, view.paused_time};
  if (watch.onset == kForever || now - watch.onset < config_.detection) return Finding::kNone;
  storms_ = static_cast<std::uint8_t>(storms_ | bit);
  return Finding::kStorm;
}

}  // namespace railyard
