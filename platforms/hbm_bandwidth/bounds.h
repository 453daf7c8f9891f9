// Which constraint bound each command, as metrics and as a table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "hw/hbm/controller.h"
#include "tlm/observe/statistics.h"

namespace railyard::hbm_bandwidth {

class Bounds {
 public:
  /// Adds metrics bound.COMMAND.CAUSE for all that there can be.
  Bounds(hbm::Controller& controller, StatisticsRegistry& statistics);

  /// A line for each kind of command that there was: its causes, the most frequent first, as
  /// shares.
  std::string text();

 private:
  using Key = std::pair<hbm::Command, std::string>;

  void update();

  hbm::Controller& controller_;
  std::map<Key, std::uint64_t> counts_;
};

}  // namespace railyard::hbm_bandwidth
