// The keys of hbm_bandwidth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/hbm/hbm_config.h"
#include "platforms/hbm_bandwidth/traffic_config.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm_bandwidth {

struct BandwidthConfig {
  hbm::HbmConfig hbm;
  TrafficConfig traffic;
  BackgroundConfig background;
  std::vector<double> curve;  // loads
  std::string command_trace;  // empty: none

  void declare(Parameters& p);

  /// Accesses that all data buses together carry in a clock.
  double accesses_a_clock() const;
  /// Requests in flight, of all channels.
  std::uint64_t outstanding() const;

 private:
  void check(const Bound& bound) const;
};

}  // namespace railyard::hbm_bandwidth
