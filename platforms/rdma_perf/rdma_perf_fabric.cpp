#include "platforms/rdma_perf/rdma_perf_fabric.h"

#include <algorithm>
#include <utility>

#include "tlm/base/error.h"
#include "waveforms/trace_file.h"

namespace railyard::rdma_perf {

RdmaPerfFabric::RdmaPerfFabric(const RdmaPerfConfig& config, Simulation& simulation, bool checks)
    : config_(config),
      simulation_(simulation),
      blocks_(config.congestion, context_.get()),
      topology_(build_topology(config.topology, config.link)),
      pairs_(pairs_of(config_, topology_)),
      network_(topology_, config_.link, config_.switches, simulation, blocks_) {
  const Routes routes(topology_, config_.topology.routing);
  blocks_.on_tick([this](Time now) { context_.set_time(now); });
  for (const HostPair& pair : pairs_) {
    if (routes.join(topology_, pair.client, pair.server)) continue;
    throw ConfigError("", "topology: there is no route between the hosts of a pair",
                      "join the parts of the topology");
  }
  add_hosts(checks);
  network_.add_routes(routes, [this](std::uint32_t endpoint) {
    return address_of(endpoint, config_.hosts.nic.ip).ip;
  });
  add_programs();
  watch_congestion(routes);
  register_metrics(simulation.partition(0).statistics());
}

RdmaPerfFabric::~RdmaPerfFabric() = default;

void RdmaPerfFabric::join(TraceFile& trace, std::function<void(Time)> ticks) {
  for (const Blocks::Traced& block : blocks_.traced()) trace.add_model(block.name, block.trace);
  blocks_.on_tick(std::move(ticks));
  blocks_.set_traces();
}

void RdmaPerfFabric::add_hosts(bool checks) {
  config_.hosts.check_slow(topology_);
  network_.add_hosts(
      [&](const std::string& name, const std::vector<HostPort>& ports) {
        auto host = std::make_unique<rdma::RdmaHost>(
            name.c_str(), config_.hosts.of_host(name), ports.front(),
            rdma::nic_address(ports.front().endpoint, config_.hosts.nic.ip), blocks_, checks);
        hosts_.push_back(host.get());
        return host;
      },
      checks);
}

void RdmaPerfFabric::add_programs() {
  std::vector<std::vector<Role>> roles(topology_.hosts());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    roles[pairs_[i].client].push_back({i, true});
    roles[pairs_[i].server].push_back({i, false});
  }
  const auto programs = static_cast<std::size_t>(
      std::count_if(roles.begin(), roles.end(), [](const auto& r) { return !r.empty(); }));
  setting_ = std::make_unique<Setting>(config_.test, config_.data == DataMode::kCarried, programs);
  Results& results = setting_->results;
  results.programs = programs;
  for (const Bytes& size : config_.test.sizes) results.sizes.emplace_back(size, config_.test.test);
  for (const HostPair& pair : pairs_) {
    results.pairs.emplace_back();
    results.pairs.back().name =
        topology_.nodes()[pair.client].name + " to " + topology_.nodes()[pair.server].name;
  }
  for (std::uint32_t node = 0; node < topology_.hosts(); ++node) {
    if (!roles[node].empty()) start_program(node, std::move(roles[node]));
  }
  if (config_.test.measure != Measure::kLatency) return;
  hosts_[pairs_.front().client]->nic().set_observer(setting_->passed[0]);
  hosts_[pairs_.front().server]->nic().set_observer(setting_->passed[1]);
}

void RdmaPerfFabric::start_program(std::uint32_t node, std::vector<Role> roles) {
  programs_.push_back(std::make_unique<Program>(*setting_, std::move(roles)));
  Program& program = *programs_.back();
  hosts_[node]->set_program(
      [&program](Core& core, AddressSpace& memory) { program.run(core, memory); },
      rdma::neighbours_of(topology_.endpoints().size(), config_.hosts.nic.ip));
}

void RdmaPerfFabric::watch_congestion(const Routes& routes) {
  constexpr unsigned kPriorityShift = 5;  // of a traffic class
  std::vector<FlowPath> paths;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    // What a READ moves comes from the server.
    const bool back = config_.test.test == TestKind::kRead;
    const std::uint32_t source = back ? pairs_[i].server : pairs_[i].client;
    const std::uint32_t destination = back ? pairs_[i].client : pairs_[i].server;
    FlowPath path;
    path.flow = i;
    path.source = network_.port_number(topology_.endpoints()[source].nic);
    path.destination = network_.port_number(topology_.endpoints()[destination].nic);
    path.priority = static_cast<std::uint8_t>(config_.test.traffic_class >> kPriorityShift);
    path.egresses = network_.egresses(routes, source, destination);
    paths.push_back(std::move(path));
  }
  congestion_ = std::make_unique<CongestionMonitor>(
      network_.pause_ports(), std::move(paths), [this](std::size_t pair) {
        const bool over = setting_->results.finished == setting_->results.programs;
        return over ? setting_->results.pairs[pair].ended : kForever;
      });
}

std::string RdmaPerfFabric::text() const {
  if (config_.test.measure == Measure::kLatency) {
    std::vector<LatencyRow> rows;
    for (const SizeResult& size : setting_->results.sizes) rows.push_back(size.latency);
    return latency_table(rows) + "\n";
  }
  std::vector<BandwidthRow> rows;
  for (const SizeResult& size : setting_->results.sizes) {
    rows.push_back(size.bandwidth);
    rows.back().bytes = size.bytes;
  }
  return bandwidth_table(rows) + "\n";
}

}  // namespace railyard::rdma_perf
