// What a congestion control hears of the flows of a tester port.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"

namespace railyard {

/// `flow` is FlowConfig::index. Called at the port that sends the flow (on_sent, on_cnp) or that
/// receives it (on_ce). TesterPort::set_rate may be called from within.
class FlowListener {
 public:
  virtual ~FlowListener() = default;
  /// A packet of `bytes`, destination address to FCS, was put on the line.
  virtual void on_sent(std::size_t flow, std::uint32_t bytes, Time now) = 0;
  /// A congestion notification packet came.
  virtual void on_cnp(std::size_t flow, Time now) = 0;
  /// A packet came that a switch had marked.
  virtual void on_ce(std::size_t flow, Time now) = 0;
};

}  // namespace railyard
