// The command line's `--set KEY=VALUE`.
#pragma once

#include <string>

#include "tlm/config/node.h"

namespace railyard {

/// Writes `KEY=VALUE` over what a file said: KEY is a path ("links.0.rate"; a number
/// is the index of a list element that exists), VALUE one YAML flow value ("5us", "[1, 2]",
/// "{min: 1}"). The place of all that it writes is the argument. The last of several wins.
void apply_set(Node& root, const std::string& assignment);

}  // namespace railyard
