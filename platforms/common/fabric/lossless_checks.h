// What would cost a lossless priority frames though its headroom is not set by hand: peers that
// take longer to pause than the headroom is for, frames larger than it is for, slow hosts with too
// little buffer behind their XOFF, and frames that the switches count to another priority than the
// one whose pause holds their sender. A headroom that is set by hand is its owner's affair.
#pragma once

#include <vector>

#include "platforms/common/fabric/fabric_config.h"

namespace railyard {

/// ConfigError.
void check_lossless(const FabricConfig& config, const Topology& topology,
                    const std::vector<FlowConfig>& flows);

}  // namespace railyard
