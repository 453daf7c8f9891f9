#include "platforms/hbm_bandwidth/system.h"

namespace railyard::hbm_bandwidth {

System::System(Partition& partition, const BandwidthConfig& config, bool checks)
    : config_(config), partition_(partition), controller_("hbm", partition, config.hbm) {
  const hbm::HbmConfig& hbm = config.hbm;
  if (checks) {
    auto& checker = partition.add_checker<hbm::CommandChecker>("hbm.commands", hbm.organisation,
                                                               hbm.timing, hbm.controller.refresh);
    checker.set_catch_up([this] { controller_.catch_up(); });
    controller_.add_listener(checker);
  }
  if (!config.command_trace.empty()) {
    controller_.add_listener(trace_);
    partition.on_end([this](Time) {
      if (!trace_.file) return;
      controller_.catch_up();
      trace_.file->close();
    });
  }
  add_utilisation();
}

void System::begin() {
  if (config_.command_trace.empty()) return;
  trace_.file.emplace(config_.command_trace, config_.hbm.organisation, config_.hbm.timing);
}

void System::add_utilisation() {
  StatisticsRegistry& statistics = partition_.statistics();
  const auto shares = statistics.values_named("utilisation");
  const auto busy_shares = statistics.values_named("busy_utilisation");
  statistics.add_derived(
      {"total.utilisation_pct", "%", "Mean of the channels' utilisation, of the whole run"},
      [shares](Time now, Time measured) {
        double sum = 0;
        for (const auto& share : shares) sum += share(now, measured).real;
        return MetricValue::of(sum / static_cast<double>(shares.size()));
      });
  statistics.add_derived(
      {"total.busy_utilisation_pct", "%",
       "Time with data of all channels over their time with requests: idle time is left out"},
      [shares, busy_shares](Time now, Time measured) {
        double data = 0;
        double busy = 0;
        for (std::size_t i = 0; i < shares.size(); ++i) {
          const double of_busy = busy_shares[i](now, measured).real;
          const double share = shares[i](now, measured).real;
          data += share;
          if (of_busy > 0) busy += share / of_busy;
        }
        return MetricValue::of(busy > 0 ? data / busy : 0.0);
      });
}

}  // namespace railyard::hbm_bandwidth
