#include "platforms/common/fabric/tester_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "hw/congestion/dcqcn.h"
#include "hw/eth_switch/eth_switch.h"
#include "hw/eth_switch/switch_port.h"
#include "hw/tester/port.h"
#include "platforms/common/fabric/lossless_checks.h"
#include "platforms/common/fabric/modules.h"
#include "platforms/common/topology/dependencies.h"
#include "platforms/common/topology/summary.h"
#include "tlm/base/error.h"
#include "tlm/link/link.h"
#include "tlm/link/link_checker.h"
#include "waveforms/trace_file.h"

namespace railyard {

TesterFabric::TesterFabric(const FabricConfig& config, Simulation& simulation, bool checks)
    : config_(config),
      simulation_(simulation),
      blocks_(config.congestion, context_.get()),
      topology_(build_topology(config.topology, config.link)),
      endpoints_(endpoints_of(topology_)),
      names_(endpoints_) {
  const Routes routes(topology_, config.topology.routing);
  blocks_.on_tick([this](Time now) { context_.set_time(now); });
  build_switches();
  build_hosts();
  connect_links(checks);
  add_routes(routes);
  add_flows(routes);
  check_lossless(config_, topology_, flows_);
  say_topology(routes);
  watch_congestion(routes);
  register_totals(simulation.partition(0).statistics());
  register_congestion_metrics(simulation.partition(0).statistics(), *congestion_);
}

TesterFabric::~TesterFabric() = default;

void TesterFabric::join(TraceFile& trace, std::function<void(Time)> ticks) {
  for (const Blocks::Traced& block : blocks_.traced()) trace.add_model(block.name, block.trace);
  blocks_.on_tick(std::move(ticks));
  blocks_.set_traces();
}

// --- modules ---

Partition& TesterFabric::partition_of(std::uint32_t switch_node) {
  const std::size_t number = switch_node - topology_.hosts();
  return simulation_.partition(number * simulation_.partition_count() / topology_.switches());
}

LinkConfig TesterFabric::link_config(const Topology::Link& link) const {
  LinkConfig config = config_.link;
  config.rate = link.rate;
  config.length = link.length;
  return config;
}

std::string TesterFabric::port_name(Topology::Port port) const {
  const Topology::Node& node = topology_.nodes()[port.node];
  return node.name + (node.is_switch ? ".port" : ".nic") + std::to_string(port.port);
}

void TesterFabric::build_switches() {
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
                                                 partition_of(node), config_.switches, lines[i],
                                                 blocks_));
  }
}

TesterConfig TesterFabric::tester_config(std::uint32_t endpoint) const {
  TesterConfig config = config_.tester;
  config.congestion = config_.congestion;
  for (const StuckPort& stuck : config_.stuck) {
    if (endpoint_of(stuck, names_) != endpoint) continue;
    config.stuck.push_back({stuck.at, stuck.lasts});
  }
  std::sort(config.stuck.begin(), config.stuck.end(),
            [](const StuckWindow& a, const StuckWindow& b) { return a.at < b.at; });
  return config;
}

void TesterFabric::build_hosts() {
  for (std::uint32_t node = 0; node < topology_.hosts(); ++node) {
    std::vector<HostPort> ports;
    for (std::uint32_t i = static_cast<std::uint32_t>(endpoint_ports_.size());
         i < endpoints_.size() && topology_.endpoints()[i].nic.node == node; ++i) {
      const Topology::Endpoint& endpoint = topology_.endpoints()[i];
      ports.push_back({endpoint.nic.port, partition_of(endpoint.at.node), tester_config(i),
                       address_of(i, config_.nic.ip), link_config(topology_.links()[i]),
                       port_name(endpoint.at)});
    }
    hosts_.push_back(std::make_unique<Host>(topology_.nodes()[node].name.c_str(), ports, blocks_));
    for (const auto& nic : hosts_.back()->nics) endpoint_ports_.push_back(nic.get());
  }
}

LinkEnd& TesterFabric::link_end(Topology::Port port) {
  return port.node < topology_.hosts() ? hosts_[port.node]->link(port.port)
                                       : switches_[port.node - topology_.hosts()]->link(port.port);
}

