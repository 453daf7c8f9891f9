#include "platforms/common/topology/topology_config.h"

#include <algorithm>
#include <utility>

#include "platforms/common/topology/explicit.h"
#include "platforms/common/topology/generators.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

using Kind = TopologyKind;
using Kinds = std::vector<Kind>;

// Before those with switches, before those with links between switches.
constexpr Kind kAllKinds[] = {Kind::kExplicit,  Kind::kBackToBack, Kind::kStar,
                              Kind::kLeafSpine, Kind::kFatTree,    Kind::kRailOptimised,
                              Kind::kRing,      Kind::kTorus,      Kind::kDragonfly};

/// A key that is a count.
struct Count {
  const char* name;
  std::optional<std::uint32_t> TopologyConfig::*value;
  std::uint32_t min;
  std::uint32_t max;
  Kinds required;
  Kinds optional;
  const char* doc;
};

const std::vector<Count>& counts() {
  using C = TopologyConfig;
  constexpr std::uint32_t kMany = 1'000'000;  // keeps products of three in 64 bits
  static const Kinds kGenerated(std::begin(kAllKinds) + 2, std::end(kAllKinds));
  static const std::vector<Count> kTable = {
      {"hosts", &C::hosts, 1, kMany, {Kind::kStar, Kind::kRailOptimised}, {}, "Hosts"},
      {"leaves", &C::leaves, 1, kMany, {Kind::kLeafSpine}, {}, "Leaf switches"},
      {"spines",
       &C::spines,
       1,
       kMany,
       {Kind::kLeafSpine},
       {Kind::kRailOptimised},
       "Spine switches, each with a link to every leaf or rail; rail_optimised: none by default"},
      {"switches", &C::switches, 3, kMany, {Kind::kRing}, {}, "Switches of the ring"},
      {"hosts_per_switch",
       &C::hosts_per_switch,
       1,
       kMany,
       {Kind::kLeafSpine, Kind::kRing, Kind::kTorus, Kind::kDragonfly},
       {},
       "Hosts of each switch (leaf_spine: of each leaf)"},
      {"k", &C::k, 2, kMany, {Kind::kFatTree}, {}, "Ports of a switch: k pods, k^3/4 hosts; even"},
      {"nics_per_host",
       &C::nics_per_host,
       1,
       kMany,
       {Kind::kRailOptimised},
       {},
       "NICs (one a GPU) of a host, and so rails"},
      {"groups", &C::groups, 1, kMany, {Kind::kDragonfly}, {}, "Groups of routers"},
      {"routers_per_group",
       &C::routers_per_group,
       1,
       kMany,
       {Kind::kDragonfly},
       {},
       "Switches of a group, all linked to each other"},
      {"global_links_per_router",
       &C::global_links_per_router,
       0,
       kMany,
       {Kind::kDragonfly},
       {},
       "Ports of a switch for links to other groups"},
      {"radix",
       &C::radix,
       kMinSwitchPorts,
       kMaxSwitchPorts,
       {},
       kGenerated,
       "Ports of every switch; by default as many as are cabled, at least 4"},
  };
  return kTable;
}

