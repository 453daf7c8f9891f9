// What the analysis of congestion is told of a tester fabric: its ports, and which of them each
// flow can pass.
#include <utility>

#include "platforms/common/fabric/modules.h"
#include "platforms/common/fabric/tester_fabric.h"

namespace railyard {

void TesterFabric::watch_congestion(const Routes& routes) {
  std::vector<FlowPath> paths;
  paths.reserve(flows_.size());
  for (const FlowConfig& flow : flows_) {
    const FlowEnds& ends = flow_ends_[flow.index];
    paths.push_back({flow.index, network_.port_number(topology_.endpoints()[ends.source].nic),
                     network_.port_number(topology_.endpoints()[ends.destination].nic),
                     flow.priority, network_.egresses(routes, ends.source, ends.destination),
                     flow.start});
  }
  congestion_ = std::make_unique<CongestionMonitor>(
      network_.pause_ports(), std::move(paths),
      [this](std::size_t flow) { return ended(flow) ? completed_at(flow) : kForever; });
}

}  // namespace railyard
