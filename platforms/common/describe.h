// What --describe prints, and the parameter tables of the READMEs.
#pragma once

#include <string>
#include <vector>

#include "tlm/config/parameters.h"

namespace railyard {

/// Aligned columns for a terminal.
std::string describe_text(const std::vector<ParameterRow>& rows);
/// A Markdown table.
std::string describe_markdown(const std::vector<ParameterRow>& rows);
/// A JSON list of {key, type, default, accepted, doc}, all text.
std::string describe_json(const std::vector<ParameterRow>& rows);

}  // namespace railyard
