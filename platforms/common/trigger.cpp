#include "platforms/common/trigger.h"

#include <utility>
#include <vector>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/quantity.h"
#include "tlm/config/spelling.h"
#include "waveforms/glob.h"

namespace railyard {

namespace {

constexpr const char* kFlag = "--trace-trigger";

std::string last_name(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

Trigger::Trigger(const std::string& event, Simulation& simulation, std::function<void(Time)> fire)
    : fire_(std::move(fire)) {
  const std::size_t above = event.find('>');
  if (above != std::string::npos) {
    watch_metric(event.substr(0, above), event.substr(above + 1), simulation);
    return;
  }
  if (listen_to_moments(event, simulation)) return;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
    for (const auto& moment : simulation.partition(i).probes().moments()) {
      known.push_back(moment.info.name);
    }
  }
  throw ConfigError(kFlag, "there is no moment " + quoted(event),
                    suggest(event, known, "--describe lists the moments") + ", or METRIC>VALUE");
}

bool Trigger::listen_to_moments(const std::string& event, Simulation& simulation) {
  bool any = false;
  for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
    for (auto& moment : simulation.partition(i).probes().moments()) {
      if (!glob_match(event, moment.info.name) && event != last_name(moment.info.name)) continue;
      moment.point->listen(&fire_);
      any = true;
    }
  }
  return any;
}

void Trigger::watch_metric(const std::string& metric, const std::string& level,
                           Simulation& simulation) {
  std::uint64_t value = 0;
  try {
    value = parse_unsigned(level);
  } catch (const ConfigError& error) {
    throw ConfigError(kFlag, error.problem(), error.remedy());
  }
  for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
    Partition& partition = simulation.partition(i);
    LevelWatch* watch = partition.statistics().watch(metric);
    if (watch == nullptr) continue;
    watch->arm(value, [this, &partition] { fire_(partition.now()); });
    return;
  }
  std::vector<std::string> names;
  for (const Metric& m : simulation.metrics()) {
    if (m.info.name == metric) {
      throw ConfigError(kFlag, quoted(metric) + " is computed when it is read",
                        "name a counter, or a level's _peak");
    }
    names.push_back(m.info.name);
  }
  throw ConfigError(kFlag, "there is no metric " + quoted(metric),
                    suggest(metric, names, "--describe lists the metrics"));
}

}  // namespace railyard
