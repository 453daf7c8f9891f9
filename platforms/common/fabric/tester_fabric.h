// A fabric of switches between testers, of any topology. Module names: host "h0" with ports
// "h0.nic0" and halves of links "h0.link0"; those of switches are in network.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/tester/flow.h"
#include "platforms/common/congestion/congestion_monitor.h"
#include "platforms/common/fabric/fabric_config.h"
#include "platforms/common/fabric/network.h"
#include "platforms/common/platform.h"
#include "platforms/common/topology/routes.h"
#include "platforms/common/topology/topology.h"
#include "tlm/sim/simulation.h"
#include "waveforms/rtl_context.h"

namespace railyard {

class TesterPort;

class TesterFabric : public Fabric {
 public:
  /// Throws ConfigError for what a configuration cannot show before it is built: a buffer that is
  /// too small for headrooms and reserves, a missing response time, a flow without a route, a wrong
  /// list of flows.
  TesterFabric(const FabricConfig& config, Simulation& simulation, bool checks);
  ~TesterFabric() override;

  std::vector<std::string> summary() const override;
  const CongestionReport* congestion(Time now) override { return &congestion_->at(now); }

  Blocks* blocks() override { return &blocks_; }
  void join(TraceFile& trace, std::function<void(Time)> ticks) override;

  const Topology& topology() const { return topology_; }
  const std::vector<FlowConfig>& flows() const { return flows_; }

 private:
  struct Host;
  struct FlowEnds {
    std::uint32_t source;
    std::uint32_t destination;
  };

  void build_hosts(bool checks);
  void add_flows(const Routes& routes);
  void check_contexts() const;
  void say_topology(const Routes& routes);
  void watch_congestion(const Routes& routes);
  void register_totals(StatisticsRegistry& statistics);

  using Values = std::map<std::string, double>;
  void append_switches(const Values& values, std::vector<std::string>& names) const;
  void append_ports(const Values& values, std::vector<std::string>& names) const;

  TesterPort& endpoint_port(std::uint32_t endpoint) const { return *endpoint_ports_[endpoint]; }
  TesterConfig tester_config(std::uint32_t endpoint) const;

  Time ended_at(std::size_t flow, Time now) const;
  double goodput_gbps(Time now) const;
  double fairness(Time now) const;
  std::uint64_t unfinished_flows() const;
  std::uint64_t dropped_frames() const;
  double completion_us() const;

  FabricConfig config_;
  Simulation& simulation_;
  RtlContext context_;
  Blocks blocks_;
  Topology topology_;
  std::vector<PatternEndpoint> endpoints_;
  EndpointNames names_;
  std::vector<Topology::Port> cycle_;  // of buffer dependencies
  Network network_;
  std::vector<TesterPort*> endpoint_ports_;  // [endpoint]
  std::vector<FlowConfig> flows_;
  std::vector<FlowEnds> flow_ends_;
  std::unique_ptr<CongestionMonitor> congestion_;
};

}  // namespace railyard
