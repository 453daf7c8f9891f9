#include "platforms/common/rdma/nic_fabric.h"

#include <algorithm>
#include <utility>

#include "hw/nic/qp_table.h"
#include "platforms/common/fabric/lossless_checks.h"
#include "platforms/common/fabric/story.h"
#include "tlm/base/error.h"
#include "waveforms/trace_file.h"

namespace railyard::rdma {

/// Counts what a host's NIC receives for its flows.
class NicFabric::Deliveries : public nic::DeliveryObserver {
 public:
  Deliveries(FlowBook& book, const std::vector<FlowEnd>& ends) : book_(book), ends_(ends) {}

  // No slot is used twice, so numbers follow each other.
  void delivered(std::uint32_t qp, std::uint32_t bytes, Time at) override {
    FlowRecord& record = book_.record(ends_[qp - nic::QpTable::kFirst].flow);
    record.received += bytes;
    record.received_at = at;
    record.bins.add(bytes, at);
  }

 private:
  FlowBook& book_;
  const std::vector<FlowEnd>& ends_;
};

NicFabric::NicFabric(const NicFabricConfig& config, Simulation& simulation, bool checks)
    : config_(config),
      simulation_(simulation),
      blocks_(config.fabric.congestion, context_.get()),
      topology_(build_topology(config.fabric.topology, config.fabric.link)),
      endpoints_(endpoints_of(topology_)),
      network_(topology_, config_.fabric.link, config_.fabric.switches, simulation, blocks_),
      ends_(endpoints_.size()) {
  const Routes routes(topology_, config.fabric.topology.routing);
  blocks_.on_tick([this](Time now) { context_.set_time(now); });
  add_flows(routes);
  check_pauses();
  add_hosts(checks);
  network_.add_routes(routes,
                      [this](std::uint32_t i) { return address_of(i, config_.hosts.nic.ip).ip; });
  add_programs();
  watch_congestion(routes);
  const std::size_t cycle =
      say_topology(topology_, routes, config.fabric.switches.buffers.pfc.enabled);
  totals_ = std::make_unique<FlowTotals>(*this, network_, cycle, simulation);
  StatisticsRegistry& statistics = simulation.partition(0).statistics();
  totals_->register_all(simulation);
  register_congestion_metrics(statistics, *congestion_);
  register_metrics(statistics);
}

NicFabric::~NicFabric() = default;

std::string NicFabric::text() const {
  return story_text(tell(*this, endpoints_, totals_->firsts(), simulation_.metrics()),
                    congestion_->at(simulation_.now()));
}

void NicFabric::join(TraceFile& trace, std::function<void(Time)> ticks) {
  for (const Blocks::Traced& block : blocks_.traced()) trace.add_model(block.name, block.trace);
  blocks_.on_tick(std::move(ticks));
  blocks_.set_traces();
}

bool NicFabric::complete(std::size_t flow) const {
  return book().record(flow).received == book().flow(flow).bytes();
}

// --- flows ---

void NicFabric::add_flows(const Routes& routes) {
  std::vector<Flow> flows =
      flows_of(config_, endpoints_, simulation_.partition(0).random("traffic"));
  const Mark& mark = config_.fabric.traffic.mark;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (!routes.join(topology_, flow.source, flow.destination)) {
      throw ConfigError(mark.place(),
                        "traffic: there is no route from " + endpoints_[flow.source].port + " to " +
                            endpoints_[flow.destination].port,
                        "take another pattern, or join the parts of the topology");
    }
    ends_[flow.source].push_back({i, true});
    ends_[flow.destination].push_back({i, false});
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) check_host(i, flows);
  const auto programs = static_cast<std::size_t>(
      std::count_if(ends_.begin(), ends_.end(), [](const auto& e) { return !e.empty(); }));
  setting_ = std::make_unique<FlowSetting>(std::move(flows), config_.requests,
                                           config_.fabric.data == DataMode::kCarried, programs);
}

