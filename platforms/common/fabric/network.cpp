#include "platforms/common/fabric/network.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hw/eth_switch/eth_switch.h"
#include "hw/eth_switch/switch_port.h"
#include "platforms/common/topology/dependencies.h"
#include "platforms/common/topology/summary.h"
#include "tlm/link/link.h"
#include "tlm/link/link_checker.h"

namespace railyard {

struct Network::Switch : EthSwitch {
  Switch(sc_core::sc_module_name name, Partition& partition, const SwitchConfig& config,
         const std::vector<std::optional<SwitchLine>>& lines, Blocks& blocks)
      : EthSwitch(name, partition, config, lines, {}, &blocks), links(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i]) continue;
      links[i] = std::make_unique<LinkEnd>(("link" + std::to_string(i)).c_str(), partition,
                                           lines[i]->link, announce());
      bind_both(port(static_cast<PortId>(i)), *links[i]);
    }
  }

  std::vector<std::unique_ptr<LinkEnd>> links;
};

Network::Network(const Topology& topology, const LinkConfig& link, const SwitchConfig& switches,
                 Simulation& simulation, Blocks& blocks)
    : topology_(topology), link_(link), simulation_(simulation) {
  add_switches(switches, blocks);
  for (const Topology::Link& cable : topology_.links()) {
    port_numbers_.emplace(cable.a, port_numbers_.size());
    port_numbers_.emplace(cable.b, port_numbers_.size());
  }
}

Network::~Network() = default;

Partition& Network::partition_of(std::uint32_t node) {
  const bool is_switch = node >= topology_.hosts();
  const std::size_t number = is_switch ? node - topology_.hosts() : node;
  const std::size_t count = is_switch ? topology_.switches() : topology_.hosts();
  return simulation_.partition(number * simulation_.partition_count() / count);
}

LinkConfig Network::link_config(const Topology::Link& link) const {
  LinkConfig config = link_;
  config.rate = link.rate;
  config.length = link.length;
  return config;
}

std::string Network::port_name(Topology::Port port) const {
  const Topology::Node& node = topology_.nodes()[port.node];
  return node.name + (node.is_switch ? ".port" : ".nic") + std::to_string(port.port);
}

void Network::add_switches(const SwitchConfig& config, Blocks& blocks) {
  std::vector<std::vector<std::optional<SwitchLine>>> lines(topology_.switches());
  for (std::uint32_t i = 0; i < topology_.switches(); ++i) {
    lines[i].resize(topology_.nodes()[topology_.hosts() + i].ports);
  }
  const auto add = [&](Topology::Port port, Topology::Port peer, const LinkConfig& link) {
    if (port.node < topology_.hosts()) return;
    lines[port.node - topology_.hosts()][port.port] = SwitchLine{link, port_name(peer)};
  };
  for (const Topology::Link& link : topology_.links()) {
    add(link.a, link.b, link_config(link));
    add(link.b, link.a, link_config(link));
  }
  for (std::uint32_t i = 0; i < topology_.switches(); ++i) {
    const std::uint32_t node = topology_.hosts() + i;
    switches_.push_back(std::make_unique<Switch>(topology_.nodes()[node].name.c_str(),
                                                 partition_of(node), config, lines[i], blocks));
    views_.push_back(switches_.back().get());
  }
}

void Network::add_hosts(const MakeHost& make, bool checks) {
  const std::vector<Topology::Endpoint>& endpoints = topology_.endpoints();
  std::uint32_t next = 0;
  for (std::uint32_t node = 0; node < topology_.hosts(); ++node) {
    std::vector<HostPort> ports;
    for (; next < endpoints.size() && endpoints[next].nic.node == node; ++next) {
      const Topology::Endpoint& endpoint = endpoints[next];
      const bool at_switch = endpoint.at.node >= topology_.hosts();
      ports.push_back({endpoint.nic.port, next, partition_of(at_switch ? endpoint.at.node : node),
                       link_config(topology_.links()[endpoint.link]), port_name(endpoint.at)});
    }
    hosts_.push_back(make(topology_.nodes()[node].name, ports));
  }
  for (const Topology::Link& link : topology_.links()) {
    LinkEnd::connect(link_end(link.a), link_end(link.b));
    if (checks) check_link(link_end(link.a), link_end(link.b));
  }
}

LinkEnd& Network::link_end(Topology::Port port) {
  return port.node < topology_.hosts()
             ? hosts_[port.node]->link(port.port)
             : *switches_[port.node - topology_.hosts()]->links[port.port];
}

void Network::add_routes(const Routes& routes, const IpOf& ip_of) {
  for (std::uint32_t i = 0; i < topology_.switches(); ++i) {
    Forwarding& forwarding = switches_[i]->forwarding();
    for (std::uint32_t endpoint = 0; endpoint < topology_.endpoints().size(); ++endpoint) {
      const PortList ports = routes.ports(topology_.hosts() + i, endpoint);
      if (ports.empty()) continue;
      const Forwarding::GroupId group = forwarding.add_group({ports.begin(), ports.end()});
      std::visit([&](const auto& ip) { forwarding.add_route(ip, group); }, ip_of(endpoint));
    }
  }
}

std::uint64_t Network::dropped_frames() const {
  std::uint64_t dropped = 0;
  for (const auto& node : switches_) dropped += node->dropped_frames();
  return dropped;
}

std::vector<PausePort> Network::pause_ports() {
  std::vector<PausePort> ports(port_numbers_.size());
  for (const auto& [at, number] : port_numbers_) {
    PausePort& port = ports[number];
    port.name = port_name(at);
    port.peer = port_numbers_.at(*topology_.peer(at));
    port.host = at.node < topology_.hosts();
    if (port.host) {
      port.log = &hosts_[at.node]->pause_log(at.port);
    } else {
      port.log = &switches_[at.node - topology_.hosts()]->pause_log();
      port.number = static_cast<std::uint16_t>(at.port);
    }
  }
  return ports;
}

std::vector<std::size_t> Network::egresses(const Routes& routes, std::uint32_t source,
                                           std::uint32_t destination) const {
  std::vector<std::size_t> egresses;
  std::vector<std::uint32_t> nodes = {topology_.endpoints()[source].at.node};
  if (nodes.front() < topology_.hosts()) return egresses;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint16_t port : routes.ports(nodes[i], destination)) {
      const Topology::Port at{nodes[i], port};
      egresses.push_back(port_numbers_.at(at));
      const std::uint32_t next = topology_.peer(at)->node;
      if (next < topology_.hosts()) continue;
      if (std::find(nodes.begin(), nodes.end(), next) == nodes.end()) nodes.push_back(next);
    }
  }
  return egresses;
}

std::size_t say_topology(const Topology& topology, const Routes& routes, bool pauses) {
  const std::string text = summary(topology, routes);
  const std::size_t cycle = find_dependency_cycle(topology, routes).size();
  const bool may_deadlock = cycle != 0 && pauses;
  sc_core::sc_report_handler::report(may_deadlock ? sc_core::SC_WARNING : sc_core::SC_INFO,
                                     "topology", text.c_str(), __FILE__, __LINE__);
  return cycle;
}

}  // namespace railyard
