#include "platforms/common/topology/explicit.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/config/spelling.h"

namespace railyard {

namespace {

class ExplicitBuilder {
 public:
  ExplicitBuilder(const TopologyConfig& config, const LinkConfig& link)
      : config_(config), link_(link) {}

  Topology build() {
    add_nodes();
    for (std::size_t i = 0; i < config_.links.size(); ++i) add_link(i);
    size_switches();
    check_cabled();
    Topology topology(TopologyKind::kExplicit, std::move(nodes_), std::move(links_));
    check_reachable(topology);
    return topology;
  }

 private:
  static std::string path_of(std::size_t link) {
    return "topology.links[" + std::to_string(link) + "]";
  }
  [[noreturn]] void refuse_link(std::size_t link, const std::string& problem,
                                const std::string& remedy) const {
    throw ConfigError(config_.links[link].where.place(), path_of(link) + ": " + problem, remedy);
  }
  [[noreturn]] void refuse_node(const std::string& name, const std::string& problem,
                                const std::string& remedy) const {
    throw ConfigError(config_.nodes.at(name).where.place(),
                      "topology.nodes." + name + ": " + problem, remedy);
  }

  void add_nodes() {
    std::uint64_t switches = 0;
    std::uint64_t host_ports = 0;
    for (const auto& [name, node] : config_.nodes) {
      (node.is_switch ? switches : host_ports) += node.is_switch ? 1 : node.ports.value_or(1);
      index_[name] = static_cast<std::uint32_t>(nodes_.size());
      names_.push_back(name);
      nodes_.push_back({name,
                        node.is_switch,
                        node.ports.value_or(node.is_switch ? 0 : 1),
                        node.is_switch ? node.tier.value_or(1) : 0,
                        {}});
      if (switches > kMaxSwitches) refuse_node(name, "is one switch too many", "at most 16384");
      if (host_ports > kMaxHosts) refuse_node(name, "is one host too many", "at most 65536 ports");
    }
  }

  Topology::Port end_of(std::size_t link, const PortName& end) const {
    const std::string text = ScalarType<PortName>::format(end) + ": ";
    const auto found = index_.find(end.node);
    if (found == index_.end()) {
      refuse_link(link, text + "there is no node " + quoted(end.node),
                  suggest(end.node, names_, "declare it in topology.nodes"));
    }
    const NodeConfig& node = config_.nodes.at(end.node);
    const std::uint32_t ports = node.ports.value_or(node.is_switch ? kMaxSwitchPorts : 1);
    if (end.port >= ports) {
      refuse_link(link,
                  text + end.node + " has " + (node.is_switch && !node.ports ? "at most " : "") +
                      std::to_string(ports) + (ports == 1 ? " port" : " ports"),
                  ports == 1 ? "take port 0, or declare more ports"
                             : "accepted: 0 to " + std::to_string(ports - 1));
    }
    return {found->second, end.port};
  }

  void add_link(std::size_t i) {
    const CableConfig& cable = config_.links[i];
    const Topology::Port a = end_of(i, cable.from);
    const Topology::Port b = end_of(i, cable.to);
    if (a.node == b.node) {
      refuse_link(i, "both ends are at " + cable.from.node, "link two different nodes");
    }
    if (!nodes_[a.node].is_switch && !nodes_[b.node].is_switch) {
      refuse_link(i, "joins two hosts, " + cable.from.node + " and " + cable.to.node,
                  "put a switch between them");
    }
    for (const auto& [port, name] : {std::pair(a, &cable.from), std::pair(b, &cable.to)}) {
      const auto [first, is_first] = cable_in_.emplace(port, i);
      if (is_first) continue;
      refuse_link(i,
                  ScalarType<PortName>::format(*name) +
                      ": a second cable in one port; the first is " + path_of(first->second) +
                      place_of(first->second),
                  "take a free port of " + name->node);
    }
    links_.push_back({a, b, rate_of(i), cable.length.value_or(link_.length)});
  }

