// Many senders to one receiver, from NICs or from testers.
#include <memory>
#include <string>

#include "platforms/common/fabric/tester_fabric.h"
#include "platforms/common/platform.h"
#include "platforms/common/rdma/nic_fabric.h"

namespace railyard {

namespace {

class IncastPlatform : public Platform {
 public:
  IncastPlatform() { config_.fabric.topology.hosts = 9; }

  std::string name() const override { return "incast"; }
  std::string doc() const override {
    return "Many senders to one receiver: RDMA under DCQCN, PFC and ECN";
  }
  std::string default_config() const override {
    return RAILYARD_SOURCE_DIR "/platforms/incast/incast.yaml";
  }
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override {
    if (config_.source == rdma::Source::kTester) {
      return std::make_unique<TesterFabric>(config_.fabric, simulation, run.checks);
    }
    return std::make_unique<rdma::NicFabric>(config_, simulation, run.checks);
  }

 private:
  rdma::NicFabricConfig config_;
};

}  // namespace

}  // namespace railyard

int sc_main(int argc, char** argv) {
  railyard::IncastPlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
