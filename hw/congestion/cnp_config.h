// Parameters of a notification point: how an endpoint answers packets that switches marked.
#pragma once

#include <cstdint>
#include <string>

#include "hw/congestion/congestion_config.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard {

/// For whom CNPs are counted apart.
enum class CnpScope : std::uint8_t { kQueuePair, kAddress, kPort };

/// Congestion notification packets: the answer to packets that a switch marked. Defaults as
/// ConnectX NICs have them.
struct CnpConfig {
  bool enabled = false;
  Time interval = 50 * kMicrosecond;
  Time delay = 0;
  CnpScope scope = CnpScope::kQueuePair;
  std::uint8_t dscp = 48;
  std::uint8_t priority = 6;

  void declare(Parameters& p);
  /// An algorithm lives on CNPs: what is not written of them follows from it. `key`: of this group
  /// in `bound`.
  void follow(const CongestionConfig& congestion, const Bound& bound, const std::string& key);
};

}  // namespace railyard
