// Parameters of a host's core.
#pragma once

#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::host {

struct CoreConfig {
  Time mmio_store = 10 * kNanosecond;
  Time cache_load = 2 * kNanosecond;
  Time fence = 10 * kNanosecond;
  Rate copy_rate = Rate::gbps(80);
  Time poll_interval = 20 * kNanosecond;
  Time invalidate = 60 * kNanosecond;
  Time interrupt_latency = kMicrosecond;
  unsigned combining_buffers = 10;

  void declare(Parameters& p);
};

}  // namespace railyard::host
