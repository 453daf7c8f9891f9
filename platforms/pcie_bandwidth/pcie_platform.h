// A host and devices that write and read its memory, or each other's: what PCIe makes of it.
#pragma once

#include <memory>
#include <string>

#include "platforms/common/platform.h"
#include "platforms/pcie_bandwidth/pcie_config.h"

namespace railyard {

class PciePlatform : public Platform {
 public:
  std::string name() const override { return "pcie_bandwidth"; }
  std::string doc() const override {
    return "DMA over PCIe: bandwidth against its closed form, latency, and where the time goes";
  }
  std::string default_config() const override;
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  pcie_bandwidth::PcieConfig config_;
};

}  // namespace railyard
