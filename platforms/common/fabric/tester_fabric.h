// A fabric of switches between testers, of any topology. Module names: host "h0" with ports
// "h0.nic0" and halves of links "h0.link0"; those of switches are in network.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/tester/flow.h"
#include "platforms/common/congestion/congestion_monitor.h"
#include "platforms/common/fabric/fabric_config.h"
#include "platforms/common/fabric/flow_results.h"
#include "platforms/common/fabric/flow_totals.h"
#include "platforms/common/fabric/network.h"
#include "platforms/common/platform.h"
#include "platforms/common/topology/routes.h"
#include "platforms/common/topology/topology.h"
#include "tlm/sim/simulation.h"
#include "waveforms/rtl_context.h"

namespace railyard {

class TesterPort;

class TesterFabric : public Fabric, public FlowResults {
 public:
  /// Throws ConfigError for what a configuration cannot show before it is built: a buffer that is
  /// too small for headrooms and reserves, a missing response time, a flow without a route, a wrong
  /// list of flows.
  TesterFabric(const FabricConfig& config, Simulation& simulation, bool checks);
  ~TesterFabric() override;

  std::vector<std::string> summary() const override { return {}; }
  std::string text() const override;
  const CongestionReport* congestion(Time now) override { return &congestion_->at(now); }

  Blocks* blocks() override { return &blocks_; }
  void join(TraceFile& trace, std::function<void(Time)> ticks) override;

  const Topology& topology() const { return topology_; }
  const std::vector<FlowConfig>& flows() const { return flows_; }

 private:
  std::size_t flow_count() const override { return flows_.size(); }
  std::uint32_t source_of(std::size_t flow) const override { return flow_ends_[flow].source; }
  std::uint32_t destination_of(std::size_t flow) const override {
    return flow_ends_[flow].destination;
  }
  std::uint64_t bytes_of(std::size_t flow) const override {
    return flows_[flow].messages * flows_[flow].message_size;
  }
  Time started_at(std::size_t flow) const override { return flows_[flow].start; }
  bool ended(std::size_t flow) const override;
  bool complete(std::size_t flow) const override;
  Time completed_at(std::size_t flow) const override;
  std::uint64_t received_bytes(std::size_t flow) const override;

  struct Host;
  struct FlowEnds {
    std::uint32_t source;
    std::uint32_t destination;
  };

  void build_hosts(bool checks);
  void add_flows(const Routes& routes);
  void check_contexts() const;
  void check_pauses() const;
  void watch_congestion(const Routes& routes);
  TesterPort& endpoint_port(std::uint32_t endpoint) const { return *endpoint_ports_[endpoint]; }
  TesterConfig tester_config(std::uint32_t endpoint) const;

  const TesterPort& sink(std::size_t flow) const {
    return endpoint_port(flow_ends_[flow].destination);
  }

  FabricConfig config_;
  Simulation& simulation_;
  RtlContext context_;
  Blocks blocks_;
  Topology topology_;
  std::vector<PatternEndpoint> endpoints_;
  EndpointNames names_;
  Network network_;
  std::vector<TesterPort*> endpoint_ports_;  // [endpoint]
  std::vector<FlowConfig> flows_;
  std::vector<FlowEnds> flow_ends_;
  std::unique_ptr<FlowTotals> totals_;
  std::unique_ptr<CongestionMonitor> congestion_;
};

}  // namespace railyard
