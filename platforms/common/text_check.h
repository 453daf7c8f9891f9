// What text must satisfy before a YAML parser sees it.
#pragma once

#include <string>

namespace railyard {

/// Without a leading byte-order mark, and with LF for CRLF.
std::string normalised(const std::string& text);

/// Throws ConfigError at the first byte that is not part of printable UTF-8 (tab and LF aside), at
/// a YAML directive (which parsers skip in silence), and where brackets nest so deeply that a
/// recursive parser would be at risk.
void check_text(const std::string& text, const std::string& source);

}  // namespace railyard
