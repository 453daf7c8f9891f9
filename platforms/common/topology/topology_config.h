// A topology as the configuration writes it: `topology: {kind: star, hosts: 9}`, or node by node
// and link by link. Each kind has its own keys; a key of another kind is refused. Whatever cannot
// be built is refused when it is bound, with its place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/common/topology/routes.h"
#include "platforms/common/topology/topology.h"
#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/config/parameters.h"
#include "tlm/link/link_config.h"

namespace railyard {

/// "sw0.3": a port by the name of its node.
struct PortName {
  std::string node;
  std::uint32_t port = 0;
};

template <>
struct ScalarType<PortName> {
  static constexpr bool kText = true;
  static std::string name() { return "port"; }
  static std::string example() { return "sw0.3"; }
  static PortName parse(const std::string& text);
  static std::string format(const PortName& value) {
    return value.node + "." + std::to_string(value.port);
  }
};

struct NodeConfig {
  bool is_switch = false;
  std::optional<std::uint32_t> ports;  // default: host 1; switch as many as are cabled, at least 4
  std::optional<Rate> rate;            // of its ports, to be checked against links and peers
  std::optional<std::uint32_t> tier;   // of a switch; default 1
  Mark where;

  void declare(Parameters& p);
};

struct CableConfig {
  PortName from;
  PortName to;
  std::optional<Rate> rate;  // default: what an end declares, else that of all links
  std::optional<Length> length;
  Mark where;

  void declare(Parameters& p);
};

struct TopologyConfig {
  TopologyKind kind = TopologyKind::kStar;
  RoutingMode routing = RoutingMode::kShortest;

  std::optional<std::uint32_t> hosts;
  std::optional<std::uint32_t> leaves;
  std::optional<std::uint32_t> spines;
  std::optional<std::uint32_t> switches;
  std::optional<std::uint32_t> hosts_per_switch;
  std::optional<std::uint32_t> k;
  std::optional<std::uint32_t> nics_per_host;
  std::optional<std::uint32_t> groups;
  std::optional<std::uint32_t> routers_per_group;
  std::optional<std::uint32_t> global_links_per_router;
  std::vector<std::uint32_t> dims;
  std::optional<std::uint32_t> radix;
  std::optional<Rate> fabric_rate;
  std::optional<Length> fabric_length;

  std::map<std::string, NodeConfig> nodes;
  std::vector<CableConfig> links;

  /// To be declared as the group "topology". A default that the platform gave and that the chosen
  /// kind does not have is dropped.
  void declare(Parameters& p);
};

/// Refuses a key of the topology: (key, problem, remedy). Does not return.
using RefuseKey = std::function<void(const std::string&, const std::string&, const std::string&)>;

/// Refuses what build_topology could not build.
void check_topology(const TopologyConfig& config, const RefuseKey& refuse);

/// Throws ConfigError as check_topology does. `link` gives rate and length where none is written.
Topology build_topology(const TopologyConfig& config, const LinkConfig& link);

}  // namespace railyard
