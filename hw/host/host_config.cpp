#include "hw/host/host_config.h"

namespace railyard::host {

void HostConfig::declare(Parameters& p) {
  p.group("memory", memory).doc("Memory");
  p.group("map", map).doc("Where devices and configuration space are in the address space");
  p.group("core", core).doc("What a program's accesses cost on a core");
  p.add("root_node", root_node)
      .max(15)
      .doc("NUMA node that the root complex, or ideal PCIe, is at");
  p.group("root", root).doc("Root complex");
  p.group("ideal", ideal)
      .doc("What is in its place with ideal PCIe: each device's way to the host");
  p.group("enumeration", enumeration).doc("What the host sets when it finds its devices");
  p.check([this](const Bound& bound) {
    if (root_node < memory.nodes) return;
    bound.fail("root_node", "there are " + std::to_string(memory.nodes) + " NUMA nodes",
               "write a number below that, or more memory.nodes");
  });
}

}  // namespace railyard::host
