// SIGINT and SIGTERM end a run in good order; a second one ends the process at once.
#pragma once

#include "tlm/sim/run_control.h"

namespace railyard {

/// While it lives, the signals ask `control` to stop. One at a time.
class StopSignals {
 public:
  explicit StopSignals(RunControl& control);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

}  // namespace railyard
