// The congestion of a running fabric, analysed when somebody asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "platforms/common/congestion/congestion.h"
#include "tlm/observe/statistics.h"

namespace railyard {

/// Analyses again only if something has changed since it was last asked.
class CongestionMonitor {
 public:
  using TimeOf = std::function<Time(std::size_t flow)>;

  /// `completed_at` gives the completion of the flow of that number, or kForever; `started_at`, if
  /// there is one, its start where its path does not say it. The logs outlive the monitor.
  CongestionMonitor(std::vector<PausePort> ports, std::vector<FlowPath> flows, TimeOf completed_at,
                    TimeOf started_at = {});

  const CongestionReport& at(Time now);

 private:
  std::uint64_t revision() const;

  std::vector<PausePort> ports_;
  std::vector<FlowPath> flows_;
  TimeOf completed_at_;
  TimeOf started_at_;
  CongestionReport report_;
  Time analysed_at_ = -1;
  std::uint64_t analysed_revision_ = 0;
};

/// total.pause_depth, total.congestion_roots, total.victim_flows and total.victim_lost_us. The
/// monitor outlives the registry's last use.
void register_congestion_metrics(StatisticsRegistry& statistics, CongestionMonitor& monitor);

}  // namespace railyard
