#include "platforms/common/topology/routes.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace railyard {

namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// The links between switches alone; a switch is its node less topology.hosts().
struct Graph {
  struct Edge {
    std::uint32_t to;
    std::uint16_t port;
  };
  struct Range {
    const Edge* first;
    const Edge* last;
    const Edge* begin() const { return first; }
    const Edge* end() const { return last; }
  };

  explicit Graph(const Topology& topology) {
    first.push_back(0);
    for (std::uint32_t s = 0; s < topology.switches(); ++s) {
      const std::uint32_t node = topology.hosts() + s;
      for (std::uint32_t port = 0; port < topology.nodes()[node].ports; ++port) {
        const auto peer = topology.peer({node, port});
        if (!peer || peer->node < topology.hosts()) continue;
        edges.push_back({peer->node - topology.hosts(), static_cast<std::uint16_t>(port)});
      }
      first.push_back(edges.size());
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(first.size() - 1); }
  Range of(std::uint32_t s) const { return {edges.data() + first[s], edges.data() + first[s + 1]}; }

  std::vector<Edge> edges;
  std::vector<std::size_t> first;
};

/// Hops of every switch from the nearest of `sources`.
void breadth_first(const Graph& graph, const std::vector<std::uint32_t>& sources,
                   std::vector<std::uint32_t>& hops) {
  hops.assign(graph.size(), kFar);
  std::vector<std::uint32_t> queue = sources;
  queue.reserve(graph.size());
  for (const std::uint32_t s : sources) hops[s] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::uint32_t s = queue[at];
    for (const Graph::Edge& edge : graph.of(s)) {
      if (hops[edge.to] != kFar) continue;
      hops[edge.to] = hops[s] + 1;
      queue.push_back(edge.to);
    }
  }
}

// A router: aim(d) prepares for destination d; then uses(s, edge) says whether the edge is on an
// equal-cost route from s, and hops(s) how long these are (kFar: none).

class Shortest {
 public:
  explicit Shortest(const Topology& topology) : graph_(topology) {}

  const Graph& graph() const { return graph_; }
  void aim(std::uint32_t d) { breadth_first(graph_, {d}, hops_); }
  std::uint32_t hops(std::uint32_t s) const { return hops_[s]; }
  bool uses(std::uint32_t s, const Graph::Edge& edge) const {
    return hops_[edge.to] != kFar && hops_[edge.to] + 1 == hops_[s];
  }

 private:
  Graph graph_;
  std::vector<std::uint32_t> hops_;
};

/// The switches of the highest tier, and the first of each part that has none of these. With
/// `single`, the first of each part alone.
std::vector<std::uint32_t> roots_of(const Topology& topology, bool single) {
  const auto tier = [&](std::uint32_t s) { return topology.nodes()[topology.hosts() + s].tier; };
  const std::vector<std::uint32_t> parts = topology.parts();
  std::uint32_t lowest = kFar;
  std::uint32_t highest = 0;
  for (std::uint32_t s = 0; s < parts.size(); ++s) {
    lowest = std::min(lowest, tier(s));
    highest = std::max(highest, tier(s));
  }
  std::vector<std::uint32_t> roots;
  std::vector<bool> rooted(parts.size(), false);
  for (std::uint32_t s = 0; s < parts.size(); ++s) {
    if (single || lowest == highest || tier(s) != highest) continue;
    roots.push_back(s);
    rooted[parts[s]] = true;
  }
  for (std::uint32_t s = 0; s < parts.size(); ++s) {
    if (rooted[parts[s]]) continue;
    roots.push_back(s);
    rooted[parts[s]] = true;
  }
  return roots;
}

class UpDown {
 public:
  UpDown(const Topology& topology, bool single_root) : graph_(topology) {
    std::vector<std::uint32_t> level;
    breadth_first(graph_, roots_of(topology, single_root), level);
    order_.resize(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) order_[s] = s;
    std::sort(order_.begin(), order_.end(),
              [&](auto x, auto y) { return std::tie(level[x], x) < std::tie(level[y], y); });
    rank_.resize(graph_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }

  const Graph& graph() const { return graph_; }
  void aim(std::uint32_t d) {
    down_.assign(graph_.size(), kFar);
    down_[d] = 0;
    for (auto s = order_.rbegin(); s != order_.rend(); ++s) relax(*s, false, down_);
    hops_ = down_;
    for (const std::uint32_t s : order_) {
      if (down_[s] == kFar) relax(s, true, hops_);
    }
  }
  std::uint32_t hops(std::uint32_t s) const { return hops_[s]; }
  bool uses(std::uint32_t s, const Graph::Edge& edge) const {
    const std::vector<std::uint32_t>& hops = down_[s] == kFar ? hops_ : down_;
    return goes_up(s, edge) == (down_[s] == kFar) && hops[edge.to] != kFar &&
           hops[edge.to] + 1 == hops[s];
  }

 private:
  bool goes_up(std::uint32_t s, const Graph::Edge& edge) const { return rank_[edge.to] < rank_[s]; }
  void relax(std::uint32_t s, bool up, std::vector<std::uint32_t>& hops) const {
    for (const Graph::Edge& edge : graph_.of(s)) {
      if (goes_up(s, edge) != up || hops[edge.to] == kFar) continue;
      hops[s] = std::min(hops[s], hops[edge.to] + 1);
    }
  }

  Graph graph_;
  std::vector<std::uint32_t> order_;  // up to down
  std::vector<std::uint32_t> rank_;   // in it
  std::vector<std::uint32_t> down_;   // hops by down links alone
  std::vector<std::uint32_t> hops_;
};

class DimensionOrder {
 public:
  explicit DimensionOrder(const Topology& topology) : graph_(topology) {
    if (topology.kind() != TopologyKind::kTorus) {
      throw std::invalid_argument("dimension-order routing needs a torus");
    }
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      position_.push_back(&topology.nodes()[topology.hosts() + s].position);
    }
    dims_.assign(position_.at(0)->size(), 1);
    for (const auto* position : position_) {
      for (std::size_t i = 0; i < dims_.size(); ++i) {
        dims_[i] = std::max(dims_[i], (*position)[i] + 1);
      }
    }
  }

