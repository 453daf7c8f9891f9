// What a switch and its ports show: metrics, signals, lanes, moments.
#include <array>
#include <string>

#include "hw/eth_switch/switch_port.h"

namespace railyard {

namespace {

struct ReasonInfo {
  const char* name;
  const char* doc;
};

constexpr std::array<ReasonInfo, kDropReasons> kReasons = {{
    {"bad_fcs", "their FCS was bad"},
    {"oversize", "they were longer than the largest frame of their priority"},
    {"unknown_destination", "no table knew their destination"},
    {"link_down", "the link they were to leave by was down or went down"},
    {"group_threshold", "their lossy priority group had used its share of the buffer"},
    {"queue_threshold", "their egress queue had used its share of the buffer"},
    {"headroom",
     "the headroom of their lossless priority was full: set by hand, or a pause was lost or not "
     "obeyed"},
    {"wred", "they were hit by WRED and could not be marked"},
    {"watchdog", "the PFC watchdog discards their queue"},
}};

}  // namespace

std::uint64_t EthSwitch::dropped_frames() const {
  std::uint64_t all = 0;
  for (const Counter& counter : dropped_) all += counter.value();
  return all;
}

void EthSwitch::register_statistics() {
  const std::string prefix = std::string(name()) + ".";
  StatisticsRegistry& s = partition_.statistics();
  s.add(forwarded_, {prefix + "forwarded_frames", "frames", "Data frames sent to their last bit"});
  s.add(cut_through_, {prefix + "cut_through_frames", "frames",
                       "Frames that were sent on before their last bit was there"});
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    s.add(dropped_[i], {prefix + "dropped_" + kReasons[i].name, "frames",
                        std::string("Frames dropped because ") + kReasons[i].doc});
  }
  s.add_derived({prefix + "dropped_frames", "frames", "Frames dropped, for whatever reason"},
                [this](Time, Time) { return MetricValue::of(dropped_frames()); });
  s.add_derived({prefix + "buffer_peak_bytes", "bytes", "Most of the buffer in use, by cells"},
                [this](Time, Time) { return MetricValue::of(buffer_level_.peak()); });
  s.add_derived({prefix + "buffer_mean_bytes", "bytes", "Buffer in use, by cells: mean over time"},
                [this](Time now, Time) { return MetricValue::of(buffer_level_.mean(now)); });
  s.on_reset([this](Time now) { buffer_level_.reset(now); });
  ProbeRegistry& probes = partition_.probes();
  probes.add(
      buffer_probe_,
      {prefix + "buffer_bytes", ProbeKind::kUnsigned, 40, "bytes", "Buffer in use, by cells", {}});
  probes.add(drop_moment_, {prefix + "drop", "A frame was dropped"});
}

void SwitchPort::register_statistics() {
  const std::string prefix = std::string(name()) + ".";
  StatisticsRegistry& s = partition_.statistics();
  s.add(xoff_sent_, {prefix + "pfc_xoff_sent", "frames",
                     "PFC frames sent that pause a priority, refreshes included"});
  s.add(refresh_sent_,
        {prefix + "pfc_refresh_sent", "frames", "Of those, frames that only repeat a pause"});
  s.add(xon_sent_, {prefix + "pfc_xon_sent", "frames", "PFC frames sent that end a pause"});
  s.add(xoff_received_, {prefix + "pfc_xoff_received", "frames",
                         "PFC and PAUSE frames received that pause a priority"});
  s.add(marked_, {prefix + "ecn_marked", "frames", "Frames that left the port newly marked CE"});
  s.add(dropped_,
        {prefix + "dropped_frames", "frames", "Frames that came by this port and were dropped"});
  s.add(stomped_, {prefix + "stomped_frames", "frames",
                   "Frames cut through that left with a bad FCS, as they came"});
  s.add(queue_level_, {prefix + "queue_bytes", "bytes", "Bytes in the egress queues"});
  s.add_derived({prefix + "pause_us", "us",
                 "Time in which priorities were paused by the peer, summed over priorities"},
                [this](Time now, Time) {
                  double all = 0;
                  for (unsigned p = 0; p < EthSwitch::kPriorities; ++p) {
                    all +=
                        static_cast<double>(pauses_.paused_time(p, now) - pause_time_at_reset_[p]);
                  }
                  return MetricValue::of(all / kMicrosecond);
                });
  s.on_reset([this](Time now) {
    for (unsigned p = 0; p < EthSwitch::kPriorities; ++p) {
      pause_time_at_reset_[p] = pauses_.paused_time(p, now);
    }
  });
  if (owner_.config().watchdog.enabled) {
    s.add(storms_, {prefix + "watchdog_storms", "storms", "Storms that the watchdog found"});
  }
}

