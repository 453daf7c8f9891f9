// The keys of rdma_perf.
#pragma once

#include <string>
#include <vector>

#include "hw/congestion/congestion_config.h"
#include "hw/eth_switch/switch_config.h"
#include "platforms/common/rdma/rdma_host_config.h"
#include "platforms/common/topology/topology_config.h"
#include "platforms/rdma_perf/program.h"
#include "platforms/rdma_perf/test_config.h"
#include "tlm/link/link_config.h"

namespace railyard::rdma_perf {

struct RdmaPerfConfig {
  RdmaPerfConfig();

  DataMode data = DataMode::kCarried;
  TestConfig test;
  LinkConfig link;
  TopologyConfig topology;
  CongestionConfig congestion;
  SwitchConfig switches;
  rdma::RdmaHostConfig hosts;

  void declare(Parameters& p);

 private:
  void resolve(const Bound& bound);
};

/// A pair of hosts by their nodes, which are their endpoints too.
struct HostPair {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
};

/// ConfigError, at its place, for a host that is not there, twice a pair, or on both sides.
std::vector<HostPair> pairs_of(const RdmaPerfConfig& config, const Topology& topology);

}  // namespace railyard::rdma_perf
