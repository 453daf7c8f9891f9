// Endpoints and refusals for the tests of traffic patterns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hw/tester/patterns.h"
#include "tlm/base/error.h"

namespace railyard {

/// h0.nic0, h1.nic0, ...
inline std::vector<PatternEndpoint> hosts(std::size_t count, Rate rate = Rate::gbps(400)) {
  std::vector<PatternEndpoint> endpoints;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "h" + std::to_string(i);
    endpoints.push_back({name, name + ".nic0", rate});
  }
  return endpoints;
}

/// The keys of a mapping of scalars as they would be bound.
using Keys = std::vector<std::pair<std::string, std::string>>;

inline PatternConfig pattern(const Keys& keys) {
  Node root = Node::of_kind(Node::Kind::kMap);
  for (const auto& [key, value] : keys) {
    root.members.push_back({key, {}, Node::scalar(value, false)});
  }
  PatternConfig config;
  bind_config(root, config);
  return config;
}

inline std::vector<FlowSpec> flows(const Keys& keys, const std::vector<PatternEndpoint>& endpoints,
                                   std::uint64_t seed = 1) {
  const PatternConfig config = pattern(keys);
  check_pattern(config, endpoints,
                [](const std::string& key, const std::string& problem, const std::string& remedy) {
                  throw ConfigError("", key + ": " + problem, remedy);
                });
  return make_flows(config, endpoints, RandomStream(seed, "traffic"));
}

/// The message of the ConfigError that `act` throws, or "".
template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

}  // namespace railyard
