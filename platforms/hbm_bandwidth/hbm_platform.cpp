#include "platforms/hbm_bandwidth/hbm_platform.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "platforms/hbm_bandwidth/bounds.h"
#include "platforms/hbm_bandwidth/measurement.h"
#include "platforms/hbm_bandwidth/system.h"
#include "platforms/hbm_bandwidth/trace_file.h"
#include "tlm/base/error.h"
#include "tlm/sim/starter.h"

namespace railyard {

namespace hbm_bandwidth {
namespace {

class HbmFabric : public Fabric, private DriverOwner {
 public:
  HbmFabric(const BandwidthConfig& config, Partition& partition, const RunConfig& run)
      : config_(config),
        partition_(partition),
        trace_(trace_of(config_)),
        system_(partition, config_, run.checks),
        begin_(Event::of<&HbmFabric::begin>(*this, partition.endpoint("traffic.begin"),
                                            Phase::kTimer)),
        starter_("traffic", partition, begin_) {
    if (config_.curve.empty()) add("total.", config_.traffic.load, run.warm_up);
    for (const double load : config_.curve) add(prefix_of(load), load, run.warm_up);
    if (config_.background.load > 0) add_background();
    add_totals();
    bounds_ = std::make_unique<Bounds>(system_.controller(), partition.statistics());
  }

  std::vector<std::string> summary() const override {
    std::vector<std::string> names;
    if (config_.curve.empty()) names = measurements_.front()->summary();
    names.insert(names.end(), {"total.utilisation_pct", "total.busy_utilisation_pct",
                               "hbm.row_hits", "hbm.row_misses", "hbm.row_conflicts",
                               "hbm.turnarounds", "total.refreshes", "total.unfinished_requests"});
    return names;
  }

  std::string text() const override {
    std::string text;
    if (!config_.curve.empty()) text += Measurement::header();
    for (const auto& measurement : measurements_) {
      if (!config_.curve.empty()) text += measurement->row(partition_.now());
    }
    return text + (text.empty() ? "" : "\n") + bounds_->text() + "\n";
  }

  std::vector<std::string> files() const override {
    if (config_.command_trace.empty()) return {};
    return {config_.command_trace};
  }

 private:
  /// "load12_5." of 0.125.
  static std::string prefix_of(double load) {
    constexpr double kPercent = 100;
    std::ostringstream text;
    text << "load" << load * kPercent;
    std::string prefix = text.str();
    std::replace(prefix.begin(), prefix.end(), '.', '_');
    return prefix + '.';
  }

  static Trace trace_of(const BandwidthConfig& config) {
    if (config.traffic.pattern != Pattern::kTrace) return {};
    return read_trace(config.traffic, config.hbm.capacity(), config.hbm.organisation.access_bytes);
  }

  void add(const std::string& prefix, std::optional<double> load, Time warm_up) {
    const std::string name = "traffic" + std::to_string(measurements_.size());
    measurements_.push_back(std::make_unique<Measurement>(name, prefix, partition_,
                                                          system_.controller(), config_, load,
                                                          trace_, warm_up, [this] { next(); }));
  }

  void add_background() {
    const BackgroundConfig& background = config_.background;
    const auto size = static_cast<std::uint32_t>(background.size);
    hbm::Controller& controller = system_.controller();
    background_ = std::make_unique<Driver>(
        "background", partition_, controller,
        std::make_unique<RandomSource>(0, controller.capacity(), size, background.reads,
                                       partition_.random("background")),
        static_cast<DriverOwner&>(*this));
  }

  void add_totals() {
    StatisticsRegistry& statistics = partition_.statistics();
    statistics.add_derived({"total.refreshes", "commands", "REFab and REFpb"}, [this](Time, Time) {
      const hbm::Controller& controller = system_.controller();
      return MetricValue::of(controller.commands(hbm::Command::kRefreshAll) +
                             controller.commands(hbm::Command::kRefreshBank));
    });
    statistics.add_derived({"total.unfinished_requests", "requests",
                            "Requests that were to be done, or were given, and are not"},
                           [this](Time, Time) {
                             std::uint64_t left = 0;
                             for (const auto& m : measurements_) left += m->unfinished();
                             return MetricValue::of(left);
                           });
  }

  void begin() {
    system_.begin();
    if (background_) {
      const BackgroundConfig& background = config_.background;
      background_->begin_open(background.load * config_.accesses_a_clock() *
                                  config_.hbm.organisation.access_bytes /
                                  static_cast<double>(background.size),
                              Driver::kEndless, kForever);
    }
    measurements_.front()->begin();
  }

  void next() {
    if (++current_ < measurements_.size()) {
      measurements_[current_]->begin();
    } else if (background_) {
      background_->stop();
    }
  }

  // Of the background, which nobody measures.
  void request_done(std::uint32_t, bool, Time) override {}
  void last_given() override {}
  void all_done() override {}

  BandwidthConfig config_;
  Partition& partition_;
  Trace trace_;
  System system_;
  Event begin_;
  Starter starter_;
  std::vector<std::unique_ptr<Measurement>> measurements_;
  std::size_t current_ = 0;
  std::unique_ptr<Driver> background_;
  std::unique_ptr<Bounds> bounds_;
};

}  // namespace
}  // namespace hbm_bandwidth

std::string HbmPlatform::default_config() const {
  return RAILYARD_SOURCE_DIR "/platforms/hbm_bandwidth/hbm_bandwidth.yaml";
}

std::unique_ptr<Fabric> HbmPlatform::build(Simulation& simulation, const RunConfig& run) {
  std::error_code unknown;
  if (std::filesystem::equivalent(config_.command_trace, run.file, unknown)) {
    throw ConfigError(run.file, "command_trace: it is the configuration",
                      "write the path of another file");
  }
  return std::make_unique<hbm_bandwidth::HbmFabric>(config_, simulation.partition(), run);
}

}  // namespace railyard
