// What would cost a lossless priority frames though its headroom is not set by hand: peers that
// take longer to pause than the headroom is for, frames larger than it is for, slow hosts with too
// little buffer behind their XOFF, and frames that the switches count to another priority than the
// one whose pause holds their sender. A headroom that is set by hand is its owner's affair.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/congestion/cnp_config.h"
#include "platforms/common/fabric/fabric_config.h"

namespace railyard {

/// What stands at the hosts' ends, as pauses meet it, and the keys that say so.
struct LosslessHosts {
  std::string response_key;  // "tester.response_quanta"
  std::uint64_t response_quanta = 0;
  std::string buffer_key;
  std::uint64_t buffer = 0;
  std::string xoff_key;
  std::uint64_t xoff = 0;
  bool pauses = false;  // when it has more than `xoff` in its receive buffer
  /// Whether the host at the link's end a may take less than the link brings.
  std::function<bool(const Topology::Link&)> slow;
  std::string cnp_key;
  CnpConfig cnp;
};

/// What the frames of a flow have.
struct LosslessFlow {
  std::uint8_t priority = 0;  // of the pause that holds them
  std::uint8_t dscp = 0;
  std::uint32_t payload = 0;  // of the largest
};

/// ConfigError.
void check_lossless(const FabricConfig& config, const Topology& topology,
                    const LosslessHosts& hosts, const std::vector<LosslessFlow>& flows);

}  // namespace railyard
