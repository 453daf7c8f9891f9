// Registers of DCQCN's reaction point as the group `congestion` has them, so that a stimulus need
// not write all 273 of a class.
#pragma once

#include <vector>

#include "hw/congestion/congestion_config.h"
#include "platforms/cc_block/block.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

/// True if the block has registers to be written: an input cfg_addr_i.
bool has_setup(const BlockType& block);

/// Inputs of one edge each that write all registers of all classes. `clock` is the block's period;
/// the parameters count in its cycles.
std::vector<Values> setup_edges(const BlockType& block, const CongestionConfig& congestion,
                                Time clock, Rate line);

}  // namespace railyard
