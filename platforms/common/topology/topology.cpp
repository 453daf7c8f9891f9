#include "platforms/common/topology/topology.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace railyard {

namespace {

constexpr std::uint32_t kNowhere = 0xFFFF'FFFF;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The run of digits at `at`, without its leading zeros; `at` moves behind it.
std::string take_number(const std::string& text, std::size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(begin, at - begin);
}

bool node_less(const Topology::Node& a, const Topology::Node& b) {
  if (a.is_switch != b.is_switch) return b.is_switch;
  return natural_less(a.name, b.name);
}

}  // namespace

const char* name_of(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::kExplicit:
      return "explicit";
    case TopologyKind::kBackToBack:
      return "back_to_back";
    case TopologyKind::kStar:
      return "star";
    case TopologyKind::kLeafSpine:
      return "leaf_spine";
    case TopologyKind::kFatTree:
      return "fat_tree";
    case TopologyKind::kRailOptimised:
      return "rail_optimised";
    case TopologyKind::kRing:
      return "ring";
    case TopologyKind::kTorus:
      return "torus";
    case TopologyKind::kDragonfly:
      return "dragonfly";
  }
  return "";
}

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string x = take_number(a, i);
      const std::string y = take_number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  const std::size_t left_of_a = a.size() - i;
  const std::size_t left_of_b = b.size() - j;
  return left_of_a != left_of_b ? left_of_a < left_of_b : a < b;
}

Topology::Topology(TopologyKind kind, std::vector<Node> nodes, std::vector<Link> links)
    : kind_(kind), links_(std::move(links)) {
  for (const Link& link : links_) {
    for (const Port end : {link.a, link.b}) {
      if (end.node >= nodes.size() || end.port >= nodes[end.node].ports) {
        throw std::invalid_argument("a link ends at no port");
      }
    }
  }
  sort_nodes(std::move(nodes));
  cable();
}

void Topology::sort_nodes(std::vector<Node> nodes) {
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](auto x, auto y) { return node_less(nodes[x], nodes[y]); });
  std::vector<std::uint32_t> index(nodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    index[order[i]] = i;
    nodes_.push_back(std::move(nodes[order[i]]));
    if (i > 0 && nodes_[i].name == nodes_[i - 1].name) {
      throw std::invalid_argument("two nodes are named " + nodes_[i].name);
    }
    if (!nodes_[i].is_switch) ++hosts_;
  }
  for (Link& link : links_) {
    link.a.node = index[link.a.node];
    link.b.node = index[link.b.node];
    if (link.b < link.a) std::swap(link.a, link.b);
  }
  std::sort(links_.begin(), links_.end(), [](const Link& x, const Link& y) { return x.a < y.a; });
}

void Topology::cable() {
  first_port_.push_back(0);
  for (const Node& node : nodes_) first_port_.push_back(first_port_.back() + node.ports);
  peers_.assign(first_port_.back(), {kNowhere, 0});
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    if (link.b.node < hosts_ && kind_ != TopologyKind::kBackToBack) {
      throw std::invalid_argument("a cable joins two hosts");
    }
    for (const auto& [from, to] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      Port& peer = peers_[first_port_[from.node] + from.port];
      if (peer.node != kNowhere) throw std::invalid_argument("two cables in " + name_of(from));
      peer = to;
    }
    if (link.a.node < hosts_) endpoints_.push_back({link.a, link.b, i});
    if (link.b.node < hosts_) endpoints_.push_back({link.b, link.a, i});
  }
}

std::optional<std::uint32_t> Topology::find(const std::string& name) const {
  for (const auto& [begin, end] : {std::pair(0U, hosts_), std::pair(hosts_, hosts_ + switches())}) {
    const auto last = nodes_.begin() + end;
    const auto found = std::lower_bound(
        nodes_.begin() + begin, last, name,
        [](const Node& n, const auto& text) { return natural_less(n.name, text); });
    if (found != last && found->name == name) {
      return static_cast<std::uint32_t>(found - nodes_.begin());
    }
  }
  return std::nullopt;
}

std::optional<Topology::Port> Topology::peer(Port port) const {
  if (port.node >= nodes_.size() || port.port >= nodes_[port.node].ports) return std::nullopt;
  const Port peer = peers_[first_port_[port.node] + port.port];
  return peer.node == kNowhere ? std::nullopt : std::optional(peer);
}

std::string Topology::name_of(Port port) const {
  return nodes_.at(port.node).name + "." + std::to_string(port.port);
}

std::vector<std::uint32_t> Topology::parts() const {
  std::vector<std::uint32_t> part(switches(), kNowhere);
  std::vector<std::uint32_t> pending;
  std::uint32_t parts = 0;
  for (std::uint32_t start = 0; start < part.size(); ++start) {
    if (part[start] != kNowhere) continue;
    part[start] = parts;
    pending.push_back(start);
    while (!pending.empty()) {
      const std::uint32_t node = hosts_ + pending.back();
      pending.pop_back();
      for (std::uint32_t port = 0; port < nodes_[node].ports; ++port) {
        const std::optional<Port> next = peer({node, port});
        if (!next || next->node < hosts_ || part[next->node - hosts_] != kNowhere) continue;
        part[next->node - hosts_] = parts;
        pending.push_back(next->node - hosts_);
      }
    }
    ++parts;
  }
  return part;
}

}  // namespace railyard
