#include "platforms/common/congestion/congestion.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "platforms/common/congestion/victims.h"

namespace railyard {

namespace {

void sort_unique(std::vector<std::size_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Sums pauses up, root by root.
class Trees {
 public:
  Trees(const PauseGraph& graph, const std::vector<PausePort>& ports, Time now)
      : graph_(graph), ports_(ports), now_(now), trees_(graph.roots().size()) {
    number_hosts();
    paused_.resize(trees_.size());
    for (std::size_t i = 0; i < trees_.size(); ++i) begin_tree(i);
    for (const JoinedPause& pause : graph.pauses()) add(pause);
    for (std::size_t i = 0; i < trees_.size(); ++i) list_ports(i);
  }

  /// Moves the trees into the report; the place there of each root.
  std::vector<std::size_t> finish(CongestionReport& report) {
    report.pauses = graph_.pauses().size();
    report.unlogged = graph_.unlogged();
    for (const CongestionTree& tree : trees_) {
      report.depth = std::max(report.depth, tree.depths.size());
    }
    sort_unique(all_paused_);
    report.ports = all_paused_.size();
    report.hosts = hosts_among(all_paused_);
    report.all_hosts = host_count_;

    std::vector<std::size_t> order(trees_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      const CongestionTree& x = trees_[a];
      const CongestionTree& y = trees_[b];
      return std::tie(y.time, x.root, x.priority, x.kind, x.members) <
             std::tie(x.time, y.root, y.priority, y.kind, y.members);
    });
    std::vector<std::size_t> place(trees_.size());
    for (const std::size_t root : order) {
      place[root] = report.trees.size();
      report.trees.push_back(std::move(trees_[root]));
    }
    return place;
  }

 private:
  static constexpr std::size_t kNoHost = ~std::size_t{0};

  /// A host is what its ports' names begin with.
  void number_hosts() {
    std::map<std::string, std::size_t> numbers;
    for (const PausePort& port : ports_) {
      const std::string host = port.name.substr(0, port.name.rfind('.'));
      host_of_.push_back(port.host ? numbers.emplace(host, numbers.size()).first->second : kNoHost);
    }
    host_count_ = numbers.size();
  }

  void begin_tree(std::size_t root) {
    const PauseRoot& from = graph_.roots()[root];
    trees_[root].root = ports_[from.port].name;
    trees_[root].priority = from.priority;
    trees_[root].kind = from.kind;
    for (const std::size_t port : from.members) trees_[root].members.push_back(ports_[port].name);
    trees_[root].first = kForever;
  }

  void add(const JoinedPause& pause) {
    CongestionTree& tree = trees_[pause.root];
    std::vector<std::vector<std::size_t>>& paused = paused_[pause.root];
    if (tree.depths.size() < pause.depth) {
      tree.depths.resize(pause.depth);
      paused.resize(pause.depth);
    }
    const Time end = std::min(pause.end, now_);
    CongestionDepth& depth = tree.depths[pause.depth - 1];
    ++depth.pauses;
    depth.time += end - pause.begin;
    ++tree.pauses;
    tree.time += end - pause.begin;
    tree.first = std::min(tree.first, pause.begin);
    tree.last = std::max(tree.last, end);
    paused[pause.depth - 1].push_back(ports_[pause.port].peer);
  }

  void list_ports(std::size_t root) {
    std::vector<std::size_t> all;
    for (std::size_t depth = 0; depth < paused_[root].size(); ++depth) {
      std::vector<std::size_t>& paused = paused_[root][depth];
      sort_unique(paused);
      std::vector<std::string>& names = trees_[root].depths[depth].ports;
      for (const std::size_t port : paused) names.push_back(ports_[port].name);
      std::sort(names.begin(), names.end());
      all.insert(all.end(), paused.begin(), paused.end());
    }
    all_paused_.insert(all_paused_.end(), all.begin(), all.end());
    trees_[root].hosts = hosts_among(all);
  }

  std::size_t hosts_among(const std::vector<std::size_t>& ports) const {
    std::vector<std::size_t> hosts;
    for (const std::size_t port : ports) {
      if (host_of_[port] != kNoHost) hosts.push_back(host_of_[port]);
    }
    sort_unique(hosts);
    return hosts.size();
  }

  const PauseGraph& graph_;
  const std::vector<PausePort>& ports_;
  Time now_;
  std::vector<CongestionTree> trees_;                          // by root
  std::vector<std::vector<std::vector<std::size_t>>> paused_;  // ports by root and depth
  std::vector<std::size_t> all_paused_;
  std::vector<std::size_t> host_of_;  // by port
  std::size_t host_count_ = 0;
};

}  // namespace

std::string name_of(RootKind kind) {
  switch (kind) {
    case RootKind::kOversubscription:
      return "oversubscription";
    case RootKind::kReceiver:
      return "receiver";
    case RootKind::kCycle:
      return "cycle";
    case RootKind::kUnlogged:
      return "unlogged";
  }
  return {};
}

CongestionReport analyse_congestion(const std::vector<PausePort>& ports,
                                    const std::vector<FlowPath>& flows, Time now) {
  const PauseGraph graph(ports);
  CongestionReport report;
  const std::vector<std::size_t> place = Trees(graph, ports, now).finish(report);
  report.victims = find_victims(graph, ports, flows, now);
  for (VictimFlow& victim : report.victims) {
    victim.tree = place[victim.tree];
    report.victims_lost += victim.lost;
  }
  return report;
}

}  // namespace railyard
