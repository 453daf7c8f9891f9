#include "hw/tester/pfc_sender.h"

#include <array>
#include <utility>

#include "hw/congestion/pause_timers.h"

namespace railyard {

TesterPfcSender::TesterPfcSender(Partition& partition, const std::string& name,
                                 const PfcConfig& config, const net::MacAddress& mac, Rate rate,
                                 PauseLog& log, std::function<void()> wake)
    : partition_(partition),
      config_(config),
      mac_(mac),
      refresh_after_(rate.time_of(PauseTimers::kBytesAQuantum * config.quanta) / 2),
      log_(log),
      wake_(std::move(wake)),
      refresh_(Event::of<&TesterPfcSender::refresh>(*this, partition.endpoint(name + ".refresh"),
                                                    Phase::kTimer)) {
  StatisticsRegistry& s = partition.statistics();
  s.add(xoff_count_,
        {name + ".pfc_xoff_sent", "frames", "XOFF put on the line, refreshes included"});
  s.add(xon_count_, {name + ".pfc_xon_sent", "frames", "XON put on the line"});
  ProbeRegistry& probes = partition.probes();
  probes.add(xoff_probe_, {name + ".xoff_sent",
                           ProbeKind::kUnsigned,
                           1,
                           "",
                           "The peer was told to pause, and not yet to go on",
                           {}});
  probes.add(xoff_moment_, {name + ".xoff", "An XOFF was sent"});
}

void TesterPfcSender::change(bool xoff) {
  const Time now = partition_.now();
  xoff_ = xoff;
  if (!xoff) partition_.scheduler().cancel(refresh_);
  for (std::uint8_t p = 0; p < PauseTimers::kPriorities; ++p) {
    if ((priorities_ >> p & 1U) == 0) continue;
    if (xoff) {
      log_.begin_sent({now, kForever, 0, p, PauseLog::kNoPort, false});
    } else {
      log_.end_sent(0, p, now);
    }
  }
  due_ = true;
  wake_();
}

void TesterPfcSender::refresh() {
  due_ = true;
  wake_();
}

Ref<net::Packet> TesterPfcSender::make() {
  const Time now = partition_.now();
  due_ = false;
  std::array<std::uint16_t, PauseTimers::kPriorities> quanta{};
  for (unsigned p = 0; xoff_ && p < PauseTimers::kPriorities; ++p) {
    if ((priorities_ >> p & 1U) != 0) quanta[p] = config_.quanta;
  }
  Ref<net::Packet> packet = partition_.packets().packets.acquire();
  packet->frame = net::pfc_frame(mac_, priorities_, quanta);
  packet->created = now;
  packet->seal();
  xoff_probe_.set(xoff_ ? 1 : 0, now);
  if (!xoff_) {
    xon_count_.add();
    return packet;
  }
  xoff_count_.add();
  xoff_moment_.raise(now);
  partition_.scheduler().schedule_in(refresh_, refresh_after_);
  return packet;
}

}  // namespace railyard
