#include "hw/congestion/watchdog_config.h"

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

}  // namespace railyard
