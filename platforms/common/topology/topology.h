// A fabric as a graph: hosts and switches, and the cables between their ports. A Topology is a
// value in canonical order (hosts before switches, each by name, h2 before h10; links by their
// lower end), so it does not depend on the order in which its parts were written or generated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"

namespace railyard {

enum class TopologyKind : std::uint8_t {
  kExplicit,
  kBackToBack,
  kStar,
  kLeafSpine,
  kFatTree,
  kRailOptimised,
  kRing,
  kTorus,
  kDragonfly
};

/// As in the configuration: "leaf_spine".
const char* name_of(TopologyKind kind);

constexpr std::uint32_t kMaxHosts = 65'536;  // and as many ports of hosts
constexpr std::uint32_t kMaxSwitches = 16'384;
constexpr std::uint32_t kMinSwitchPorts = 4;
constexpr std::uint32_t kMaxSwitchPorts = 512;

class Topology {
 public:
  /// A port of the node with that index. Ports count from 0; some may be without a cable.
  struct Port {
    std::uint32_t node = 0;
    std::uint32_t port = 0;

    bool operator==(Port o) const { return node == o.node && port == o.port; }
    bool operator!=(Port o) const { return !(*this == o); }
    bool operator<(Port o) const { return std::tie(node, port) < std::tie(o.node, o.port); }
  };

  struct Node {
    std::string name;
    bool is_switch = false;
    std::uint32_t ports = 1;
    std::uint32_t tier = 0;  // host 0, the switches of hosts 1, those above them 2, ...
    /// Torus and ring: coordinates; fat tree: {pod, number in it}; dragonfly: {group, number in
    /// it}; otherwise empty.
    std::vector<std::uint32_t> position;

    bool operator==(const Node& o) const {
      return std::tie(name, is_switch, ports, tier, position) ==
             std::tie(o.name, o.is_switch, o.ports, o.tier, o.position);
    }
  };

  struct Link {
    Port a;  // a < b
    Port b;
    Rate rate;
    Length length;

    bool operator==(const Link& o) const {
      return a == o.a && b == o.b && rate == o.rate && length == o.length;
    }
  };

  /// A cabled port of a host, and the port at the other end: a switch's, or, back to back, the
  /// other host's.
  struct Endpoint {
    Port nic;
    Port at;
    std::uint32_t link = 0;  // index of the cable in links()
  };

  Topology() = default;
  /// Ports in `links` index `nodes` as given; both are then put in canonical order. Throws
  /// std::invalid_argument if a link ends nowhere, a port has two cables, a cable joins two hosts
  /// (but back to back), or a name occurs twice.
  Topology(TopologyKind kind, std::vector<Node> nodes, std::vector<Link> links);

  TopologyKind kind() const { return kind_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }
  /// In the order of (host, port): with one port a host, endpoint i is host i.
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }

  /// Nodes 0 to hosts() - 1 are hosts, the others switches.
  std::uint32_t hosts() const { return hosts_; }
  std::uint32_t switches() const { return static_cast<std::uint32_t>(nodes_.size()) - hosts_; }

  std::optional<std::uint32_t> find(const std::string& name) const;
  /// The port at the other end of the cable, if there is one.
  std::optional<Port> peer(Port port) const;
  /// "sw0.3".
  std::string name_of(Port port) const;

  /// For every switch (node hosts() + i at i) the number of the part of the fabric, from 0, that it
  /// is in: switches of one part reach each other without passing a host.
  std::vector<std::uint32_t> parts() const;

  bool operator==(const Topology& o) const { return nodes_ == o.nodes_ && links_ == o.links_; }

 private:
  void sort_nodes(std::vector<Node> nodes);
  void cable();

  TopologyKind kind_ = TopologyKind::kExplicit;
  std::uint32_t hosts_ = 0;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<Endpoint> endpoints_;
  std::vector<std::uint32_t> first_port_;  // of each node in peers_
  std::vector<Port> peers_;                // node kNowhere: no cable
};

/// "h2" before "h10": runs of digits compare as numbers.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace railyard