/// Its NIC's queue pairs and its memory.
void NicFabric::check_host(std::size_t endpoint, const std::vector<Flow>& flows) const {
  const Mark& mark = config_.fabric.traffic.mark;
  const std::uint32_t most = config_.hosts.nic.limits.qps;
  if (ends_[endpoint].size() > most) {
    throw ConfigError(mark.place(),
                      "traffic: " + endpoints_[endpoint].port + " has more flows than the " +
                          std::to_string(most) + " queue pairs of a NIC",
                      "take fewer, or a larger nic.limits.qps");
  }
  std::uint64_t bytes = 0;
  for (const FlowEnd& end : ends_[endpoint]) bytes += flows[end.flow].message_size;
  if (bytes <= config_.hosts.host.memory.size / 2) return;
  throw ConfigError(mark.place(),
                    "traffic: a message of each flow of " + endpoints_[endpoint].host + " is " +
                        format_bytes(bytes) + ", more than half of a host's memory",
                    "write a smaller traffic.message_size, or a larger host.memory.size");
}

void NicFabric::check_pauses() const {
  const nic::NicConfig& nic = config_.hosts.nic;
  LosslessHosts hosts;
  hosts.response_key = "nic.receive.response_quanta";
  hosts.response_quanta = nic.receive.response_quanta;
  hosts.buffer_key = "nic.receive.buffer";
  hosts.buffer = nic.receive.buffer;
  hosts.xoff_key = "nic.receive.xoff";
  hosts.xoff = nic.receive.xoff;
  hosts.pauses = nic.receive.pfc;
  hosts.slow = [this](const Topology::Link& link) {
    return config_.hosts.of_host(topology_.nodes()[link.a.node].name).slower_than(link.rate);
  };
  hosts.cnp_key = "nic.cnp";
  hosts.cnp = nic.cnp;
  std::vector<LosslessFlow> flows;
  for (std::size_t i = 0; i < book().size(); ++i) {
    const Flow& flow = book().flow(i);
    const std::uint64_t payload = std::min<std::uint64_t>(flow.path_mtu, flow.message_size);
    flows.push_back({flow.priority(), flow.dscp(), static_cast<std::uint32_t>(payload)});
  }
  check_lossless(config_.fabric, topology_, hosts, flows);
}

// --- modules ---

void NicFabric::add_hosts(bool checks) {
  config_.hosts.check_slow(topology_);
  network_.add_hosts(
      [&](const std::string& name, const std::vector<HostPort>& ports) {
        const std::uint32_t endpoint = ports.front().endpoint;
        auto host = std::make_unique<RdmaHost>(name.c_str(), host_config(endpoint), ports.front(),
                                               nic_address(endpoint, config_.hosts.nic.ip), blocks_,
                                               checks);
        hosts_.push_back(host.get());
        return host;
      },
      checks);
}

/// The NIC has room for the queue pairs that there will be: its blocks of congestion control are
/// as large as that.
RdmaHostConfig NicFabric::host_config(std::uint32_t endpoint) const {
  RdmaHostConfig config = config_.hosts.of_host(endpoints_[endpoint].host);
  config.nic.limits.qps =
      static_cast<std::uint32_t>(std::max<std::size_t>(ends_[endpoint].size(), 1));
  for (const FlowEnd& end : ends_[endpoint]) {
    config.nic.qp_names.push_back(end.source ? "flow" + std::to_string(end.flow) : "");
  }
  if (config.nic.qp_names.empty()) config.nic.qp_names.emplace_back();
  return config;
}

void NicFabric::add_programs() {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].empty()) continue;
    programs_.push_back(std::make_unique<FlowProgram>(*setting_, ends_[i]));
    FlowProgram& program = *programs_.back();
    hosts_[i]->set_program([&program](Core& core, AddressSpace&) { program.run(core); },
                           neighbours_of(endpoints_.size(), config_.hosts.nic.ip));
    deliveries_.push_back(std::make_unique<Deliveries>(book(), ends_[i]));
    hosts_[i]->nic().set_delivery_observer(*deliveries_.back());
  }
}

