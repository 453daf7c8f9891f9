// Messages of models go through sc_report_handler to standard error, by level.
#pragma once

#include <string>
#include <vector>

namespace railyard {

/// Sets the log up. Each rule is LEVEL or GLOB=LEVEL, a glob on the report's message type; the last
/// that matches counts, and the level is `warn` without one. SC_ERROR and SC_FATAL are thrown as
/// sc_report, whatever the level. ConfigError for a rule that is none.
void set_up_logging(const std::vector<std::string>& rules);

}  // namespace railyard
