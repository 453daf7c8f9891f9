#include "platforms/rdma_perf/rdma_perf_config.h"

#include <algorithm>

#include "hw/nic/nic_abi.h"
#include "tlm/base/error.h"

namespace railyard::rdma_perf {

namespace {

/// A connection's memory on each side: a half to send from, a half to receive into.
std::uint64_t memory_of(const TestConfig& test) {
  std::uint64_t largest = 4096;  // a page
  for (const Bytes& size : test.sizes) largest = std::max<std::uint64_t>(largest, size);
  const std::uint64_t groups = test.mixed ? test.sizes.size() : 1;
  const std::uint64_t pairs = std::max<std::uint64_t>(test.pairs.size(), 1);
  return 2 * largest * groups * pairs * test.qps;
}

void check_limits(const RdmaPerfConfig& config, const Bound& bound) {
  const TestConfig& test = config.test;
  const nic::LimitsConfig& limits = config.hosts.nic.limits;
  const std::uint64_t groups = test.mixed ? test.sizes.size() : 1;
  const std::uint64_t pairs = std::max<std::uint64_t>(test.pairs.size(), 1);
  if (test.qps * groups * pairs > limits.qps) {
    bound.fail("qps", "a NIC has at most " + std::to_string(limits.qps) + " queue pairs",
               "write less, or a larger nic.limits.qps");
  }
  constexpr std::uint64_t kBlock = nic::abi::kWqeBytes;
  constexpr std::uint64_t kHeader = 36;  // control, remote address, length
  const std::uint64_t blocks = (kHeader + test.inline_bytes + kBlock - 1) / kBlock;
  if (test.depth * blocks > 1ULL << limits.log_wqes) {
    bound.fail("depth",
               "work requests of " + std::to_string(blocks) + " basic blocks do not fit into 2^" +
                   std::to_string(limits.log_wqes),
               "write less, or a larger nic.limits.log_wqes");
  }
  if (memory_of(test) > config.hosts.host.memory.size / 2) {
    bound.fail("sizes", "the buffers of all queue pairs are larger than half of a host's memory",
               "write smaller ones, less qps, or a larger host.memory.size");
  }
  const std::uint32_t largest_mtu =
      std::max({config.hosts.nic.path_mtu, test.policy.below == 0 ? 0 : test.policy.small_mtu,
                test.policy.below == 0 ? 0 : test.policy.bulk_mtu});
  if (largest_mtu + 96 > config.hosts.nic.interface_mtu) {
    bound.fail("policy",
               "a path MTU of " + std::to_string(largest_mtu) +
                   " leaves less than 96 B of nic.interface_mtu",
               "write a smaller one, or a larger nic.interface_mtu");
  }
}

}  // namespace

RdmaPerfConfig::RdmaPerfConfig() { topology.kind = TopologyKind::kBackToBack; }

void RdmaPerfConfig::declare(Parameters& p) {
  p.choice("data", data, {{"carried", DataMode::kCarried}, {"elided", DataMode::kElided}})
      .doc("Whether payload bytes move and are checked, or are a length only; timing is the same");
  test.declare(p);
  p.group("link", link).doc("All cables of the fabric; the NIC's profile sets their rate");
  p.group("topology", topology).doc("Hosts, switches, and cables between them");
  p.group("congestion", congestion)
      .doc("Congestion control of the NICs, and the blocks that PFC and ECN have too");
  p.group("switch", switches).doc("All switches");
  hosts.declare(p);
  p.check([this](const Bound& bound) { resolve(bound); });
}

void RdmaPerfConfig::resolve(const Bound& bound) {
  hosts.resolve(bound, link);
  hosts.data = data;
  test.path_mtu = hosts.nic.path_mtu;
  const bool looks_at_memory = test.measure == Measure::kLatency && test.test == TestKind::kWrite;
  if (looks_at_memory && data == DataMode::kElided) {
    bound.fail("data", "the latency of a WRITE is seen by its last byte", "write data: carried");
  }
  check_limits(*this, bound);
  const Topology built = build_topology(topology, link);
  hosts.control(congestion, built, bound);
  if (built.endpoints().size() != built.hosts()) {
    bound.fail("topology", "hosts have one NIC here", "take a kind with one port a host");
  }
  pairs_of(*this, built);
}

std::vector<HostPair> pairs_of(const RdmaPerfConfig& config, const Topology& topology) {
  std::vector<HostPair> pairs;
  if (config.test.pairs.empty()) {
    if (topology.hosts() < 2) {
      throw ConfigError("", "topology: there is one host", "write a topology of two or more");
    }
    return {{0, topology.hosts() - 1}};
  }
  for (const PairConfig& pair : config.test.pairs) {
    const auto find = [&](const std::string& name) {
      const auto node = topology.find(name);
      if (node && *node < topology.hosts()) return *node;
      throw ConfigError(pair.mark.place(), "pairs: there is no host " + name,
                        "accepted: " + topology.nodes().front().name + " to " +
                            topology.nodes()[topology.hosts() - 1].name);
    };
    pairs.push_back({find(pair.client), find(pair.server)});
    const HostPair added = pairs.back();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool again = i + 1 < pairs.size() && pairs[i].client == added.client &&
                         pairs[i].server == added.server;
      if (again) {
        throw ConfigError(pair.mark.place(), "pairs: this pair stands there twice",
                          "write it once, with more qps");
      }
      if (pairs[i].client == added.server || pairs[i].server == added.client) {
        throw ConfigError(pair.mark.place(),
                          "pairs: a host is client and server, and its one program is either",
                          "write another host, or bidirectional: true");
      }
    }
  }
  return pairs;
}

}  // namespace railyard::rdma_perf
