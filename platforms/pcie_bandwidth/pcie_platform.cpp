#include "platforms/pcie_bandwidth/pcie_platform.h"

#include <vector>

#include "platforms/pcie_bandwidth/latency_measurement.h"
#include "platforms/pcie_bandwidth/phase.h"
#include "platforms/pcie_bandwidth/system.h"
#include "tlm/base/error.h"

namespace railyard {

namespace pcie_bandwidth {
namespace {

class PcieFabric : public Fabric {
 public:
  PcieFabric(const PcieConfig& config, Partition& partition, bool checks)
      : config_(config), system_(partition, config_, checks) {
    if (config_.traffic.pattern == Pattern::kLatency) {
      latency_ = std::make_unique<LatencyMeasurement>(system_, config_);
    } else {
      for (const Bytes& size : config_.traffic.sizes) {
        phases_.push_back(std::make_unique<Phase>(system_, config_, size,
                                                  static_cast<std::uint8_t>(phases_.size())));
      }
    }
    register_totals(partition.statistics());
    system_.host().core(0).set_program([this](Core& core) { program(core); });
  }

  std::vector<std::string> summary() const override {
    std::vector<std::string> names;
    for (const auto& phase : phases_) {
      for (std::string& name : phase->summary()) names.push_back(std::move(name));
    }
    if (latency_) names = latency_->summary();
    names.insert(names.end(), {"total.unfinished_transfers", "total.errors"});
    return names;
  }

 private:
  // What core 0 runs. Measurement begins with traffic.
  void program(Core& core) {
    system_.enumerate(core);
    system_.partition().statistics().reset(core.now());
    if (latency_) {
      latency_->run(core);
      return;
    }
    for (const auto& phase : phases_) run(core, *phase);
  }

  // The core rings every device; the last to hear begins. An interrupt says that all is done.
  void run(Core& core, Phase& phase) {
    phase.prepare();
    std::size_t silent = system_.devices().size();
    for (const auto& device : system_.devices()) {
      device->on_doorbell([&](std::uint64_t /*value*/) {
        if (--silent == 0) phase.begin();
      });
    }
    for (const auto& device : system_.devices()) core.store(device->doorbell_address(), 1, 8);
    core.wait_interrupt(System::kInterrupt);
  }

  void register_totals(StatisticsRegistry& statistics) {
    statistics.add_derived({"total.unfinished_transfers", "transfers",
                            "Transfers that were to be measured, or drained, and are not done"},
                           [this](Time, Time) {
                             std::uint64_t left = latency_ ? latency_->unfinished() : 0;
                             for (const auto& phase : phases_) left += phase->unfinished();
                             return MetricValue::of(left);
                           });
    statistics.add_derived(
        {"total.errors", "errors",
         "Transfers that failed or moved wrong bytes, and errors of the standard; warm-up or not"},
        [this](Time, Time) {
          std::uint64_t errors = system_.host().hierarchy().error_count();
          for (const auto& device : system_.devices()) {
            errors += device->writes().errors() + device->reads().errors();
          }
          return MetricValue::of(errors);
        });
  }

  PcieConfig config_;
  System system_;
  std::vector<std::unique_ptr<Phase>> phases_;
  std::unique_ptr<LatencyMeasurement> latency_;
};

}  // namespace
}  // namespace pcie_bandwidth

std::string PciePlatform::default_config() const {
  return RAILYARD_SOURCE_DIR "/platforms/pcie_bandwidth/pcie_bandwidth.yaml";
}

std::unique_ptr<Fabric> PciePlatform::build(Simulation& simulation, const RunConfig& run) {
  if (run.warm_up > 0) {
    throw ConfigError(
        run.file, "warm_up: measurement begins with traffic, when the host has found its devices",
        "leave warm_up out");
  }
  return std::make_unique<pcie_bandwidth::PcieFabric>(config_, simulation.partition(), run.checks);
}

}  // namespace railyard
