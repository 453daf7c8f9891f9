// Flows from a CSV file, strictly:
//
//   source,destination,start,messages,message_size,rate,priority
//   h0,h8,0us,16,64KiB,,3
//
// The first line names the columns, in any order; source and destination are required. What is
// empty or has no column is as the keys of group `traffic` say. Endpoints are hosts' names (a host
// of several ports: h3.nic1) or endpoint numbers; quantities have units as in the configuration.
// Blank lines are skipped; there are no quotes and no comments.
#pragma once

#include <string>
#include <vector>

#include "hw/tester/patterns.h"

namespace railyard {

/// Throws ConfigError with file and line at the first thing that is wrong. Reads a regular file of
/// at most 16 MB.
std::vector<FlowSpec> read_flow_list(const std::string& path, const PatternConfig& defaults,
                                     const std::vector<PatternEndpoint>& endpoints);

/// `source` is what places name.
std::vector<FlowSpec> parse_flow_list(const std::string& text, const std::string& source,
                                      const PatternConfig& defaults,
                                      const std::vector<PatternEndpoint>& endpoints);

}  // namespace railyard
