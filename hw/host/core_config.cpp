#include "hw/host/core_config.h"

namespace railyard::host {

void CoreConfig::declare(Parameters& p) {
  p.add("mmio_store", mmio_store)
      .max(10 * kMicrosecond)
      .doc(
          "What each posted write to a device costs the core, a line of a write-combining buffer "
          "as much as a word (assumed)");
  p.add("cache_load", cache_load)
      .max(kMicrosecond)
      .doc(
          "What an access costs that stays in the core: a store to memory, and a line's part that "
          "goes into a write-combining buffer (assumed)");
  p.add("fence", fence)
      .max(10 * kMicrosecond)
      .doc("What a fence costs beside the writes that it sends (assumed)");
  p.add("copy_rate", copy_rate)
      .range(Rate::gbps(1), Rate::gbps(10'000))
      .doc("At most so fast does a core copy into or out of memory (assumed)");
  p.add("poll_interval", poll_interval)
      .range(kNanosecond, kMillisecond)
      .doc("From one look at a polled line to the next (assumed)");
  p.add("invalidate", invalidate)
      .max(10 * kMicrosecond)
      .doc(
          "From a write to a polled line to the first look that sees it: the core's copy is "
          "invalidated and the line fetched anew (assumed)");
  p.add("interrupt_latency", interrupt_latency)
      .max(kMillisecond)
      .doc("From an interrupt message's arrival to its handler's first instruction (assumed)");
  p.add("combining_buffers", combining_buffers)
      .range(1, 64)
      .doc("Write-combining buffers of 64 B; an x86 core has 10 to 12");
}

}  // namespace railyard::host
