// --trace-trigger: from the words of the command line to a call when it happens.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tlm/sim/simulation.h"

namespace railyard {

/// Calls back at the first occurrence of an event. Lives as long as the simulation runs.
class Trigger {
 public:
  /// `event` is a moment ("xoff" for all of that last name, a whole name, or a glob) or
  /// "METRIC>VALUE" with a counter or a peak. ConfigError if nothing has that name.
  Trigger(const std::string& event, Simulation& simulation, std::function<void(Time)> fire);

 private:
  bool listen_to_moments(const std::string& event, Simulation& simulation);
  void watch_metric(const std::string& metric, const std::string& level, Simulation& simulation);

  std::function<void(Time)> fire_;
};

}  // namespace railyard
