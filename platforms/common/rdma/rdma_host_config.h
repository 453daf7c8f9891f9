// The keys of hosts with NICs: the host, the way to its NIC, the NIC, its software.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/congestion_config.h"
#include "hw/host/host_config.h"
#include "hw/nic/nic_config.h"
#include "hw/pcie/link_config.h"
#include "platforms/common/fabric/fabric_config.h"
#include "platforms/common/topology/topology.h"
#include "sw/verbs/verbs_config.h"
#include "tlm/config/parameters.h"

namespace railyard::rdma {

enum class PcieWay : std::uint8_t { kModelled, kIdeal };

/// The group `nic`: a NIC's own keys, and those of its queue pairs and addresses.
struct NicKeys : nic::NicConfig {
  std::uint32_t path_mtu = 4096;
  IpVersion ip = IpVersion::k4;

  void declare(Parameters& p);
};

/// A host that is slower than the others.
struct SlowHostConfig {
  std::string host;
  std::optional<Rate> memory_bandwidth;
  std::optional<unsigned> pcie_generation;
  std::optional<unsigned> pcie_lanes;
  Mark mark;

  void declare(Parameters& p);
};

struct RdmaHostConfig {
  /// The numbers of the default profile.
  RdmaHostConfig();

  DataMode data = DataMode::kCarried;  // not a key here: the platform's
  PcieWay pcie = PcieWay::kModelled;
  pcie::LinkConfig pcie_link;
  host::HostConfig host;
  NicKeys nic;
  verbs::VerbsConfig verbs;
  std::vector<SlowHostConfig> slow;

  /// Declares its keys among the caller's, who calls resolve() in a check of its own.
  void declare(Parameters& p);
  /// What follows from the profile and is not written: generation, width and latencies of PCIe and
  /// host, the bandwidth of an ideal PCIe, the rate of `link`. Refuses what does not fit together.
  void resolve(const Bound& bound, LinkConfig& link);
  /// How their NICs control congestion; refuses what they cannot.
  void control(const CongestionConfig& congestion, const Topology& built, const Bound& bound);

  /// Whether a host takes less than a line of that rate brings: its PCIe or memory is slower.
  bool slower_than(Rate line) const;

  /// ConfigError, at its place, for a slow host that is not there.
  void check_slow(const Topology& topology) const;
  /// Of one host by its name.
  RdmaHostConfig of_host(const std::string& name) const;
};

}  // namespace railyard::rdma
