// The algorithms of congestion control that a configuration can name. One more is a file with a
// class of CongestionControl, and a row in algorithms.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/base/rate.h"
#include "tlm/sim/partition.h"

namespace railyard {

class Blocks;
class CongestionControl;
struct CongestionConfig;

/// The port that an algorithm works for.
struct ControlledPort {
  Partition& partition;
  std::string name;
  Rate line;
  Blocks& blocks;
};

/// `config.algorithm` for a port; nullptr for none.
std::unique_ptr<CongestionControl> make_congestion_control(const CongestionConfig& config,
                                                           const ControlledPort& port);

/// Names as a choice of keys has them.
std::vector<std::pair<std::string, std::string>> congestion_algorithm_names();

}  // namespace railyard
