// The flows that pauses held through no doing of their own.
#pragma once

#include <vector>

#include "platforms/common/congestion/congestion.h"
#include "platforms/common/congestion/pause_graph.h"

namespace railyard {

/// Worst first, then by number; `tree` is the index of the root in the graph.
std::vector<VictimFlow> find_victims(const PauseGraph& graph, const std::vector<PausePort>& ports,
                                     const std::vector<FlowPath>& flows, Time now);

}  // namespace railyard
