// Topologies from YAML text, and walks over their routes, for the tests.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/common/topology/topology_config.h"
#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"

namespace railyard {

/// What a platform declares.
struct FabricConfig {
  LinkConfig link;
  TopologyConfig topology;

  void declare(Parameters& p) {
    p.group("link", link);
    p.group("topology", topology);
  }
};

inline FabricConfig bound_fabric(const std::string& text) {
  FabricConfig config;
  bind_config(read_yaml_text(text, "f.yaml"), config);
  return config;
}

/// `keys` is what stands in the braces of "topology: {}".
inline Topology built(const std::string& keys) {
  const FabricConfig config = bound_fabric("topology: {" + keys + "}");
  return build_topology(config.topology, config.link);
}

inline std::string refusal(const std::string& text) {
  try {
    bound_fabric(text);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

/// Paths from switch to switch along the ports for `endpoint`.
inline std::uint64_t count_paths(const Topology& topology, const Routes& routes, std::uint32_t node,
                                 std::uint32_t endpoint) {
  if (node == topology.endpoints()[endpoint].at.node) return 1;
  std::uint64_t paths = 0;
  for (const std::uint16_t port : routes.ports(node, endpoint)) {
    paths += count_paths(topology, routes, topology.peer({node, port})->node, endpoint);
  }
  return paths;
}

/// Which channel may wait for which.
using Dependencies = std::map<std::pair<Topology::Port, std::uint32_t>,
                              std::set<std::pair<Topology::Port, std::uint32_t>>>;

/// True if removing nodes that wait for nothing, again and again, leaves some.
inline bool has_cycle(Dependencies graph) {
  std::size_t before = 0;
  do {
    before = graph.size();
    for (auto it = graph.begin(); it != graph.end();) {
      std::set<std::pair<Topology::Port, std::uint32_t>>& waits = it->second;
      for (auto next = waits.begin(); next != waits.end();) {
        next = graph.count(*next) == 0 ? waits.erase(next) : std::next(next);
      }
      it = waits.empty() ? graph.erase(it) : std::next(it);
    }
  } while (graph.size() != before);
  return !graph.empty();
}

}  // namespace railyard
