#include "hw/congestion/obeyed_pauses.h"

#include "hw/congestion/pause_names.h"

namespace railyard {

void ObeyedPauses::register_all(const std::string& port, const std::string& peer,
                                const std::string& prefix, const std::string& held_doc) {
  constexpr std::uint32_t kPriorities = PauseReceiver::kPriorities;
  for (unsigned p = 0; p < kPriorities; ++p) {
    partition_.waits().add(waits_[p], {egress_name(port, p), ingress_name(peer, p),
                                       "the pause of priority " + std::to_string(p) + " to end"});
  }
  StatisticsRegistry& s = partition_.statistics();
  s.add(xoff_received_, {prefix + "pfc_xoff_received", "frames",
                         "PFC and PAUSE frames received that pause a priority"});
  s.add_derived({prefix + "pause_us", "us", held_doc},
                [this](Time now, Time) { return MetricValue::of(held_.area(now) / kMicrosecond); });
  s.on_reset([this](Time now) { held_.reset(now); });
  ProbeRegistry& probes = partition_.probes();
  probes.add(paused_probe_, {prefix + "paused",
                             ProbeKind::kUnsigned,
                             kPriorities,
                             "",
                             "Bit n: priority n is paused by the peer and may begin no frame",
                             {}});
  probes.add(heard_probe_, {prefix + "pause_received",
                            ProbeKind::kUnsigned,
                            kPriorities,
                            "",
                            "Bit n: the peer has paused priority n; it takes effect after the "
                            "response delay",
                            {}});
  probes.add(lane_,
             {prefix + "pause", "Times when a priority was paused that had something to send"});
  partition_.on_end([this](Time now) {
    if (since_ != kForever) show(now);
  });
}

void ObeyedPauses::take(const net::Frame& frame, PauseReceiver& receiver) {
  if (!frame.is_pfc() && !frame.is_pause()) return;
  if (receiver.receive(frame) != 0) xoff_received_.add();
}

void ObeyedPauses::changed(std::uint8_t paused, std::uint8_t changed) {
  const Time now = partition_.now();
  paused_probe_.set(paused, now);
  for (unsigned left = changed; left != 0; left &= left - 1) {
    const auto p = static_cast<std::uint8_t>(__builtin_ctz(left));
    if ((paused >> p & 1U) != 0) {
      log_.begin_obeyed(0, p, now);
    } else {
      log_.end_obeyed(0, p, now);
    }
  }
}

void ObeyedPauses::wait(std::uint8_t waiting) {
  if (waiting == waiting_) return;
  waiting_ = waiting;
  for (unsigned p = 0; p < PauseReceiver::kPriorities; ++p) {
    if ((waiting >> p & 1U) != 0) {
      waits_[p].begin(partition_.now());
    } else {
      waits_[p].end();
    }
  }
}

void ObeyedPauses::hold(std::uint8_t held) {
  if ((held != 0) == (since_ != kForever)) return;
  const Time now = partition_.now();
  held_.set(held != 0 ? 1 : 0, now);
  if (held != 0) {
    since_ = now;
    first_ = held;
  } else {
    show(now);
    since_ = kForever;
  }
}

}  // namespace railyard
