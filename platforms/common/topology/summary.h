// What a topology is, in a few words, for logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/common/topology/routes.h"
#include "platforms/common/topology/topology.h"

namespace railyard {

/// Bits a second, one way, between halves of the hosts, of a star, leaf-spine or fat tree; closed
/// form, the hosts' links included. None for other kinds.
std::optional<std::uint64_t> bisection_bandwidth(const Topology& topology);

/// The most links between switches on a shortest path from host to host.
std::uint32_t diameter(const Topology& topology);

/// "leaf_spine: 16 hosts, 6 switches (4 leaf, 2 spine), 24 links, diameter 2, ..." in one line.
std::string summary(const Topology& topology, const Routes& routes);

}  // namespace railyard
