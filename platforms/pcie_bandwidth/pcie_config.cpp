#include "platforms/pcie_bandwidth/pcie_config.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/config/parameters.h"

namespace railyard::pcie_bandwidth {

namespace {

// A write and a read stream a device, each with a region of its own.
constexpr std::uint64_t kRegions = 2;

/// A TLP of the largest payload that the host will set needs its credits at once.
void check_credits(const PcieConfig& config, const Bound& bound) {
  constexpr std::uint64_t kUnit = 16;
  std::uint64_t payload = std::min(config.host.root.max_payload, config.device.max_payload);
  if (config.below_switch()) {
    payload = std::min<std::uint64_t>(payload, config.pcie_switch.max_payload);
  }
  const std::pair<const char*, const pcie::CreditConfig*> receivers[] = {
      {"host.root.credits.posted_data", &config.host.root.credits},
      {"device.credits.posted_data", &config.device.credits},
      {"switch.credits.posted_data", &config.pcie_switch.credits}};
  for (const auto& [key, credits] : receivers) {
    if (credits->posted_data * kUnit >= payload) continue;
    bound.fail(key, "a TLP of " + std::to_string(payload) + "B would wait for ever",
               "write at least " + std::to_string(payload / kUnit));
  }
}

/// Refuses what a group has and did not have by default, wherever it lies in it.
void check_unused(const Bound& bound, const std::string& path, const Node& now, const Node& usual,
                  const std::string& setting) {
  for (const Member& member : now.members) {
    const std::string key = path + "." + member.key;
    const Node* before = usual.find(member.key);
    if (before != nullptr && before->kind == Node::Kind::kMap) {
      check_unused(bound, key, member.value, *before, setting);
    } else {
      bound.needs(key, before == nullptr || before->text != member.value.text, setting);
    }
  }
}

template <class T>
void check_unused(const Bound& bound, const std::string& group, const T& config,
                  const std::string& setting) {
  check_unused(bound, group, dump_config(config), dump_config(T{}), setting);
}

/// One key changes the way: what shapes the modelled one may stand, but for what an ideal one
/// lacks.
void check_way(const PcieConfig& config, const Bound& bound) {
  if (!config.ideal()) {
    check_unused(bound, "host.ideal", config.host.ideal, "pcie: ideal");
    return;
  }
  const std::string setting = "pcie: modelled";
  bound.needs("topology", config.below_switch(), setting);
  bound.needs("host.root.iommu.enabled", config.host.root.iommu.enabled, setting);
}

void check(const PcieConfig& config, const Bound& bound) {
  check_way(config, bound);
  check_credits(config, bound);
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
    bound.fail("host.root.iommu.enabled", "only host memory is mapped, not what peers write to",
               "leave it disabled with this pattern");
  }
  const host::HostMemoryConfig& memory = config.host.memory;
  const pcie::IommuConfig& iommu = config.host.root.iommu;
  if (iommu.enabled &&
      (memory.base % iommu.page_size != 0 || memory.total() % iommu.page_size != 0)) {
    bound.fail("host.root.iommu.page_size", "the host's memory is no whole number of such pages",
               "write a smaller one, or a multiple of it for host.memory.size");
  }
  if (config.device_memory.size > config.host.map.mmio64_size / config.devices) {
    bound.fail("device_memory.size",
               "the memory of " + std::to_string(config.devices) +
                   " devices is larger than the window for it",
               "write a smaller one, or a larger host.map.mmio64_size");
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
  p.choice("data", data, {{"carried", DataMode::kCarried}, {"elided", DataMode::kElided}})
      .doc("Whether bytes move and are checked, or are a length only; timing is the same");
  p.choice("pcie", pcie, {{"modelled", Pcie::kModelled}, {"ideal", Pcie::kIdeal}})
      .doc("Links and TLPs as in the standard, or latency, bandwidth and order alone (host.ideal)");
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