void SwitchPort::register_probes() {
  const std::string prefix = std::string(name()) + ".";
  ProbeRegistry& probes = partition_.probes();
  const auto add = [&](Probe& probe, const std::string& name, std::uint32_t width, const char* unit,
                       const char* doc) {
    probes.add(probe, {prefix + name, ProbeKind::kUnsigned, width, unit, doc, {}});
  };
  add(pause_received_probe_, "pause_received", 8, "",
      "Bit n: the peer has paused priority n; from the last bit of its PFC frame");
  add(paused_probe_, "paused", 8, "",
      "Bit n: priority n begins no frame; from the end of the response delay");
  add(draining_probe_, "draining", 1, "",
      "A pause is in effect, and the last bit of a frame begun before it is still to be sent");
  add(xoff_sent_probe_, "xoff_sent", 8, "",
      "Bit n: the peer was told to pause priority n, and not yet to go on");
  if (owner_.config().watchdog.enabled) {
    add(watchdog_probe_, "watchdog", 8, "", "Bit n: priority n is in a storm");
  }
  for (unsigned c = 0; c < kClasses; ++c) {
    add(queue_probes_[c], "queue" + std::to_string(c) + "_bytes", 40, "bytes",
        "Bytes in the egress queue of this traffic class");
  }
  for (unsigned p = 0; p < EthSwitch::kPriorities; ++p) {
    if (!owner_.is_lossless(p)) continue;
    group_probes_[p] = std::make_unique<GroupProbes>();
    const std::string number = std::to_string(p);
    GroupProbes& g = *group_probes_[p];
    add(g.reserved, "reserved" + number + "_bytes", 40, "bytes",
        "Reserved cells that the priority's frames from this port take");
    add(g.shared, "shared" + number + "_bytes", 40, "bytes",
        "Shared cells that the priority's frames from this port take");
    add(g.headroom, "headroom" + number + "_bytes", 40, "bytes",
        "Headroom cells that the priority's frames from this port take");
    add(g.xoff_wanted, "xoff_wanted" + number, 1, "",
        "The buffer wants the peer to pause this priority");
    add(g.xoff_cause, "xoff_cause" + number, 16, "",
        "Port that held most of the priority's cells at the latest XOFF: its cause");
  }
  probes.add(pause_lane_, {prefix + "pause", "Times when a priority was paused by the peer"});
  probes.add(xoff_lane_, {prefix + "xoff", "Times when the peer was to pause, with the cause"});
  probes.add(xoff_moment_, {prefix + "xoff", "An XOFF was sent, not a refresh"});
  probes.add(mark_moment_, {prefix + "mark", "A frame left newly marked CE"});
  probes.add(storm_moment_, {prefix + "watchdog", "The watchdog found a storm"});
}

// Most runs look at few signals or none: whether any is looked at is known once.
void SwitchPort::start_of_simulation() {
  pauses_.start();
  pfc_.start();
  watchdog_.start();
  for (const auto& g : group_probes_) {
    if (!g) continue;
    tracing_groups_ = tracing_groups_ || g->reserved.on() || g->shared.on() || g->headroom.on();
  }
  for (const Probe& probe : queue_probes_) tracing_queues_ = tracing_queues_ || probe.on();
}

void SwitchPort::show_queue(unsigned traffic_class, Time now) {
  if (tracing_queues_) queue_probes_[traffic_class].set(queues_[traffic_class].bytes(), now);
}

void SwitchPort::show_group(unsigned priority) {
  if (!tracing_groups_) return;
  const Time now = partition_.now();
  const GroupUse use = owner_.buffer_of(id_).use({id_, static_cast<std::uint8_t>(priority)});
  const std::uint64_t cell = owner_.config().buffers.cell;
  GroupProbes& probes = *group_probes_[priority];
  probes.reserved.set(use.reserved * cell, now);
  probes.shared.set(use.shared * cell, now);
  probes.headroom.set(use.headroom * cell, now);
}

}  // namespace railyard
