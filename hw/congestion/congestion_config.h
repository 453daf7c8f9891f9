// The keys of the group `congestion`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/congestion/dcqcn_parameters.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard {

enum class BlockEngine : std::uint8_t { kModel, kRtl };
enum class BlockClocking : std::uint8_t { kGated, kFreeRunning };

/// What computes the blocks, and when.
struct BlocksConfig {
  BlockEngine engine = BlockEngine::kRtl;
  BlockClocking clocking = BlockClocking::kGated;
};

/// The parameters of one traffic class.
struct DcqcnClassConfig {
  std::uint32_t traffic_class = 0;
  DcqcnSet set = DcqcnSet::kPaper;
  DcqcnParameters dcqcn;

  void declare(Parameters& p);
};

struct CongestionConfig : BlocksConfig {
  static constexpr unsigned kClasses = 8;

  std::string algorithm = "none";
  DcqcnSet set = DcqcnSet::kPaper;
  DcqcnParameters dcqcn;
  std::vector<DcqcnClassConfig> classes;
  Time clock = kNanosecond;
  Time burst = kMicrosecond;

  void declare(Parameters& p);
  bool controls() const { return algorithm != "none"; }
  const DcqcnParameters& of_class(unsigned traffic_class) const;
  /// Refuses keys of this group that act on endpoints alone and do nothing. `bound`: of the struct
  /// that has the group.
  void refuse_unused(const Bound& bound) const;
};

}  // namespace railyard
