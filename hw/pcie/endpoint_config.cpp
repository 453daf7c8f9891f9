#include "hw/pcie/endpoint_config.h"

namespace railyard::pcie {

void EndpointConfig::declare(Parameters& p) {
  p.choice("max_payload", max_payload,
           {{"128", 128U},
            {"256", 256U},
            {"512", 512U},
            {"1024", 1024U},
            {"2048", 2048U},
            {"4096", 4096U}})
      .doc("Largest payload that the function supports, bytes; the host sets the smallest of all");
  p.add("register_write_latency", register_write_latency)
      .max(10 * kMicrosecond)
      .doc("From a write's arrival to its effect in the device");
  p.add("register_read_latency", register_read_latency)
      .max(10 * kMicrosecond)
      .doc("From a register read's arrival to its answer in the port's queue");
  p.group("dma", dma).doc("What the function asks for");
  p.group("memory", memory).doc("How it answers for memory behind a BAR");
  p.group("credits", credits).doc("Credits that it advertises");
}

}  // namespace railyard::pcie