bool holds(const Kinds& kinds, Kind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const Kinds& fabric_kinds() {
  static const Kinds kKinds(std::begin(kAllKinds) + 3, std::end(kAllKinds));
  return kKinds;
}

std::string accepted_keys(Kind kind) {
  std::string text = "accepted: routing";
  for (const Count& count : counts()) {
    if (holds(count.required, kind) || holds(count.optional, kind)) {
      text += std::string(", ") + count.name;
    }
  }
  if (kind == Kind::kTorus) text += ", dims";
  if (holds(fabric_kinds(), kind)) text += ", fabric_rate, fabric_length";
  if (kind == Kind::kExplicit) text += ", nodes, links";
  return text;
}

/// Refuses keys of other kinds that were written, and drops the platform's defaults for them.
void keep_keys_of_kind(TopologyConfig& config, const Bound& bound) {
  const auto refuse = [&](const char* key) {
    bound.fail(key, std::string("is no key of kind ") + name_of(config.kind),
               accepted_keys(config.kind));
  };
  for (const Count& count : counts()) {
    if (holds(count.required, config.kind) || holds(count.optional, config.kind)) continue;
    if (bound.has(count.name)) refuse(count.name);
    (config.*count.value).reset();
  }
  if (!holds(fabric_kinds(), config.kind)) {
    if (bound.has("fabric_rate")) refuse("fabric_rate");
    if (bound.has("fabric_length")) refuse("fabric_length");
    config.fabric_rate.reset();
    config.fabric_length.reset();
  }
  // Empty lists are what a resolved configuration holds for the keys of other kinds.
  if (config.kind != Kind::kTorus) {
    if (bound.has("dims") && !config.dims.empty()) refuse("dims");
    config.dims.clear();
  }
  if (config.kind != Kind::kExplicit) {
    if (bound.has("nodes") && !config.nodes.empty()) refuse("nodes");
    if (bound.has("links") && !config.links.empty()) refuse("links");
    config.nodes.clear();
    config.links.clear();
  }
}

void check_limit(const TopologySize& size, const char* what, std::uint64_t count,
                 std::uint64_t limit, const RefuseKey& refuse) {
  if (count <= limit) return;
  refuse(size.key, "makes " + std::to_string(count) + " " + what,
         "accepted: at most " + std::to_string(limit) + " " + what);
}

void check_size(const TopologyConfig& config, const RefuseKey& refuse) {
  const TopologySize size = size_of(config);
  check_limit(size, "hosts", size.hosts, kMaxHosts, refuse);
  check_limit(size, "ports of hosts", size.host_ports, kMaxHosts, refuse);
  check_limit(size, "switches", size.switches, kMaxSwitches, refuse);
  for (const TopologySize::Switch& sort : size.sorts) {
    const std::uint64_t limit = config.radix.value_or(kMaxSwitchPorts);
    if (sort.ports <= limit) continue;
    refuse(sort.key,
           "gives " + sort.name + " " + std::to_string(sort.ports) + " cables, but a switch has " +
               (config.radix ? "radix " : "at most ") + std::to_string(limit) + " ports",
           config.radix ? "make it smaller, or the radix larger" : "make it smaller");
  }
}

void check_generated(const TopologyConfig& config, const RefuseKey& refuse) {
  for (const Count& count : counts()) {
    if (config.*count.value || !holds(count.required, config.kind)) continue;
    refuse(count.name, std::string("is required by kind ") + name_of(config.kind),
           "add the key; type: count, " + std::to_string(count.min) + " or more");
  }
  if (config.kind == Kind::kTorus && config.dims.size() != 2 && config.dims.size() != 3) {
    refuse("dims",
           config.dims.empty() ? "is required by kind torus"
                               : "has " + std::to_string(config.dims.size()) + " elements",
           "accepted: 2 or 3 elements, such as dims: [4, 4]");
  }
  if (config.kind == Kind::kFatTree && *config.k % 2 != 0) {
    refuse("k", std::to_string(*config.k) + " is odd",
           "half of a switch's ports lead up: take " + std::to_string(*config.k + 1));
  }
  if (config.kind == Kind::kDragonfly) {
    const std::uint64_t most =
        std::uint64_t{*config.routers_per_group} * *config.global_links_per_router + 1;
    if (*config.groups > most) {
      refuse("groups",
             std::to_string(*config.groups) + " groups, but a group has global links to " +
                 std::to_string(most - 1) + " others",
             "accepted: at most routers_per_group * global_links_per_router + 1 = " +
                 std::to_string(most));
    }
  }
  check_size(config, refuse);
}

// What a LinkConfig accepts, too.
template <class Parameter>
auto& rate_range(Parameter& parameter) {
  return parameter.range(Rate::bits_per_second(1'000'000), Rate::gbps(10'000));
}
template <class Parameter>
auto& length_range(Parameter& parameter) {
  return parameter.range(Length{0}, metres(100'000));
}

/// Refuses outside of binding.
[[noreturn]] void refuse_built(const std::string& key, const std::string& problem,
                               const std::string& remedy) {
  throw ConfigError("", "topology." + key + ": " + problem, remedy);
}

}  // namespace

PortName ScalarType<PortName>::parse(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || !is_identifier(text.substr(0, dot))) {
    throw ConfigError("", quoted(text) + " is no port",
                      "write a node's name, a dot and the port's number, such as " + example());
  }
  return {text.substr(0, dot),
          static_cast<std::uint32_t>(parse_unsigned(text.substr(dot + 1), 0xFFFF'FFFF))};
}

void NodeConfig::declare(Parameters& p) {
  p.choice("kind", is_switch, {{"host", false}, {"switch", true}}).required().doc("What it is");
  p.add("ports", ports)
      .range(1, kMaxSwitchPorts)
      .doc("Ports; by default 1 for a host, as many as are cabled (at least 4) for a switch");
  rate_range(p.add("rate", rate))
      .doc("Rate that all its ports have; a link of another rate is refused");
  p.add("tier", tier).range(1, 16).doc("Height of a switch, for up_down routing; by default 1");
  p.where(where);
  p.check([this](const Bound& bound) {
    if (is_switch && ports && *ports < kMinSwitchPorts) {
      bound.fail("ports", "a switch has at least 4 ports, not " + std::to_string(*ports),
                 "accepted: 4 to 512");
    }
    if (!is_switch && bound.has("tier")) {
      bound.fail("tier", "a host has no tier", "remove the key");
    }
  });
}

void CableConfig::declare(Parameters& p) {
  p.add("from", from).required().doc("One end: node.port");
  p.add("to", to).required().doc("The other end: node.port");
  rate_range(p.add("rate", rate)).doc("Line rate; by default that of its ends, else link.rate");
  length_range(p.add("length", length)).doc("Length; by default link.length");
  p.where(where);
}

void TopologyConfig::declare(Parameters& p) {
  std::vector<std::pair<std::string, TopologyKind>> kinds;
  for (const TopologyKind named : kAllKinds) kinds.emplace_back(name_of(named), named);
  p.choice("kind", kind, kinds).doc("Which topology; each has keys of its own");
  p.choice("routing", routing,
           {{"shortest", RoutingMode::kShortest},
            {"up_down", RoutingMode::kUpDown},
            {"dimension_order", RoutingMode::kDimensionOrder}})
      .doc("Routes: fewest hops; never up after down (no deadlock); torus only: by dimension");
  for (const Count& count : counts()) {
    p.add(count.name, this->*count.value).range(count.min, count.max).doc(count.doc);
  }
  p.list("dims", dims).range(2, kMaxSwitches).doc("Switches in each of 2 or 3 dimensions");
  rate_range(p.add("fabric_rate", fabric_rate))
      .doc("Rate of links between switches; default link.rate");
  length_range(p.add("fabric_length", fabric_length)).doc("Their length; default link.length");
  p.map("nodes", nodes).doc("Explicit: hosts and switches by name");
  p.list("links", links).doc("Explicit: cables between their ports");
  p.check([this](const Bound& bound) {
    keep_keys_of_kind(*this, bound);
    check_topology(*this, [&](const auto& key, const auto& problem, const auto& remedy) {
      bound.fail(key, problem, remedy);
    });
  });
}

void check_topology(const TopologyConfig& config, const RefuseKey& refuse) {
  if (config.routing == RoutingMode::kDimensionOrder && config.kind != TopologyKind::kTorus) {
    refuse("routing", std::string("a ") + name_of(config.kind) + " has no dimensions",
           "accepted: shortest | up_down");
  }
  if (config.kind != TopologyKind::kExplicit) {
    check_generated(config, refuse);
    return;
  }
  if (config.nodes.empty()) {
    refuse("nodes", "is required by kind explicit",
           "add the key, such as nodes: {sw0: {kind: switch}, h0: {kind: host}, ...}");
  }
  if (config.links.empty()) {
    refuse("links", "is required by kind explicit",
           "add the key, such as links: [{from: h0.0, to: sw0.0}, ...]");
  }
  explicit_topology(config, {});
}

Topology build_topology(const TopologyConfig& config, const LinkConfig& link) {
  check_topology(config, refuse_built);
  return config.kind == TopologyKind::kExplicit ? explicit_topology(config, link)
                                                : generate_topology(config, link);
}

}  // namespace railyard
