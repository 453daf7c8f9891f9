// YAML, read strictly: what a person could misread is refused with its place. Duplicate keys,
// anchors, aliases, merge keys, tags, more than one document, more than 32 levels, more than
// 1,000,000 values, bytes that are not printable UTF-8 and files above 16,000,000 bytes are
// ConfigErrors. The root is a map; that of a run's report (it has the keys "schema" and "config")
// is replaced by its "config", so a report is a configuration that reproduces its run.
#pragma once

#include <string>

#include "tlm/config/node.h"

namespace railyard {

/// Reads a regular file; anything else (a directory, a FIFO) is refused without waiting for it.
Node read_yaml_file(const std::string& path);

/// `source` is what places name.
Node read_yaml_text(const std::string& text, const std::string& source);

/// One value of any kind, kNull if the text holds none. `text` has no byte-order mark and no CRLF.
Node read_yaml_value(const std::string& text, const std::string& source);

}  // namespace railyard
