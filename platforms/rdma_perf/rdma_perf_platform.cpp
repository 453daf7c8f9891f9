#include "platforms/rdma_perf/rdma_perf_platform.h"

#include "platforms/rdma_perf/rdma_perf_fabric.h"
#include "tlm/base/error.h"

namespace railyard {

std::string RdmaPerfPlatform::default_config() const {
  return RAILYARD_SOURCE_DIR "/platforms/rdma_perf/rdma_perf.yaml";
}

std::unique_ptr<Fabric> RdmaPerfPlatform::build(Simulation& simulation, const RunConfig& run) {
  if (run.warm_up > 0) {
    throw ConfigError(run.file,
                      "warm_up: each size is measured from its first message on, as perftest does",
                      "leave warm_up out");
  }
  return std::make_unique<rdma_perf::RdmaPerfFabric>(config_, simulation, run.checks);
}

}  // namespace railyard
