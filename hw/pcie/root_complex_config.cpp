#include "hw/pcie/root_complex_config.h"

namespace railyard::pcie {

void RootComplexConfig::declare(Parameters& p) {
  p.choice("max_payload", max_payload, {{"128", 128U}, {"256", 256U}, {"512", 512U}})
      .doc("Largest payload that the root ports support, bytes");
  p.add("request_latency", request_latency)
      .max(10 * kMicrosecond)
      .doc(
          "From a device's TLP at a root port to memory, to another root port's queue, or to "
          "cores");
  p.add("outbound_latency", outbound_latency)
      .max(10 * kMicrosecond)
      .doc("From a core's access of a device to the root port's queue");
  p.add("answer_latency", answer_latency)
      .max(10 * kMicrosecond)
      .doc("What a device's completion takes from there to the core");
  p.add("posted_writes", posted_writes)
      .range(1, 1024)
      .doc("Writes of cores that a root port holds before the line; then cores wait");
  p.add("completion_timeout", completion_timeout)
      .range(50 * kMicrosecond, 64 * kSecond)
      .doc("A core's read that no device answers in this time reads as all ones");
  p.group("completer", completer).doc("How reads of memory are answered");
  p.group("iommu", iommu).doc("Translation of devices' addresses");
  p.group("credits", credits).doc("Credits that each root port advertises");
}

}  // namespace railyard::pcie
