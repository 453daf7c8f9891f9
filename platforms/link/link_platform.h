// Two tester ports on one link: the smallest fabric, and a look at PFC from both sides.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hw/tester/tester_config.h"
#include "platforms/common/platform.h"
#include "tlm/link/link_config.h"

namespace railyard {

struct LinkPlatformConfig {
  DataMode data = DataMode::kCarried;
  LinkConfig link;
  TrafficConfig traffic;
  std::map<std::string, TesterConfig> nodes;

  void declare(Parameters& p);
};

class LinkPlatform : public Platform {
 public:
  std::string name() const override { return "link"; }
  std::string doc() const override {
    return "Two ports on one Ethernet link: RoCE v2 frames one way or both, PFC from a slow "
           "receiver";
  }
  std::string default_config() const override;
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  LinkPlatformConfig config_;
};

}  // namespace railyard
