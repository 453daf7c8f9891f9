// Endpoints by what a person writes: "h3", the port of a host of one port; "h3.nic1"; or the number
// of the endpoint.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/tester/patterns.h"

namespace railyard {

class EndpointNames {
 public:
  explicit EndpointNames(const std::vector<PatternEndpoint>& endpoints);

  /// Throws ConfigError, without a place, if there is none or if a host has several.
  std::uint32_t find(const std::string& text) const;

 private:
  std::uint64_t count_;
  std::string example_;
  std::map<std::string, std::uint32_t> by_name_;
  std::map<std::string, std::string> several_;  // a host of several ports, and one of them
};

}  // namespace railyard