void NicFabric::watch_congestion(const Routes& routes) {
  std::vector<FlowPath> paths;
  for (std::size_t i = 0; i < book().size(); ++i) {
    const Flow& flow = book().flow(i);
    FlowPath path;
    path.flow = i;
    path.source = network_.port_number(topology_.endpoints()[flow.source].nic);
    path.destination = network_.port_number(topology_.endpoints()[flow.destination].nic);
    path.priority = flow.priority();
    path.egresses = network_.egresses(routes, flow.source, flow.destination);
    paths.push_back(std::move(path));
  }
  congestion_ = std::make_unique<CongestionMonitor>(
      network_.pause_ports(), std::move(paths),
      [this](std::size_t flow) { return complete(flow) ? completed_at(flow) : kForever; },
      [this](std::size_t flow) { return started_at(flow); });
}

// --- metrics ---

void NicFabric::register_metrics(StatisticsRegistry& statistics) {
  for (std::size_t i = 0; i < book().size(); ++i) register_flow(statistics, i);
  register_variation(statistics);
  statistics.add(book().message_times(),
                 {"total.message_us", "us",
                  "From a message's posting to its completion's being taken, with those posted "
                  "before it ahead of it"},
                 static_cast<double>(kMicrosecond));
  statistics.add_derived(
      {"total.began_us", "us", "When all queue pairs stood and traffic began; 0: it has not"},
      [this](Time, Time) {
        const Time began = book().began();
        return MetricValue::of(began == kForever ? 0.0 : static_cast<double>(began) / kMicrosecond);
      });
  const auto sum = [&](const char* name, const char* unit, const char* doc, auto of) {
    statistics.add_derived({name, unit, doc}, [this, of](Time, Time) {
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < book().size(); ++i) all += of(book().record(i));
      return MetricValue::of(all);
    });
  };
  sum("total.failed_flows", "flows", "Flows of which a message ended with an error",
      [](const FlowRecord& r) -> std::uint64_t { return r.failed ? 1 : 0; });
  sum("total.wrong_bytes", "B",
      "Bytes that arrived otherwise than they were sent; with data: carried",
      [](const FlowRecord& r) { return r.wrong_bytes; });
}

double NicFabric::variation(std::size_t flow, Time now) const {
  return book().record(flow).bins.variation(complete(flow) ? completed_at(flow) : now);
}

void NicFabric::register_variation(StatisticsRegistry& statistics) {
  statistics.add_derived(
      {"total.goodput_variation", "1",
       "Coefficient of variation of a flow's goodput in bins of 1 ms from its start, or the end of "
       "warm-up, to its completion: mean over flows; 0: there are not two bins"},
      [this](Time now, Time) {
        double sum = 0;
        for (std::size_t i = 0; i < book().size(); ++i) sum += variation(i, now);
        return MetricValue::of(sum / static_cast<double>(std::max<std::size_t>(book().size(), 1)));
      });
  statistics.on_reset([this](Time now) {
    for (std::size_t i = 0; i < book().size(); ++i) {
      book().record(i).bins.begin(std::max(now, started_at(i)));
    }
  });
}

void NicFabric::register_flow(StatisticsRegistry& statistics, std::size_t flow) {
  const std::string prefix = "flow" + std::to_string(flow) + ".";
  statistics.add_derived({prefix + "completion_us", "us",
                          "When the flow's last byte was given to the receiver's PCIe, from when "
                          "traffic began, warm-up or not; 0: not yet"},
                         [this, flow](Time, Time) {
                           const Time took =
                               complete(flow) ? completed_at(flow) - book().began() : 0;
                           return MetricValue::of(static_cast<double>(took) / kMicrosecond);
                         });
  statistics.add_derived(
      {prefix + "goodput_gbps", "Gb/s",
       "Payload received over the time from start to completion, warm-up or not"},
      [this, flow](Time now, Time) {
        constexpr double kGigabitsPerSecond = 8000;  // of a byte a picosecond
        const Time end = complete(flow) ? completed_at(flow) : now;
        const Time start = started_at(flow);
        return MetricValue::of(start >= end
                                   ? 0.0
                                   : static_cast<double>(received_bytes(flow)) *
                                         kGigabitsPerSecond / static_cast<double>(end - start));
      });
}

}  // namespace railyard::rdma
