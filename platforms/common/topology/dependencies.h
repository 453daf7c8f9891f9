// Cyclic buffer dependencies: the necessary condition of a PFC deadlock (Dally and Seitz, IEEE
// Transactions on Computers 1987).
#pragma once

#include <vector>

#include "platforms/common/topology/routes.h"
#include "platforms/common/topology/topology.h"

namespace railyard {

/// Egress ports of switches, each of which can wait for the next, and the last for the first, when
/// the frames of all pairs of hosts follow `routes`. Empty if there is no such cycle: then no
/// deadlock is possible on one priority. Links to and from hosts cannot be part of one.
std::vector<Topology::Port> find_dependency_cycle(const Topology& topology, const Routes& routes);

}  // namespace railyard
