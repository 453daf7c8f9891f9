#include "platforms/common/topology/dependencies.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <utility>

namespace railyard {

namespace {

using PortSet = std::bitset<kMaxSwitchPorts>;

/// The egress ports of switches as the nodes of a graph. A port waits for ports of one switch, that
/// at the other end of its cable, so a set of port numbers holds its edges.
class Dependencies {
 public:
  Dependencies(const Topology& topology, const Routes& routes) : topology_(topology) {
    first_.push_back(0);
    for (const Topology::Node& node : topology.nodes()) {
      first_.push_back(first_.back() + (node.is_switch ? node.ports : 0));
    }
    waits_.resize(first_.back());
    std::vector<bool> done(topology.nodes().size(), false);
    for (std::uint32_t e = 0; e < topology.endpoints().size(); ++e) {
      const std::uint32_t at = topology.endpoints()[e].at.node;
      if (at < topology.hosts()) continue;  // back to back
      if (!done[at]) sources_.push_back(at);
      if (!done[at]) targets_.push_back(e);
      done[at] = true;
    }
    for (const std::uint32_t e : targets_) add_routes(routes, e);
  }

  std::vector<Topology::Port> cycle() {
    state_.assign(waits_.size(), State::kNew);
    for (std::uint32_t node = topology_.hosts(); node < topology_.nodes().size(); ++node) {
      for (std::uint32_t port = 0; port < topology_.nodes()[node].ports; ++port) {
        if (waits_[index({node, port})].none()) continue;
        std::vector<Topology::Port> found = search({node, port});
        if (!found.empty()) return found;
      }
    }
    return {};
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  struct Step {
    Topology::Port port;
    std::uint32_t next;  // port number to try at the peer
  };

  std::size_t index(Topology::Port port) const { return first_[port.node] + port.port; }

  /// All routes from switches with hosts to endpoint `e`.
  void add_routes(const Routes& routes, std::uint32_t e) {
    const std::uint32_t to = topology_.endpoints()[e].at.node;
    std::vector<bool> seen(topology_.nodes().size(), false);
    std::vector<std::uint32_t> pending = sources_;
    for (const std::uint32_t node : sources_) seen[node] = true;
    while (!pending.empty()) {
      const std::uint32_t node = pending.back();
      pending.pop_back();
      if (node == to) continue;
      for (const std::uint16_t port : routes.ports(node, e)) {
        const std::uint32_t next = topology_.peer({node, port})->node;
        if (next != to) {
          PortSet& waits = waits_[index({node, port})];
          for (const std::uint16_t egress : routes.ports(next, e)) waits.set(egress);
        }
        if (!seen[next]) pending.push_back(next);
        seen[next] = true;
      }
    }
  }

  /// Depth first from `start`.
  std::vector<Topology::Port> search(Topology::Port start) {
    if (state_[index(start)] != State::kNew) return {};
    std::vector<Step> path;
    enter(path, start);
    while (!path.empty()) {
      Step& step = path.back();
      const PortSet& waits = waits_[index(step.port)];
      while (step.next < kMaxSwitchPorts && !waits[step.next]) ++step.next;
      if (step.next == kMaxSwitchPorts) {
        state_[index(step.port)] = State::kDone;
        path.pop_back();
        continue;
      }
      const Topology::Port next{topology_.peer(step.port)->node, step.next++};
      if (state_[index(next)] == State::kOpen) return tail(path, next);
      if (state_[index(next)] == State::kNew) enter(path, next);
    }
    return {};
  }

  void enter(std::vector<Step>& path, Topology::Port port) {
    state_[index(port)] = State::kOpen;
    path.push_back({port, 0});
  }

  static std::vector<Topology::Port> tail(const std::vector<Step>& path, Topology::Port from) {
    std::vector<Topology::Port> ports;
    for (const Step& step : path) {
      if (!ports.empty() || step.port == from) ports.push_back(step.port);
    }
    return ports;
  }

  const Topology& topology_;
  std::vector<std::size_t> first_;
  std::vector<PortSet> waits_;
  std::vector<State> state_;
  std::vector<std::uint32_t> sources_;  // switches with hosts
  std::vector<std::uint32_t> targets_;  // an endpoint of each
};

}  // namespace

std::vector<Topology::Port> find_dependency_cycle(const Topology& topology, const Routes& routes) {
  return Dependencies(topology, routes).cycle();
}

}  // namespace railyard
