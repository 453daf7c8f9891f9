#include "hw/tester/pfc_sender.h"

#include <utility>

namespace railyard {

TesterPfcSender::TesterPfcSender(Partition& partition, const std::string& name,
                                 const PfcConfig& config, const net::MacAddress& mac, Rate rate,
                                 PauseLog& log, std::function<void()> wake)
    : partition_(partition),
      config_(config),
      sender_(partition, name, mac, rate, config.quanta, log, std::move(wake)) {
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

Ref<net::Packet> TesterPfcSender::make() {
  const Time now = partition_.now();
  PauseSender::Sent sent = sender_.make();
  xoff_probe_.set(sent.xoff != 0 ? 1 : 0, now);
  if (sent.xoff == 0) {
    xon_count_.add();
  } else {
    xoff_count_.add();
    xoff_moment_.raise(now);
  }
  return std::move(sent.packet);
}

}  // namespace railyard
