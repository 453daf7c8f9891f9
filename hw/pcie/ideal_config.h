// Parameters of PCIe without packets: what one function's way to the host costs.
#pragma once

#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

/// By default the bandwidth is what the modelled way leaves with its own defaults: 57.6 GB/s of a
/// link of generation 5, 16 lanes, with payloads of 256 B. Reads of memory take about as long as
/// modelled; registers are reached sooner, as one latency serves both directions and both ends.
struct IdealConfig {
  Time latency = 150 * kNanosecond;
  Rate bandwidth = Rate{460'800'000'000, 1};
  Time read_latency = 50 * kNanosecond;
  Time register_read_latency = 350 * kNanosecond;

  void declare(Parameters& p);
};

}  // namespace railyard::pcie
