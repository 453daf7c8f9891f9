// perftest on a model: hosts, PCIe, NICs, cables and switches, and programs against verbs.
#pragma once

#include <memory>
#include <string>

#include "platforms/common/platform.h"
#include "platforms/rdma_perf/rdma_perf_config.h"

namespace railyard {

class RdmaPerfPlatform : public Platform {
 public:
  std::string name() const override { return "rdma_perf"; }
  std::string doc() const override {
    return "perftest between hosts with NICs: bandwidth, message rate and latency of RDMA";
  }
  std::string default_config() const override;
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  rdma_perf::RdmaPerfConfig config_;
};

}  // namespace railyard
