#include "platforms/common/topology/generators.h"

#include <algorithm>
#include <utility>

namespace railyard {

namespace {

/// Collects nodes and links.
class Generator {
 public:
  Generator(const TopologyConfig& config, const LinkConfig& link)
      : config_(config),
        link_(link),
        fabric_rate_(config.fabric_rate.value_or(link.rate)),
        fabric_length_(config.fabric_length.value_or(link.length)) {}

  Topology generate();

 private:
  std::uint32_t add_host(std::uint32_t ports = 1) {
    return add({"h" + std::to_string(hosts_++), false, ports, 0, {}});
  }
  std::uint32_t add_switch(const std::string& sort, std::uint32_t number, std::uint32_t tier,
                           std::uint32_t ports, std::vector<std::uint32_t> position = {}) {
    return add({sort + std::to_string(number), true,
                config_.radix.value_or(std::max(ports, kMinSwitchPorts)), tier,
                std::move(position)});
  }
  std::uint32_t add(Topology::Node node) {
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  /// New hosts at ports 0 to count - 1.
  void add_hosts(std::uint32_t at, std::uint32_t count) {
    for (std::uint32_t port = 0; port < count; ++port) {
      link_host({add_host(), 0}, {at, port});
    }
  }
  void link_host(Topology::Port host, Topology::Port at) {
    links_.push_back({host, at, link_.rate, link_.length});
  }
  void link_switches(Topology::Port a, Topology::Port b) {
    links_.push_back({a, b, fabric_rate_, fabric_length_});
  }

  void back_to_back();
  void star();
  void leaf_spine();
  void fat_tree();
  void rail_optimised();
  void torus(const std::vector<std::uint32_t>& dims);
  void dragonfly();
  void add_spines(std::uint32_t first_leaf, std::uint32_t leaves, std::uint32_t spines,
                  std::uint32_t first_port);
  void link_groups(std::uint32_t first_port);

  const TopologyConfig& config_;
  const LinkConfig& link_;
  Rate fabric_rate_;
  Length fabric_length_;
  std::uint32_t hosts_ = 0;
  std::vector<Topology::Node> nodes_;
  std::vector<Topology::Link> links_;
};

Topology Generator::generate() {
  switch (config_.kind) {
    case TopologyKind::kExplicit:
      break;
    case TopologyKind::kBackToBack:
      back_to_back();
      break;
    case TopologyKind::kStar:
      star();
      break;
    case TopologyKind::kLeafSpine:
      leaf_spine();
      break;
    case TopologyKind::kFatTree:
      fat_tree();
      break;
    case TopologyKind::kRailOptimised:
      rail_optimised();
      break;
    case TopologyKind::kRing:
      torus({*config_.switches});
      break;
    case TopologyKind::kTorus:
      torus(config_.dims);
      break;
    case TopologyKind::kDragonfly:
      dragonfly();
      break;
  }
  return Topology(config_.kind, std::move(nodes_), std::move(links_));
}

void Generator::back_to_back() {
  const std::uint32_t first = add_host();
  link_host({first, 0}, {add_host(), 0});
}

void Generator::star() { add_hosts(add_switch("sw", 0, 1, *config_.hosts), *config_.hosts); }

/// Spines, each with a link to the switches `first_leaf` and following at `first_port` + its
/// number.
void Generator::add_spines(std::uint32_t first_leaf, std::uint32_t leaves, std::uint32_t spines,
                           std::uint32_t first_port) {
  for (std::uint32_t s = 0; s < spines; ++s) {
    const std::uint32_t spine = add_switch("spine", s, 2, leaves);
    for (std::uint32_t l = 0; l < leaves; ++l) {
      link_switches({first_leaf + l, first_port + s}, {spine, l});
    }
  }
}

void Generator::leaf_spine() {
  const std::uint32_t leaves = *config_.leaves;
  const std::uint32_t down = *config_.hosts_per_switch;
  for (std::uint32_t l = 0; l < leaves; ++l) add_switch("leaf", l, 1, down + *config_.spines);
  for (std::uint32_t l = 0; l < leaves; ++l) add_hosts(l, down);
  add_spines(0, leaves, *config_.spines, down);
}

void Generator::fat_tree() {
  const std::uint32_t k = *config_.k;
  const std::uint32_t half = k / 2;
  const std::uint32_t edges = k * half;  // and as many aggs
  for (std::uint32_t i = 0; i < edges; ++i) add_switch("edge", i, 1, k, {i / half, i % half});
  for (std::uint32_t i = 0; i < edges; ++i) add_switch("agg", i, 2, k, {i / half, i % half});
  for (std::uint32_t i = 0; i < half * half; ++i) add_switch("core", i, 3, k);
  for (std::uint32_t i = 0; i < edges; ++i) {
    add_hosts(i, half);
    const std::uint32_t pod = i / half;
    for (std::uint32_t j = 0; j < half; ++j) {
      link_switches({i, half + j}, {edges + pod * half + j, i % half});
      link_switches({edges + i, half + j}, {2 * edges + (i % half) * half + j, pod});
    }
  }
}

void Generator::rail_optimised() {
  const std::uint32_t rails = *config_.nics_per_host;
  const std::uint32_t hosts = *config_.hosts;
  const std::uint32_t spines = config_.spines.value_or(0);
  for (std::uint32_t r = 0; r < rails; ++r) add_switch("rail", r, 1, hosts + spines);
  for (std::uint32_t h = 0; h < hosts; ++h) {
    const std::uint32_t host = add_host(rails);
    for (std::uint32_t r = 0; r < rails; ++r) link_host({host, r}, {r, h});
  }
  add_spines(0, rails, spines, hosts);
}

/// Cabled ports of a torus's switch towards others in a dimension of `size`.
std::uint32_t ports_in(std::uint32_t size) { return size == 2 ? 1 : 2; }

void Generator::torus(const std::vector<std::uint32_t>& dims) {
  const std::uint32_t down = *config_.hosts_per_switch;
  std::uint32_t switches = 1;
  std::uint32_t ports = down;
  for (const std::uint32_t size : dims) {
    switches *= size;
    ports += ports_in(size);
  }
  for (std::uint32_t i = 0; i < switches; ++i) {
    std::vector<std::uint32_t> position;
    std::uint32_t rest = i;
    for (const std::uint32_t size : dims) {
      position.push_back(rest % size);
      rest /= size;
    }
    add_switch("sw", i, 1, ports, std::move(position));
  }
  for (std::uint32_t i = 0; i < switches; ++i) {
    add_hosts(i, down);
    std::uint32_t port = down;
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::uint32_t at = nodes_[i].position[d];
      const std::uint32_t next = i - at * stride + (at + 1) % dims[d] * stride;
      if (dims[d] > 2) {
        link_switches({i, port}, {next, port + 1});
      } else if (at == 0) {
        link_switches({i, port}, {next, port});
      }
      port += ports_in(dims[d]);
      stride *= dims[d];
    }
  }
}

void Generator::dragonfly() {
  const std::uint32_t routers = *config_.routers_per_group;
  const std::uint32_t down = *config_.hosts_per_switch;
  const std::uint32_t switches = *config_.groups * routers;
  const std::uint32_t first_global = down + routers - 1;
  for (std::uint32_t i = 0; i < switches; ++i) {
    add_switch("sw", i, 1, first_global + *config_.global_links_per_router,
               {i / routers, i % routers});
  }
  for (std::uint32_t i = 0; i < switches; ++i) {
    add_hosts(i, down);
    const std::uint32_t at = i % routers;
    for (std::uint32_t j = at + 1; j < routers; ++j) {
      link_switches({i, down + j - 1}, {i - at + j, down + at});
    }
  }
  link_groups(first_global);
}

void Generator::link_groups(std::uint32_t first_port) {
  const std::uint32_t groups = *config_.groups;
  const std::uint32_t routers = *config_.routers_per_group;
  const std::uint32_t globals = *config_.global_links_per_router;
  if (groups < 2) return;
  const std::uint32_t others = groups - 1;
  const auto port_of = [&](std::uint32_t group, std::uint32_t j) -> Topology::Port {
    return {group * routers + j / globals, first_port + j % globals};
  };
  for (std::uint32_t round = 0; (round + 1) * others <= routers * globals; ++round) {
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::uint32_t j = 0; group + j + 1 < groups; ++j) {
        // Seen from there, this group is the (others - j)-th after it.
        link_switches(port_of(group, round * others + j),
                      port_of(group + j + 1, round * others + others - 1 - j));
      }
    }
  }
}

