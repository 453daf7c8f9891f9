#include "hw/congestion/algorithms.h"

#include <array>

#include "hw/congestion/congestion_config.h"
#include "hw/congestion/dcqcn.h"

namespace railyard {

namespace {

struct Algorithm {
  const char* name;
  std::unique_ptr<CongestionControl> (*make)(const CongestionConfig& config,
                                             const ControlledPort& port);
};

template <class Control>
std::unique_ptr<CongestionControl> make(const CongestionConfig& config,
                                        const ControlledPort& port) {
  return std::make_unique<Control>(config, port);
}

std::unique_ptr<CongestionControl> none(const CongestionConfig& /*config*/,
                                        const ControlledPort& /*port*/) {
  return nullptr;
}

constexpr std::array<Algorithm, 2> kAlgorithms = {{{"none", none}, {"dcqcn", make<Dcqcn>}}};

}  // namespace

std::unique_ptr<CongestionControl> make_congestion_control(const CongestionConfig& config,
                                                           const ControlledPort& port) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (config.algorithm == algorithm.name) return algorithm.make(config, port);
  }
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> congestion_algorithm_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Algorithm& algorithm : kAlgorithms) names.emplace_back(algorithm.name, algorithm.name);
  return names;
}

}  // namespace railyard