  const Graph& graph() const { return graph_; }
  void aim(std::uint32_t d) { to_ = position_[d]; }
  std::uint32_t hops(std::uint32_t s) const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < dims_.size(); ++i) sum += way(s, i);
    return sum;
  }
  bool uses(std::uint32_t s, const Graph::Edge& edge) const {
    std::size_t i = 0;
    while (i < dims_.size() && way(s, i) == 0) ++i;
    return i < dims_.size() && way(edge.to, i) + 1 == way(s, i);
  }

 private:
  /// Hops that are left in dimension i.
  std::uint32_t way(std::uint32_t s, std::size_t i) const {
    const std::uint32_t a = (*position_[s])[i];
    const std::uint32_t b = (*to_)[i];
    const std::uint32_t apart = a < b ? b - a : a - b;
    return std::min(apart, dims_[i] - apart);
  }

  Graph graph_;
  std::vector<const std::vector<std::uint32_t>*> position_;
  std::vector<std::uint32_t> dims_;
  const std::vector<std::uint32_t>* to_ = nullptr;
};

}  // namespace

/// Numbers the different port lists of one switch.
class Routes::Interner {
 public:
  /// `guess` is a number that the list may well have.
  std::uint16_t number(const std::vector<std::uint16_t>& list, Lists& lists, std::uint16_t guess) {
    if (is(list, lists, guess)) return guess;
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325ULL;  // FNV-1a
    for (const std::uint16_t port : list) hash = (hash ^ port) * 0x100'0000'01B3ULL;
    const auto [begin, end] = numbers_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (is(list, lists, it->second)) return it->second;
    }
    const auto number = static_cast<std::uint16_t>(lists.first.size() - 1);
    lists.ports.insert(lists.ports.end(), list.begin(), list.end());
    lists.first.push_back(static_cast<std::uint32_t>(lists.ports.size()));
    numbers_.emplace(hash, number);
    return number;
  }

 private:
  static bool is(const std::vector<std::uint16_t>& list, const Lists& lists, std::uint16_t number) {
    const std::uint32_t first = lists.first[number];
    return lists.first[number + 1U] - first == list.size() &&
           std::equal(list.begin(), list.end(), lists.ports.data() + first);
  }

  std::unordered_multimap<std::uint64_t, std::uint16_t> numbers_;
};

Routes::Routes(const Topology& topology, RoutingMode mode) : mode_(mode), hosts_(topology.hosts()) {
  std::vector<std::uint16_t> group(topology.switches(), 0);
  std::vector<bool> seen(topology.switches(), false);
  for (const Topology::Endpoint& endpoint : topology.endpoints()) {
    if (endpoint.at.node < hosts_) {  // back to back: no switch leads there
      destinations_.push_back({endpoint.at.node, 0, 0});
      continue;
    }
    const std::uint32_t s = endpoint.at.node - hosts_;
    if (!seen[s]) {
      seen[s] = true;
      group[s] = static_cast<std::uint16_t>(group_nodes_.size());
      group_nodes_.push_back(endpoint.at.node);
    }
    destinations_.push_back(
        {endpoint.at.node, group[s], static_cast<std::uint16_t>(endpoint.at.port)});
  }
  groups_ = group_nodes_.size();

  if (mode == RoutingMode::kShortest) {
    Shortest router(topology);
    fill(topology, router);
  } else if (mode == RoutingMode::kDimensionOrder) {
    DimensionOrder router(topology);
    fill(topology, router);
  } else {
    UpDown tiers(topology, false);
    if (!fill(topology, tiers)) {
      UpDown single(topology, true);
      fill(topology, single);
    }
  }
}

/// False if two switches with hosts, of one part of the fabric, have no route.
template <class Router>
bool Routes::fill(const Topology& topology, Router& router) {
  const Graph& graph = router.graph();
  const std::vector<std::uint32_t> parts = topology.parts();
  std::vector<Interner> interners(graph.size());
  std::vector<std::uint16_t> list;
  list_of_.assign(graph.size() * groups_, 0);
  lists_.assign(graph.size(), {});
  longest_ = 0;
  for (std::size_t g = 0; g < groups_; ++g) {
    const std::uint32_t d = group_nodes_[g] - hosts_;
    router.aim(d);
    for (const std::uint32_t node : group_nodes_) {
      const std::uint32_t s = node - hosts_;
      if (parts[s] != parts[d]) continue;
      if (router.hops(s) == kFar) return false;
      longest_ = std::max(longest_, router.hops(s));
    }
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (s == d) continue;
      list.clear();
      for (const Graph::Edge& edge : graph.of(s)) {
        if (router.uses(s, edge)) list.push_back(edge.port);
      }
      std::uint16_t& number = list_of_[s * groups_ + g];
      // Neighbouring destinations mostly share a list.
      if (!list.empty()) number = interners[s].number(list, lists_[s], g == 0 ? 0 : *(&number - 1));
    }
  }
  return true;
}

std::size_t Routes::list_count() const {
  std::size_t count = 0;
  for (const Lists& lists : lists_) count += lists.first.size() - 2;
  return count;
}

}  // namespace railyard