void TesterFabric::connect_links(bool checks) {
  for (const Topology::Link& link : topology_.links()) {
    LinkEnd::connect(link_end(link.a), link_end(link.b));
    if (checks) check_link(link_end(link.a), link_end(link.b));
  }
}

void TesterFabric::add_routes(const Routes& routes) {
  for (std::uint32_t i = 0; i < topology_.switches(); ++i) {
    Forwarding& forwarding = switches_[i]->forwarding();
    for (std::uint32_t endpoint = 0; endpoint < endpoints_.size(); ++endpoint) {
      const PortList ports = routes.ports(topology_.hosts() + i, endpoint);
      if (ports.empty()) continue;
      const Forwarding::GroupId group = forwarding.add_group({ports.begin(), ports.end()});
      std::visit([&](const auto& ip) { forwarding.add_route(ip, group); },
                 address_of(endpoint, config_.nic.ip).ip);
    }
  }
}

// --- flows ---

void TesterFabric::add_flows(const Routes& routes) {
  constexpr std::uint32_t kFirstQp = 0x100;
  const std::vector<FlowSpec> specs =
      make_flows(config_.traffic, endpoints_, simulation_.partition(0).random("traffic"));
  flows_.reserve(specs.size());
  for (const FlowSpec& spec : specs) {
    if (routes.ports(topology_.endpoints()[spec.source].at.node, spec.destination).empty()) {
      throw ConfigError(config_.traffic.mark.place(),
                        "traffic: there is no route from " + endpoints_[spec.source].port + " to " +
                            endpoints_[spec.destination].port,
                        "take another pattern, or join the parts of the topology");
    }
    FlowConfig flow;
    flow.index = static_cast<std::uint32_t>(flows_.size());
    flow.data = config_.data;
    flow.source = address_of(spec.source, config_.nic.ip);
    flow.destination = address_of(spec.destination, config_.nic.ip);
    flow.source_qp = kFirstQp + 2 * flow.index;
    flow.destination_qp = flow.source_qp + 1;
    flow.messages = spec.messages;
    flow.message_size = spec.message_size;
    flow.path_mtu = config_.nic.path_mtu;
    flow.priority = spec.priority;
    flow.dscp = config_.traffic.dscp_of(spec.priority);
    flow.vlan = config_.traffic.vlan;
    flow.ecn = config_.traffic.ect;
    flow.start = spec.start;
    flow.rate = spec.rate;
    endpoint_port(spec.source).send_flow(flow);
    endpoint_port(spec.destination).expect_flow(flow);
    flows_.push_back(flow);
    flow_ends_.push_back({spec.source, spec.destination});
  }
  check_contexts();
  for (TesterPort* port : endpoint_ports_) port->seal();
}

// The blocks of congestion control hold so many queue pairs of a port.
void TesterFabric::check_contexts() const {
  const auto check = [&](bool counts, std::uint32_t FlowEnds::*end, const char* does) {
    if (!counts) return;
    std::vector<std::size_t> flows(endpoints_.size());
    for (const FlowEnds& ends : flow_ends_) {
      if (++flows[ends.*end] <= Dcqcn::kMostQueuePairs) continue;
      throw ConfigError(config_.traffic.mark.place(),
                        fmt::format("traffic: {} {} more than {} flows, the queue pairs that a "
                                    "port's congestion control holds",
                                    endpoints_[ends.*end].port, does, Dcqcn::kMostQueuePairs),
                        "take fewer flows, or congestion.algorithm: none and no tester.cnp");
    }
  };
  check(config_.congestion.controls(), &FlowEnds::source, "sends");
  check(config_.tester.cnp.enabled, &FlowEnds::destination, "receives");
}

void TesterFabric::say_topology(const Routes& routes) {
  const std::string text = railyard::summary(topology_, routes);
  cycle_ = find_dependency_cycle(topology_, routes);
  const bool may_deadlock = !cycle_.empty() && config_.switches.buffers.pfc.enabled;
  sc_core::sc_report_handler::report(may_deadlock ? sc_core::SC_WARNING : sc_core::SC_INFO,
                                     "topology", text.c_str(), __FILE__, __LINE__);
}

}  // namespace railyard
