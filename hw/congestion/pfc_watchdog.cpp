#include "hw/congestion/pfc_watchdog.h"

#include "tlm/base/format.h"

namespace railyard {

void WatchdogConfig::declare(Parameters& p) {
  constexpr Time kShortest = 100 * kMicrosecond;
  constexpr Time kLongest = 5000 * kMillisecond;
  p.add("enabled", enabled).doc("PFC watchdog: finds queues that a storm of pauses holds back");
  p.add("detection", detection)
      .range(kShortest, kLongest)
      .doc("How long a queue is blocked before that is a storm; SONiC takes 100ms to 5000ms");
  p.add("restoration", restoration)
      .range(kShortest, kLongest)
      .doc("A storm is over when no XOFF came for so long; SONiC takes 100ms to 5000ms");
  p.add("poll", poll)
      .range(kShortest, kLongest)
      .doc("Queues are looked at this often, all ports at the same times");
  p.choice("action", action,
           {{"drop", WatchdogAction::kDrop},
            {"forward", WatchdogAction::kForward},
            {"alert", WatchdogAction::kAlert},
            {"retrain", WatchdogAction::kRetrain}})
      .doc(
          "What is done about a storm: discard the queue's frames, send them in spite of the "
          "pause, "
          "only tell, or take the link down for `retrain_time`");
  p.add("retrain_time", retrain_time)
      .range(kMicrosecond, kSecond)
      .doc("How long the link stays down under the action retrain");
  p.check([this](const Bound& bound) {
    if (enabled && action != WatchdogAction::kRetrain) {
      bound.needs("retrain_time", retrain_time != WatchdogConfig{}.retrain_time, "action: retrain");
    }
    if (poll <= detection) return;
    bound.fail(bound.has("poll") ? "poll" : "detection",
               "the poll of " + format_time(poll) + " is longer than the detection time of " +
                   format_time(detection),
               "write a poll of at most the detection time");
  });
}

// The queue has been blocked since its onset. One gap is measured from the pause before it, so that
// a poll in its middle does not halve it.
bool PfcWatchdog::goes_on(const Watch& watch, const QueueView& view, Time now) const {
  if (watch.onset == kForever || !view.occupied || view.dequeued != watch.dequeued) return false;
  const auto unpaused_since = [&](const Instant& instant) {
    return (now - instant.at) - (view.paused_time - instant.paused_time);
  };
  const Time forgiven = config_.poll / 100;
  return unpaused_since(watch.blocked) <= forgiven && unpaused_since(watch.polled) <= forgiven;
}

void PfcWatchdog::begin(Watch& watch, const QueueView& view, Time now) {
  watch.onset = view.occupied ? now : kForever;
  watch.dequeued = view.dequeued;
  watch.blocked = watch.polled = {now, view.paused_time};
}

void PfcWatchdog::blocked(unsigned priority, const QueueView& view, Time now) {
  Watch& watch = watches_[priority];
  if (!goes_on(watch, view, now)) begin(watch, view, now);
  watch.blocked = {now, view.paused_time};
}

PfcWatchdog::Finding PfcWatchdog::poll(unsigned priority, const QueueView& view, Time now) {
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
