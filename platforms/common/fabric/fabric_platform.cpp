#include "platforms/common/fabric/fabric_platform.h"

#include "platforms/common/fabric/tester_fabric.h"

namespace railyard {

std::unique_ptr<Fabric> FabricPlatform::build(Simulation& simulation, const RunConfig& run) {
  return std::make_unique<TesterFabric>(config_, simulation, run.checks);
}

}  // namespace railyard