// Sizes.

TopologySize star_size(std::uint64_t hosts) {
  return {hosts, hosts, 1, {{"sw0", hosts, "hosts"}}, "hosts"};
}

TopologySize leaf_spine_size(std::uint64_t leaves, std::uint64_t spines, std::uint64_t down) {
  return {leaves * down,
          leaves * down,
          leaves + spines,
          {{"leaf0", down + spines, down < spines ? "spines" : "hosts_per_switch"},
           {"spine0", leaves, "leaves"}},
          leaves * down > kMaxHosts || leaves > spines ? "leaves" : "spines"};
}

TopologySize fat_tree_size(std::uint64_t k) {
  const std::uint64_t hosts = k * k * k / 4;
  return {hosts, hosts, k * k / 4 * 5, {{"edge0", k, "k"}}, "k"};
}

TopologySize rail_size(std::uint64_t hosts, std::uint64_t nics, std::uint64_t spines) {
  return {hosts,
          hosts * nics,
          nics + spines,
          {{"rail0", hosts + spines, hosts < spines ? "spines" : "hosts"},
           {"spine0", spines == 0 ? 0 : nics, "nics_per_host"}},
          hosts < nics ? "nics_per_host" : "hosts"};
}

TopologySize torus_size(const std::vector<std::uint32_t>& dims, std::uint64_t down,
                        const char* key) {
  std::uint64_t switches = 1;
  std::uint64_t ports = down;
  for (const std::uint32_t size : dims) {
    switches *= size;
    ports += ports_in(size);
  }
  return {switches * down, switches * down, switches, {{"sw0", ports, "hosts_per_switch"}}, key};
}

