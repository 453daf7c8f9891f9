// A resolved configuration as JSON: quantities as text with units, the rest as JSON's own kinds.
#pragma once

#include <string>

#include "tlm/config/node.h"

namespace railyard {

/// JSON text of a dumped configuration, keys in its order. `indent` < 0: one line. Read back with
/// read_yaml_text and bound, it gives an equal configuration.
std::string config_json(const Node& node, int indent = 2);

}  // namespace railyard
