#include "platforms/pcie_bandwidth/pcie_config.h"

#include <string>

namespace railyard::pcie_bandwidth {

namespace {

// A write and a read stream a device, each with a region of its own.
constexpr std::uint64_t kRegions = 2;

void check(const PcieConfig& config, const Bound& bound) {
  const TrafficConfig& traffic = config.traffic;
  if (traffic.memory_node >= config.host.memory.nodes) {
    bound.fail("traffic.memory_node",
               "there are " + std::to_string(config.host.memory.nodes) + " NUMA nodes",
               "write a number below that, or more host.memory.nodes");
  }
  if (traffic.peers() && config.devices % 2 != 0) {
    bound.fail("devices", "peers come in pairs", "write an even number");
  }
  const std::uint64_t region = traffic.region;
  if (traffic.peers() && region > config.device_memory.size) {
    bound.fail("traffic.region", "it is larger than a device's memory",
               "write at most device_memory.size");
  }
  if (!traffic.peers() && region > config.host.memory.size / (kRegions * config.devices)) {
    bound.fail("traffic.region",
               std::to_string(kRegions) + " for each of " + std::to_string(config.devices) +
                   " devices are larger than the memory of a node",
               "write a smaller one, or a larger host.memory.size");
  }
  if (traffic.peers() && config.host.root.iommu.enabled) {
    bound.fail("host.root.iommu", "only host memory is mapped, not what peers write to",
               "leave it disabled with this pattern");
  }
  if (!config.below_switch() && config.host.enumeration.acs_redirect) {
    bound.fail("host.enumeration.acs_redirect", "there is no switch whose ports could redirect",
               "write topology: switch, or false");
  }
}

}  // namespace

void DeviceMemoryConfig::declare(Parameters& p) {
  p.add("size", size)
      .range(kibibytes(4), 1ULL << 34)
      .accept("is not a power of two", "powers of two",
              [](const Bytes& value) { return (value & (value - 1)) == 0; })
      .doc("Memory behind BAR 4");
  p.add("latency", latency).range(kNanosecond, 10 * kMicrosecond).doc("Of an access (assumed)");
  p.add("bandwidth", bandwidth)
      .range(Rate::gbps(1), Rate::gbps(100'000))
      .doc("Reads and writes together (assumed)");
}

void PcieConfig::declare(Parameters& p) {
  p.choice("data", data,
           {{"carried", host::HostData::kCarried}, {"elided", host::HostData::kElided}})
      .doc("Whether bytes move and are checked, or are a length only; timing is the same");
  p.choice("topology", topology, {{"direct", Topology::kDirect}, {"switch", Topology::kSwitch}})
      .doc("Each device at a root port of its own, or all below one switch");
  p.add("devices", devices).range(1, 16).doc("Devices, dev0 on");
  p.group("link", link).doc("Every link");
  p.group("host", host).doc("The host");
  p.group("switch", pcie_switch).doc("The switch, if there is one");
  p.group("device", device).doc("The PCIe function of each device");
  p.group("device_memory", device_memory).doc("Memory of each device");
  p.group("traffic", traffic).doc("What devices do");
  p.check([this](const Bound& bound) { check(*this, bound); });
}

}  // namespace railyard::pcie_bandwidth
