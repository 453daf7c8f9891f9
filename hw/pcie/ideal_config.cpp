#include "hw/pcie/ideal_config.h"

namespace railyard::pcie {

void IdealConfig::declare(Parameters& p) {
  p.add("latency", latency)
      .range(kNanosecond, 10 * kMicrosecond)
      .doc("One way: from the function to memory, or from a core to the function");
  p.add("bandwidth", bandwidth)
      .range(Rate::gbps(1), Rate::gbps(10'000))
      .doc("Data bytes a second, in each direction");
  p.add("read_latency", read_latency)
      .max(10 * kMicrosecond)
      .doc("What a read of memory takes beside both ways, the memory and its bytes");
  p.add("register_read_latency", register_read_latency)
      .max(10 * kMicrosecond)
      .doc("From a register read's arrival in the device to its answer");
}

}  // namespace railyard::pcie
