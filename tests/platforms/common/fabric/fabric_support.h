// Fabrics from YAML text, for the tests.
#pragma once

#include <memory>
#include <string>

#include "platforms/common/fabric/tester_fabric.h"
#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"

namespace railyard {

inline FabricConfig bound(const std::string& text) {
  FabricConfig config;
  config.topology.hosts = 9;
  bind_config(read_yaml_text(text, "f.yaml"), config);
  return config;
}

/// A fabric, built and sealed.
struct BuiltFabric {
  explicit BuiltFabric(const std::string& text, std::size_t partitions = 1)
      : simulation([&] {
          SimulationConfig config;
          config.partitions = partitions;
          return config;
        }()),
        fabric(bound(text), simulation, true) {
    simulation.seal();
  }

  double metric(const std::string& name) const {
    for (const Metric& metric : simulation.metrics()) {
      if (metric.info.name == name) return metric.value.real;
    }
    throw std::logic_error("no metric is named " + name);
  }

  Simulation simulation;
  TesterFabric fabric;
};

/// What binding or building a configuration is refused with, or "".
inline std::string refusal(const std::string& text) {
  try {
    BuiltFabric built(text);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

}  // namespace railyard
