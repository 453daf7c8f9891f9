// Parameters of a host's core.
#pragma once

#include <cstddef>

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
  /// Of the program's stack, in this process: not a key, for it is none of the model's. The kernel
  /// touches it only as far as it is used.
  std::size_t stack_bytes = std::size_t{1} << 20;

  void declare(Parameters& p);
};

}  // namespace railyard::host
