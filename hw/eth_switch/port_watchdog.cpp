#include "hw/eth_switch/port_watchdog.h"

namespace railyard {

PortWatchdog::PortWatchdog(Partition& partition, const std::string& name,
                           const WatchdogConfig& config, std::uint8_t watched, WatchedPort& port)
    : partition_(partition),
      config_(config),
      watched_(config.enabled ? watched : std::uint8_t{0}),
      port_(port),
      watchdog_(config),
      poll_(Event::of<&PortWatchdog::poll>(*this, partition.endpoint(name + ".watchdog"),
                                           Phase::kTimer)) {}

void PortWatchdog::blocked(unsigned priority) {
  if ((watched_ >> priority & 1U) == 0) return;
  const Time now = partition_.now();
  watchdog_.blocked(priority, port_.watchdog_view(priority), now);
  if (!poll_.pending()) partition_.scheduler().schedule(poll_, watchdog_.next_poll(now));
}

void PortWatchdog::poll() {
  const Time now = partition_.now();
  bool again = false;
  for (unsigned p = 0; p < PfcWatchdog::kPriorities; ++p) {
    if ((watched_ >> p & 1U) == 0) continue;
    switch (watchdog_.poll(p, port_.watchdog_view(p), now)) {
      case PfcWatchdog::Finding::kStorm:
        port_.storm(p, config_.action);
        break;
      case PfcWatchdog::Finding::kRestored:
        port_.storm_over(p);
        break;
      case PfcWatchdog::Finding::kNone:
        break;
    }
    again = again || port_.pause_stands(p);
  }
  if (again || watchdog_.storms() != 0) {
    partition_.scheduler().schedule(poll_, watchdog_.next_poll(now));
  }
}

}  // namespace railyard
