// A switch port's pauses, those it asks for and those it obeys; its watchdog; what it waits for.
#include <algorithm>
#include <string>

#include "hw/congestion/pause_names.h"
#include "hw/eth_switch/switch_port.h"

namespace railyard {

void SwitchPort::want_pause(unsigned priority, bool xoff, PortId cause) {
  const Time now = partition_.now();
  if (xoff) {
    xoff_since_[priority] = now;
    xoff_cause_[priority] = cause;
  } else {
    xoff_lane_.span("XOFF", xoff_since_[priority], now, "cause_port", xoff_cause_[priority]);
    xoff_since_[priority] = kForever;
    cut_pauses_ &= ~(1U << priority);
  }
  if (group_probes_[priority]) {
    group_probes_[priority]->xoff_wanted.set(xoff ? 1 : 0, now);
    group_probes_[priority]->xoff_cause.set(xoff_cause_[priority], now);
  }
  const unsigned bit = 1U << priority;
  wanted_ = static_cast<std::uint8_t>(xoff ? wanted_ | bit : wanted_ & ~bit);
  pfc_.crossed();
}

PfcLevels SwitchPort::pfc_levels(unsigned priority) const {
  return owner_.buffer_of(id_).levels({id_, static_cast<std::uint8_t>(priority)});
}

void SwitchPort::pause_changed(std::uint8_t paused, std::uint8_t changed) {
  update_blocked();
  const Time now = partition_.now();
  paused_probe_.set(paused, now);
  for (unsigned left = changed; left != 0; left &= left - 1) {
    const auto p = static_cast<std::uint8_t>(__builtin_ctz(left));
    if ((paused >> p & 1U) != 0) {
      owner_.pause_log_.begin_obeyed(id_, p, now);
      obeyed_since_[p] = now;
    } else {
      owner_.pause_log_.end_obeyed(id_, p, now);
      pause_lane_.span("paused", obeyed_since_[p], now, "priority", p);
    }
  }
  watchdog_.look();
  if ((paused & changed) != 0) watch_last_bit();
  if ((changed & ~paused) != 0) send_next();
}

// A pause takes effect, but a frame in progress is never cut: the trace shows its last bit.
void SwitchPort::watch_last_bit() {
  const Time now = partition_.now();
  if (!sending_ || last_bit_at_ <= now || !draining_probe_.on()) return;
  draining_probe_.set(1, now);
  partition_.scheduler().schedule(last_bit_, last_bit_at_);
}

void SwitchPort::show_last_bit() { draining_probe_.set(0, partition_.now()); }

// --- watchdog ---

std::uint8_t SwitchPort::occupied() const {
  unsigned priorities = 0;
  for (unsigned left = occupied_; left != 0; left &= left - 1) {
    priorities |= owner_.priorities_of(static_cast<unsigned>(__builtin_ctz(left)));
  }
  return static_cast<std::uint8_t>(priorities);
}

void SwitchPort::storm(unsigned priority, WatchdogAction action) {
  const Time now = partition_.now();
  storms_.add();
  storm_moment_.raise(now);
  watchdog_probe_.set(watchdog_.storms(), now);
  switch (action) {
    case WatchdogAction::kDrop:
      discarded_ = static_cast<std::uint8_t>(discarded_ | 1U << priority);
      flush(owner_.traffic_class_of(priority), DropReason::kWatchdog);
      break;
    case WatchdogAction::kForward:
      ignored_pauses_ = static_cast<std::uint8_t>(ignored_pauses_ | 1U << priority);
      update_blocked();
      send_next();
      break;
    case WatchdogAction::kRetrain:
      retrain(tx, owner_.config().watchdog.retrain_time);
      break;
    case WatchdogAction::kAlert:
      break;
  }
}

void SwitchPort::storm_over(unsigned priority) {
  discarded_ = static_cast<std::uint8_t>(discarded_ & ~(1U << priority));
  ignored_pauses_ = static_cast<std::uint8_t>(ignored_pauses_ & ~(1U << priority));
  update_blocked();
  watchdog_probe_.set(watchdog_.storms(), partition_.now());
  send_next();
}

void SwitchPort::append_waits(std::vector<Wait>& waits) {
  for (unsigned c = 0; c < kClasses; ++c) {
    if (queues_[c].empty()) continue;
    const std::string me = egress_name(name(), c);
    if (!link_up_) {
      waits.push_back({{me, std::string(name()) + ".tx", "the link to come up"}, last_move_[c]});
      continue;
    }
    const unsigned p = queues_[c].front().priority;
    if (!paused(p)) continue;
    waits.push_back(
        {{me, ingress_name(peer_, p), "the PFC pause of priority " + std::to_string(p) + " to end"},
         std::max(pauses_.paused_since(p), last_move_[c])});
  }
  for (unsigned p = 0; p < EthSwitch::kPriorities; ++p) {
    if (xoff_since_[p] == kForever) continue;
    for (std::size_t out = 0; out < owner_.port_count(); ++out) {
      if (owner_.held_cells(p, id_, static_cast<PortId>(out)) == 0) continue;
      const SwitchPort& egress = *owner_.ports_[out];
      const unsigned c = owner_.traffic_class_of(p);
      waits.push_back({{ingress_name(name(), p), egress_name(egress.name(), c),
                        "its frames of priority " + std::to_string(p) + " to leave"},
                       std::max(xoff_since_[p], egress.last_move_[c])});
    }
  }
}

}  // namespace railyard
