// A fabric of switches between hosts with NICs, whose flows are RDMA WRITEs that software posts.
// Module names: those of network.h and rdma_host.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "platforms/common/congestion/congestion_monitor.h"
#include "platforms/common/fabric/flow_results.h"
#include "platforms/common/fabric/flow_totals.h"
#include "platforms/common/fabric/network.h"
#include "platforms/common/platform.h"
#include "platforms/common/rdma/nic_fabric_config.h"
#include "platforms/common/rdma/rdma_host.h"
#include "platforms/common/verbs/flow_program.h"
#include "waveforms/rtl_context.h"

namespace railyard::rdma {

class NicFabric : public Fabric, public FlowResults {
 public:
  /// Throws ConfigError for what a configuration cannot show before it is built.
  NicFabric(const NicFabricConfig& config, Simulation& simulation, bool checks);
  ~NicFabric() override;

  std::vector<std::string> summary() const override { return {}; }
  std::string text() const override;
  const CongestionReport* congestion(Time now) override { return &congestion_->at(now); }
  Blocks* blocks() override { return &blocks_; }
  void join(TraceFile& trace, std::function<void(Time)> ticks) override;

 private:
  class Deliveries;

  FlowBook& book() { return setting_->book; }
  const FlowBook& book() const { return setting_->book; }

  std::size_t flow_count() const override { return book().size(); }
  std::uint32_t source_of(std::size_t flow) const override { return book().flow(flow).source; }
  std::uint32_t destination_of(std::size_t flow) const override {
    return book().flow(flow).destination;
  }
  std::uint64_t bytes_of(std::size_t flow) const override { return book().flow(flow).bytes(); }
  Time began() const override { return book().began(); }
  Time started_at(std::size_t flow) const override { return book().start_of(flow); }
  bool ended(std::size_t flow) const override { return complete(flow); }
  bool complete(std::size_t flow) const override;
  Time completed_at(std::size_t flow) const override { return book().record(flow).received_at; }
  std::uint64_t received_bytes(std::size_t flow) const override {
    return book().record(flow).received;
  }

  void add_flows(const Routes& routes);
  void check_host(std::size_t endpoint, const std::vector<Flow>& flows) const;
  void check_pauses() const;
  void add_hosts(bool checks);
  RdmaHostConfig host_config(std::uint32_t endpoint) const;
  void add_programs();
  void watch_congestion(const Routes& routes);
  void register_metrics(StatisticsRegistry& statistics);
  void register_flow(StatisticsRegistry& statistics, std::size_t flow);
  void register_variation(StatisticsRegistry& statistics);
  double variation(std::size_t flow, Time now) const;

  NicFabricConfig config_;
  Simulation& simulation_;
  RtlContext context_;
  Blocks blocks_;
  Topology topology_;
  std::vector<PatternEndpoint> endpoints_;
  Network network_;
  std::vector<RdmaHost*> hosts_;            // [endpoint], which is its node too
  std::vector<std::vector<FlowEnd>> ends_;  // [endpoint], in the order of their queue pairs
  std::unique_ptr<FlowSetting> setting_;
  std::vector<std::unique_ptr<FlowProgram>> programs_;
  std::vector<std::unique_ptr<Deliveries>> deliveries_;
  std::unique_ptr<FlowTotals> totals_;
  std::unique_ptr<CongestionMonitor> congestion_;
};

}  // namespace railyard::rdma
