// Topologies written node by node and link by link. Included by topology_config.cpp alone.
#pragma once

#include "platforms/common/topology/topology_config.h"

namespace railyard {

/// Throws ConfigError at the place of the first node or link that is wrong.
Topology explicit_topology(const TopologyConfig& config, const LinkConfig& link);

}  // namespace railyard
