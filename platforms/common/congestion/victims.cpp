#include "platforms/common/congestion/victims.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace railyard {

namespace {

constexpr std::size_t kPriorities = PauseGraph::kPriorities;

/// A pause that a port obeyed, as far as a flow cares.
struct Hold {
  Time begin;
  Time end;
  std::uint32_t root;
};

class Victims {
 public:
  Victims(const PauseGraph& graph, const std::vector<PausePort>& ports, Time now)
      : graph_(graph),
        ports_(ports),
        now_(now),
        holds_(ports.size() * kPriorities),
        roots_(ports.size() * kPriorities),
        roots_at_(ports.size() * kPriorities),
        own_(graph.roots().size(), false),
        held_by_(graph.roots().size(), 0) {
    collect_holds();
    for (std::uint32_t i = 0; i < graph.roots().size(); ++i) {
      const PauseRoot& root = graph.roots()[i];
      const auto place = [&, i](std::size_t port) {
        roots_at_[slot(port, root.priority)].push_back(i);
      };
      if (root.members.empty()) place(root.port);
      for (const std::size_t member : root.members) place(member);
    }
  }

  std::optional<VictimFlow> look_at(const FlowPath& flow) {
    const Time end = std::min(flow.end, now_);
    if (end <= flow.start) return std::nullopt;
    mark_own(flow, true);
    std::optional<VictimFlow> victim = held_at_source(flow, end);
    if (!victim) victim = held_on_path(flow, end);
    mark_own(flow, false);
    return victim;
  }

 private:
  static std::size_t slot(std::size_t port, std::uint8_t priority) {
    return port * kPriorities + priority;
  }

  void collect_holds() {
    for (const LoggedDevice& device : graph_.devices()) {
      for (const PauseObeyed& obeyed : device.log->obeyed()) {
        add_hold(device.port(obeyed.port), obeyed);
      }
    }
    for (std::vector<std::uint32_t>& roots : roots_) {
      std::sort(roots.begin(), roots.end());
      roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    }
  }

  void add_hold(std::size_t port, const PauseObeyed& obeyed) {
    const std::uint32_t asked = graph_.latest_at(ports_[port].peer, obeyed.priority, obeyed.begin);
    if (asked == PauseGraph::kNone) return;
    const std::uint32_t root = graph_.pauses()[asked].root;
    if (graph_.roots()[root].kind == RootKind::kUnlogged) return;
    const std::size_t at = slot(port, obeyed.priority);
    holds_[at].push_back({obeyed.begin, std::min(obeyed.end, now_), root});
    if (roots_[at].empty() || roots_[at].back() != root) roots_[at].push_back(root);
  }

  /// The roots that the flow has a part in.
  void mark_own(const FlowPath& flow, bool own) {
    const auto mark = [&](std::size_t port, bool receiver) {
      for (const std::uint32_t root : roots_at_[slot(port, flow.priority)]) {
        if ((graph_.roots()[root].kind == RootKind::kReceiver) == receiver) own_[root] = own;
      }
    };
    for (const std::size_t egress : flow.egresses) mark(egress, false);
    mark(flow.destination, true);
  }

  bool has_foreign(std::size_t at) const {
    return std::any_of(roots_[at].begin(), roots_[at].end(),
                       [this](std::uint32_t root) { return !own_[root]; });
  }

  /// The union of the foreign pauses there, and the root of most of their time.
  std::optional<VictimFlow> held_at_source(const FlowPath& flow, Time end) {
    const std::size_t at = slot(flow.source, flow.priority);
    if (!has_foreign(at)) return std::nullopt;
    VictimFlow victim;
    victim.flow = flow.flow;
    Time counted = flow.start;
    for (const Hold& hold : holds_[at]) {
      if (hold.begin >= end) break;
      if (own_[hold.root]) continue;
      const Time from = std::max(hold.begin, counted);
      const Time to = std::min(hold.end, end);
      if (to <= from) continue;
      victim.lost += to - from;
      held_by_[hold.root] += to - from;
      counted = to;
    }
    if (victim.lost == 0) return std::nullopt;
    victim.share = static_cast<double>(victim.lost) / static_cast<double>(end - flow.start);
    Time most = 0;
    for (const std::uint32_t root : roots_[at]) {
      if (held_by_[root] > most) {
        most = held_by_[root];
        victim.tree = root;
      }
      held_by_[root] = 0;
    }
    return victim;
  }

  std::optional<VictimFlow> held_on_path(const FlowPath& flow, Time end) const {
    for (const std::size_t egress : flow.egresses) {
      const std::size_t at = slot(egress, flow.priority);
      if (!has_foreign(at)) continue;
      for (const Hold& hold : holds_[at]) {
        if (own_[hold.root] || hold.begin >= end || hold.end <= flow.start) continue;
        return VictimFlow{flow.flow, 0, 0, hold.root};
      }
    }
    return std::nullopt;
  }

  const PauseGraph& graph_;
  const std::vector<PausePort>& ports_;
  Time now_;
  std::vector<std::vector<Hold>> holds_;              // by slot, by begin
  std::vector<std::vector<std::uint32_t>> roots_;     // by slot: those of its holds, once each
  std::vector<std::vector<std::uint32_t>> roots_at_;  // by slot: those that lie there
  std::vector<bool> own_;                             // by root: of the flow looked at
  std::vector<Time> held_by_;                         // by root: of the flow looked at
};

}  // namespace

std::vector<VictimFlow> find_victims(const PauseGraph& graph, const std::vector<PausePort>& ports,
                                     const std::vector<FlowPath>& flows, Time now) {
  Victims look(graph, ports, now);
  std::vector<VictimFlow> victims;
  for (const FlowPath& flow : flows) {
    if (const auto victim = look.look_at(flow)) victims.push_back(*victim);
  }
  std::sort(victims.begin(), victims.end(), [](const VictimFlow& a, const VictimFlow& b) {
    return std::tie(b.lost, a.flow) < std::tie(a.lost, b.flow);
  });
  return victims;
}

}  // namespace railyard
