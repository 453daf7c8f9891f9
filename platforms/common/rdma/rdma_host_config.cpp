#include "platforms/common/rdma/rdma_host_config.h"

#include <algorithm>

#include "hw/congestion/dcqcn.h"
#include "hw/nic/nic_profile.h"
#include "tlm/base/error.h"

namespace railyard::rdma {

namespace {

constexpr std::uint32_t kRoceHeaders = 96;  // what a path MTU must leave of an interface's

/// What TLPs of the largest payload that hosts usually set leave of a link, in whole Mb/s.
Rate bandwidth_of(const pcie::LinkConfig& link) {
  constexpr std::uint64_t kPayload = 256;
  constexpr std::uint64_t kOverhead = 24;
  constexpr std::uint64_t kMega = 1'000'000;
  const Rate rate = link.rate();
  const std::uint64_t bits = rate.numerator() / rate.denominator();
  return Rate::bits_per_second(bits * kPayload / (kPayload + kOverhead) / kMega * kMega);
}

}  // namespace

void NicKeys::declare(Parameters& p) {
  NicConfig::declare(p);
  p.choice("path_mtu", path_mtu,
           {{"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}, {"4096", 4096}})
      .doc("Largest payload of a packet of queue pairs, bytes");
  p.choice("ip", ip, {{"ipv4", IpVersion::k4}, {"ipv6", IpVersion::k6}})
      .doc("Family of the NICs' addresses");
}

void SlowHostConfig::declare(Parameters& p) {
  p.add("host", host).required().doc("Its name, such as h1");
  p.add("memory_bandwidth", memory_bandwidth)
      .range(Rate::gbps(1), Rate::gbps(100'000))
      .doc("Of its memory; none: as all hosts");
  p.add("pcie_generation", pcie_generation).range(3, 5).doc("Of its NIC's link; none: as all");
  p.add("pcie_lanes", pcie_lanes)
      .range(1, 16)
      .accept("is no width of a link", "1 | 2 | 4 | 8 | 16",
              [](unsigned lanes) { return (lanes & (lanes - 1)) == 0; })
      .doc("Of its NIC's link; none: as all");
  p.where(mark);
  p.check([this](const Bound& bound) {
    if (memory_bandwidth || pcie_generation || pcie_lanes) return;
    bound.fail("host", "nothing makes it slow", "write memory_bandwidth or pcie_lanes");
  });
}

RdmaHostConfig::RdmaHostConfig() {
  const auto nothing = [](const std::string& /*key*/) { return false; };
  nic::apply_profile(nic, nic.profile, nothing);
}

void RdmaHostConfig::declare(Parameters& p) {
  p.choice("pcie", pcie, {{"modelled", PcieWay::kModelled}, {"ideal", PcieWay::kIdeal}})
      .doc("Links and TLPs as in the standard, or latency, bandwidth and order alone (host.ideal)");
  p.group("pcie_link", pcie_link).doc("Between every host and its NIC; the NIC's profile sets it");
  p.group("host", host).doc("All hosts");
  p.group("nic", nic).doc("All NICs");
  p.group("verbs", verbs).doc("What verbs take on a core");
  p.list("slow", slow).doc("Hosts that differ from the others");
}

void RdmaHostConfig::resolve(const Bound& bound, LinkConfig& link) {
  const nic::HostSlot slot = nic::host_slot(nic.profile);
  if (!bound.has("link.rate")) link.rate = slot.rate;
  if (!bound.has("pcie_link.generation")) pcie_link.generation = slot.generation;
  if (!bound.has("pcie_link.lanes")) pcie_link.lanes = slot.lanes;
  if (!bound.has("pcie_link.latency")) pcie_link.latency = slot.link_latency;
  if (!bound.has("host.root.request_latency")) host.root.request_latency = slot.request_latency;
  if (!bound.has("host.root.outbound_latency")) host.root.outbound_latency = slot.outbound_latency;
  if (!bound.has("host.root.completer.reply_latency")) {
    host.root.completer.reply_latency = slot.reply_latency;
  }
  if (!bound.has("host.memory.latency")) host.memory.latency = slot.memory_latency;
  if (!bound.has("host.core.invalidate")) host.core.invalidate = slot.invalidate;
  if (!bound.has("host.ideal.bandwidth")) host.ideal.bandwidth = bandwidth_of(pcie_link);
  if (nic.path_mtu + kRoceHeaders > nic.interface_mtu) {
    bound.fail(
        "nic.path_mtu",
        "it leaves less than 96 B of an interface MTU of " + std::to_string(nic.interface_mtu),
        "write a smaller one, or a larger nic.interface_mtu");
  }
  for (const SlowHostConfig& one : slow) {
    if (pcie == PcieWay::kModelled || (!one.pcie_generation && !one.pcie_lanes)) continue;
    bound.fail("slow", "an ideal PCIe has neither generation nor width",
               "write memory_bandwidth, or pcie: modelled");
  }
}

void RdmaHostConfig::control(const CongestionConfig& congestion, const Topology& built,
                             const Bound& bound) {
  congestion.refuse_unused(bound);
  nic.congestion = congestion;
  nic.cnp.follow(congestion, bound, "nic.cnp");
  if (!congestion.controls() && !nic.cnp.enabled) return;
  if (nic.limits.qps > Dcqcn::kMostQueuePairs) {
    bound.fail("nic.limits.qps",
               "a port's congestion control holds at most " +
                   std::to_string(Dcqcn::kMostQueuePairs) + " queue pairs",
               "write less, or congestion.algorithm: none and no nic.cnp");
  }
  if (congestion.controls()) check_controlled_rates(built, bound);
}

bool RdmaHostConfig::slower_than(Rate line) const {
  const Rate link = pcie == PcieWay::kIdeal ? host.ideal.bandwidth : bandwidth_of(pcie_link);
  const double least = std::min(link.bits_per_second(), host.memory.bandwidth.bits_per_second());
  return least < line.bits_per_second();
}

void RdmaHostConfig::check_slow(const Topology& topology) const {
  for (const SlowHostConfig& one : slow) {
    const auto node = topology.find(one.host);
    if (node && *node < topology.hosts()) continue;
    throw ConfigError(one.mark.place(), "slow: there is no host " + one.host,
                      "write a host of the topology, such as h0");
  }
}

RdmaHostConfig RdmaHostConfig::of_host(const std::string& name) const {
  RdmaHostConfig config = *this;
  for (const SlowHostConfig& one : slow) {
    if (one.host != name) continue;
    if (one.memory_bandwidth) config.host.memory.bandwidth = *one.memory_bandwidth;
    if (one.pcie_generation) config.pcie_link.generation = *one.pcie_generation;
    if (one.pcie_lanes) config.pcie_link.lanes = *one.pcie_lanes;
  }
  return config;
}

}  // namespace railyard::rdma
