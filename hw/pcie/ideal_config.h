// Parameters of PCIe without packets: what one function's way to the host costs.
#pragma once

#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

/// By default what the modelled way takes with its own defaults: a link of generation 5, 16 lanes,
/// with payloads of 256 B, of which headers, framing and data link layer packets leave 57.6 GB/s.
struct IdealConfig {
  Time latency = 150 * kNanosecond;
  Rate bandwidth = Rate{460'800'000'000, 1};
  Time read_latency = 50 * kNanosecond;
  Time register_read_latency = 350 * kNanosecond;

  void declare(Parameters& p);
};

}  // namespace railyard::pcie