  std::string place_of(std::size_t link) const {
    const std::string place = config_.links[link].where.place();
    return place.empty() ? "" : " at " + place;
  }

  Rate rate_of(std::size_t i) const {
    const CableConfig& cable = config_.links[i];
    const std::optional<Rate> a = config_.nodes.at(cable.from.node).rate;
    const std::optional<Rate> b = config_.nodes.at(cable.to.node).rate;
    if (a && b && *a != *b) {
      refuse_link(i,
                  "rates differ: " + ScalarType<PortName>::format(cable.from) + " runs at " +
                      format_rate(*a) + ", " + ScalarType<PortName>::format(cable.to) + " at " +
                      format_rate(*b),
                  "give both nodes one rate");
    }
    const std::optional<Rate> declared = a ? a : b;
    if (declared && cable.rate && *declared != *cable.rate) {
      refuse_link(i,
                  "rates differ: the link runs at " + format_rate(*cable.rate) + ", " +
                      (a ? cable.from.node : cable.to.node) + " at " + format_rate(*declared),
                  "remove one of the two rates, or make them equal");
    }
    return cable.rate ? *cable.rate : declared.value_or(link_.rate);
  }

  void size_switches() {
    std::vector<std::uint32_t> used(nodes_.size(), 0);
    for (const auto& [port, link] : cable_in_) used[port.node] = port.port + 1;  // ascending
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].ports == 0) nodes_[i].ports = std::max(used[i], kMinSwitchPorts);
    }
  }

  void check_cabled() const {
    for (const auto& [name, index] : index_) {
      const Topology::Node& node = nodes_[index];
      std::uint32_t cables = 0;
      for (auto it = cable_in_.lower_bound({index, 0});
           it != cable_in_.end() && it->first.node == index; ++it) {
        if (!node.is_switch && it->first.port != cables) break;
        ++cables;
      }
      if (node.is_switch && cables == 0) {
        refuse_node(name, "no link leads to this switch", "link it, or remove it");
      }
      if (!node.is_switch && cables < node.ports) {
        refuse_node(name, "no link leads to port " + std::to_string(cables) + " of this host",
                    "add a link from " + name + "." + std::to_string(cables) +
                        (node.ports == 1 ? ", or remove the host" : ", or declare fewer ports"));
      }
    }
  }

  /// A host reaches another if they have ports in the same part of the fabric.
  void check_reachable(const Topology& topology) const {
    const std::vector<std::uint32_t> parts = topology.parts();
    std::vector<std::set<std::uint32_t>> parts_of(topology.hosts());
    std::vector<bool> has_host(parts.size(), false);
    for (const Topology::Endpoint& endpoint : topology.endpoints()) {
      const std::uint32_t part = parts[endpoint.at.node - topology.hosts()];
      parts_of[endpoint.nic.node].insert(part);
      has_host[part] = true;
    }
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      if (has_host[parts[i]]) continue;
      refuse_node(topology.nodes()[topology.hosts() + i].name, "no host reaches this switch",
                  "link it to the others, or remove it");
    }
    std::map<std::set<std::uint32_t>, std::uint32_t> sorts;  // and the first host of each
    for (std::uint32_t host = 0; host < parts_of.size(); ++host) {
      if (!sorts.emplace(parts_of[host], host).second) continue;
      for (const auto& [other, first] : sorts) {
        if (std::any_of(other.begin(), other.end(),
                        [&](auto part) { return parts_of[host].count(part) != 0; })) {
          continue;
        }
        refuse_node(topology.nodes()[host].name,
                    "this host cannot be reached from " + topology.nodes()[first].name,
                    "link their switches");
      }
    }
  }

  const TopologyConfig& config_;
  const LinkConfig& link_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t> index_;
  std::vector<Topology::Node> nodes_;
  std::vector<Topology::Link> links_;
  std::map<Topology::Port, std::size_t> cable_in_;  // the link in each port
};

}  // namespace

Topology explicit_topology(const TopologyConfig& config, const LinkConfig& link) {
  return ExplicitBuilder(config, link).build();
}

}  // namespace railyard