TopologySize dragonfly_size(std::uint64_t groups, std::uint64_t routers, std::uint64_t globals,
                            std::uint64_t down) {
  const std::uint64_t switches = groups * routers;
  const char* key = globals >= down && globals >= routers ? "global_links_per_router"
                    : down >= routers                     ? "hosts_per_switch"
                                                          : "routers_per_group";
  return {switches * down,
          switches * down,
          switches,
          {{"sw0", down + routers - 1 + globals, key}},
          groups < routers ? "routers_per_group" : "groups"};
}

}  // namespace

TopologySize size_of(const TopologyConfig& config) {
  switch (config.kind) {
    case TopologyKind::kExplicit:
      break;
    case TopologyKind::kBackToBack:
      return {2, 2, 0, {}, "kind"};
    case TopologyKind::kStar:
      return star_size(*config.hosts);
    case TopologyKind::kLeafSpine:
      return leaf_spine_size(*config.leaves, *config.spines, *config.hosts_per_switch);
    case TopologyKind::kFatTree:
      return fat_tree_size(*config.k);
    case TopologyKind::kRailOptimised:
      return rail_size(*config.hosts, *config.nics_per_host, config.spines.value_or(0));
    case TopologyKind::kRing:
      return torus_size({*config.switches}, *config.hosts_per_switch, "switches");
    case TopologyKind::kTorus:
      return torus_size(config.dims, *config.hosts_per_switch, "dims");
    case TopologyKind::kDragonfly:
      return dragonfly_size(*config.groups, *config.routers_per_group,
                            *config.global_links_per_router, *config.hosts_per_switch);
  }
  return {};
}

Topology generate_topology(const TopologyConfig& config, const LinkConfig& link) {
  return Generator(config, link).generate();
}

}  // namespace railyard
