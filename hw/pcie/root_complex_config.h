// Parameters of a root complex, whose defaults with those of the links (LinkConfig), the switches
// (SwitchConfig), the endpoints (EndpointConfig) and the memory (HostMemoryConfig) are the shipped
// profile of latencies. Published are only whole ways, of servers: a DMA read 400 to 900 ns, a
// doorbell 200 to 400 ns, a register read 0.7 to 1.2 us, an IOMMU's miss about 330 ns more
// (iommu.miss_latency), a remote NUMA node about 100 ns more (memory.remote_latency). The parts
// are assumed, such that the sums lie in these ranges: link 80 ns each way, request 130 ns, memory
// 90 ns, reply 50 ns make a DMA read of 64 B 432 ns; outbound 90 ns, a device's write 50 ns and a
// core's store 10 ns make a doorbell 230 ns; a device's read 350 ns and answer 90 ns make a
// register read 821 ns. A switch adds 110 ns and a link's 80 ns a crossing (assumed).
#pragma once

#include <cstdint>

#include "hw/pcie/completer.h"
#include "hw/pcie/iommu.h"
#include "hw/pcie/link_config.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

struct RootComplexConfig {
  std::uint32_t max_payload = 256;
  Time request_latency = 130 * kNanosecond;
  Time outbound_latency = 90 * kNanosecond;
  Time answer_latency = 90 * kNanosecond;
  std::uint32_t posted_writes = 32;
  Time completion_timeout = 50 * kMillisecond;
  CompleterConfig completer;
  IommuConfig iommu;
  CreditConfig credits;

  void declare(Parameters& p);
};

}  // namespace railyard::pcie
