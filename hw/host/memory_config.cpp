#include "hw/host/memory_config.h"

namespace railyard::host {

void HostMemoryConfig::declare(Parameters& p) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kMost = 1ULL << 48;
  const auto whole_pages = [](const Bytes& value) { return value % kPage == 0; };
  p.add("nodes", nodes).range(1, 16).doc("NUMA nodes, each with memory, cores and root ports");
  p.add("base", base)
      .max(kMost)
      .accept("is not a multiple of 4KiB", "multiples of 4KiB", whole_pages)
      .doc("Physical address of the first node's first byte; the nodes lie one behind another");
  p.add("size", size)
      .range(kPage, kMost)
      .accept("is not a multiple of 4KiB", "multiples of 4KiB", whole_pages)
      .doc("Memory of a node; only what is written takes the simulator's own");
  p.add("latency", latency)
      .range(kNanosecond, 10 * kMicrosecond)
      .doc("Of an access from the memory's own node, once the memory is free (assumed)");
  p.add("remote_latency", remote_latency)
      .max(10 * kMicrosecond)
      .doc("What an access from another node takes longer; published figures lie about 100ns");
  p.add("bandwidth", bandwidth)
      .range(Rate::gbps(1), Rate::gbps(100'000))
      .doc("Of a node, reads and writes together (assumed: 8 channels of DDR5, not all of it)");
}

}  // namespace railyard::host
