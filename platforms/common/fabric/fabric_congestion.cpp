// What the analysis of congestion is told of a tester fabric: its ports, and which of them each
// flow can pass.
#include <algorithm>
#include <utility>

#include "platforms/common/fabric/modules.h"
#include "platforms/common/fabric/tester_fabric.h"

namespace railyard {

void TesterFabric::watch_congestion(const Routes& routes) {
  for (const Topology::Link& link : topology_.links()) {
    port_numbers_.emplace(link.a, port_numbers_.size());
    port_numbers_.emplace(link.b, port_numbers_.size());
  }
  std::vector<PausePort> ports(port_numbers_.size());
  for (const auto& [at, number] : port_numbers_) {
    PausePort& port = ports[number];
    port.name = port_name(at);
    port.peer = port_numbers_.at(*topology_.peer(at));
    port.host = at.node < topology_.hosts();
    if (port.host) {
      port.log = &hosts_[at.node]->nic(at.port).pause_log();
    } else {
      port.log = &switches_[at.node - topology_.hosts()]->pause_log();
      port.number = static_cast<std::uint16_t>(at.port);
    }
  }
  std::vector<FlowPath> paths;
  paths.reserve(flows_.size());
  for (const FlowConfig& flow : flows_) {
    const FlowEnds& ends = flow_ends_[flow.index];
    paths.push_back({flow.index, port_numbers_.at(topology_.endpoints()[ends.source].nic),
                     port_numbers_.at(topology_.endpoints()[ends.destination].nic), flow.priority,
                     egresses_of(routes, ends), flow.start});
  }
  congestion_ = std::make_unique<CongestionMonitor>(
      std::move(ports), std::move(paths),
      [this](std::size_t flow) { return ended_at(flow, kForever); });
}

/// All ports on all its routes: which of them load balancing takes is not known.
std::vector<std::size_t> TesterFabric::egresses_of(const Routes& routes,
                                                   const FlowEnds& flow) const {
  std::vector<std::size_t> egresses;
  std::vector<std::uint32_t> nodes = {topology_.endpoints()[flow.source].at.node};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint16_t port : routes.ports(nodes[i], flow.destination)) {
      const Topology::Port at{nodes[i], port};
      egresses.push_back(port_numbers_.at(at));
      const std::uint32_t next = topology_.peer(at)->node;
      if (next < topology_.hosts()) continue;
      if (std::find(nodes.begin(), nodes.end(), next) == nodes.end()) nodes.push_back(next);
    }
  }
  return egresses;
}

}  // namespace railyard
