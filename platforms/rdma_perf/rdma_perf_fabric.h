// The modules and programs of one run of rdma_perf.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "platforms/common/congestion/congestion_monitor.h"
#include "platforms/common/fabric/network.h"
#include "platforms/common/platform.h"
#include "platforms/common/rdma/rdma_host.h"
#include "platforms/rdma_perf/program.h"
#include "platforms/rdma_perf/rdma_perf_config.h"
#include "waveforms/rtl_context.h"

namespace railyard::rdma_perf {

class RdmaPerfFabric : public Fabric {
 public:
  RdmaPerfFabric(const RdmaPerfConfig& config, Simulation& simulation, bool checks);
  ~RdmaPerfFabric() override;

  std::vector<std::string> summary() const override;
  std::string text() const override;
  const CongestionReport* congestion(Time now) override { return &congestion_->at(now); }
  Blocks* blocks() override { return &blocks_; }
  void join(TraceFile& trace, std::function<void(Time)> ticks) override;

 private:
  void add_hosts(bool checks);
  void add_programs();
  void start_program(std::uint32_t node, std::vector<Role> roles);
  void watch_congestion(const Routes& routes);
  void register_metrics(StatisticsRegistry& statistics);
  void register_bandwidth(StatisticsRegistry& statistics, SizeResult& result);
  void register_latency(StatisticsRegistry& statistics, SizeResult& result);
  void register_profile(StatisticsRegistry& statistics);
  std::string prefix_of(const SizeResult& result) const {
    return "size" + std::to_string(result.bytes) + ".";
  }

  RdmaPerfConfig config_;
  Simulation& simulation_;
  RtlContext context_;
  Blocks blocks_;
  Topology topology_;
  std::vector<HostPair> pairs_;
  Network network_;
  std::vector<rdma::RdmaHost*> hosts_;  // [node]
  std::unique_ptr<Setting> setting_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::unique_ptr<CongestionMonitor> congestion_;
};

}  // namespace railyard::rdma_perf
