// A controller of HBM alone, and who asks it: what of its bandwidth is left, and after how long.
#pragma once

#include <memory>
#include <string>

#include "platforms/common/platform.h"
#include "platforms/hbm_bandwidth/bandwidth_config.h"

namespace railyard {

class HbmPlatform : public Platform {
 public:
  std::string name() const override { return "hbm_bandwidth"; }
  std::string doc() const override {
    return "HBM: bandwidth and latency of patterns and traces, and which constraint bound each "
           "command";
  }
  std::string default_config() const override;
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  hbm_bandwidth::BandwidthConfig config_;
};

}  // namespace railyard
