#include "hw/tester/patterns_names.h"

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

EndpointNames::EndpointNames(const std::vector<PatternEndpoint>& endpoints)
    : count_(endpoints.size()), example_(endpoints.empty() ? "h0" : endpoints[0].host) {
  for (std::uint32_t i = 0; i < endpoints.size(); ++i) {
    by_name_[endpoints[i].port] = i;
    if (!by_name_.emplace(endpoints[i].host, i).second)
      several_[endpoints[i].host] = endpoints[i].port;
  }
}

std::uint32_t EndpointNames::find(const std::string& text) const {
  if (const auto host = several_.find(text); host != several_.end()) {
    throw ConfigError("", text + " has several ports",
                      "write one of them, such as " + host->second);
  }
  if (const auto found = by_name_.find(text); found != by_name_.end()) return found->second;
  if (text.empty() || text[0] < '0' || text[0] > '9') {
    throw ConfigError("", quoted(text) + " is no host",
                      "write a host's name, such as " + example_ + ", or an endpoint's number");
  }
  const std::uint64_t number = parse_unsigned(text);
  if (number >= count_) {
    throw ConfigError("", quoted(text) + " is out of range",
                      "accepted: 0 to " + std::to_string(count_ - 1));
  }
  return static_cast<std::uint32_t>(number);
}

}  // namespace railyard
