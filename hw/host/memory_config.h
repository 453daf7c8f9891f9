// Parameters of a host's memory.
#pragma once

#include <cstdint>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::host {

struct HostMemoryConfig {
  unsigned nodes = 1;
  Bytes base = 0;
  Bytes size = 1ULL << 30;
  Time latency = 90 * kNanosecond;
  Time remote_latency = 100 * kNanosecond;
  Rate bandwidth = Rate::gbps(1600);

  void declare(Parameters& p);

  /// The range of all nodes.
  std::uint64_t total() const { return size * nodes; }
  std::uint64_t end() const { return base + total(); }
};

}  // namespace railyard::host
