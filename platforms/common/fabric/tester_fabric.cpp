#include "platforms/common/fabric/tester_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hw/congestion/dcqcn.h"
#include "hw/tester/port.h"
#include "platforms/common/fabric/lossless_checks.h"
#include "platforms/common/fabric/modules.h"
#include "platforms/common/fabric/story.h"
#include "tlm/base/error.h"
#include "waveforms/trace_file.h"

namespace railyard {

TesterFabric::TesterFabric(const FabricConfig& config, Simulation& simulation, bool checks)
    : config_(config),
      simulation_(simulation),
      blocks_(config.congestion, context_.get()),
      topology_(build_topology(config.topology, config.link)),
      endpoints_(endpoints_of(topology_)),
      names_(endpoints_),
      network_(topology_, config_.link, config_.switches, simulation, blocks_) {
  const Routes routes(topology_, config.topology.routing);
  blocks_.on_tick([this](Time now) { context_.set_time(now); });
  build_hosts(checks);
  network_.add_routes(routes, [this](std::uint32_t i) { return address_of(i, config_.nic.ip).ip; });
  add_flows(routes);
  check_pauses();
  watch_congestion(routes);
  const std::size_t cycle = say_topology(topology_, routes, config_.switches.buffers.pfc.enabled);
  totals_ = std::make_unique<FlowTotals>(*this, network_, cycle, simulation);
  totals_->register_all(simulation);
  register_congestion_metrics(simulation.partition(0).statistics(), *congestion_);
}

TesterFabric::~TesterFabric() = default;

std::string TesterFabric::text() const {
  return story_text(tell(*this, endpoints_, totals_->firsts(), simulation_.metrics()),
                    congestion_->at(simulation_.now()));
}

void TesterFabric::join(TraceFile& trace, std::function<void(Time)> ticks) {
  for (const Blocks::Traced& block : blocks_.traced()) trace.add_model(block.name, block.trace);
  blocks_.on_tick(std::move(ticks));
  blocks_.set_traces();
}

// --- modules ---

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

void TesterFabric::build_hosts(bool checks) {
  network_.add_hosts(
      [this](const std::string& name, const std::vector<HostPort>& ports) {
        auto host = std::make_unique<Host>(name.c_str(), ports, *this);
        for (const auto& nic : host->nics) endpoint_ports_.push_back(nic.get());
        return host;
      },
      checks);
}

// --- flows ---

void TesterFabric::add_flows(const Routes& routes) {
  constexpr std::uint32_t kFirstQp = 0x100;
  const std::vector<FlowSpec> specs =
      make_flows(config_.traffic, endpoints_, simulation_.partition(0).random("traffic"));
  flows_.reserve(specs.size());
  for (const FlowSpec& spec : specs) {
    if (!routes.join(topology_, spec.source, spec.destination)) {
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

void TesterFabric::check_pauses() const {
  const TesterConfig& tester = config_.tester;
  LosslessHosts hosts;
  hosts.response_key = "tester.response_quanta";
  hosts.response_quanta = tester.response_quanta;
  hosts.buffer_key = "tester.receive_buffer";
  hosts.buffer = tester.receive_buffer;
  hosts.xoff_key = "tester.pfc.xoff";
  hosts.xoff = tester.pfc.xoff;
  hosts.pauses = tester.pfc.enabled;
  const bool slow = tester.drain_rate.has_value() || tester.receive_stall.probability > 0 ||
                    !tester.stuck.empty() || !config_.stuck.empty();
  hosts.slow = [slow](const Topology::Link& /*link*/) { return slow; };
  hosts.cnp_key = "tester.cnp";
  hosts.cnp = tester.cnp;
  std::vector<LosslessFlow> flows;
  for (const FlowConfig& flow : flows_) {
    const std::uint64_t payload = std::min<std::uint64_t>(flow.path_mtu, flow.message_size);
    flows.push_back({flow.priority, flow.dscp, static_cast<std::uint32_t>(payload)});
  }
  check_lossless(config_, topology_, hosts, flows);
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

bool TesterFabric::ended(std::size_t flow) const { return sink(flow).ended(flow); }

bool TesterFabric::complete(std::size_t flow) const { return sink(flow).complete(flow); }

Time TesterFabric::completed_at(std::size_t flow) const { return sink(flow).completed_at(flow); }

std::uint64_t TesterFabric::received_bytes(std::size_t flow) const {
  return sink(flow).received_bytes(flow);
}

}  // namespace railyard
