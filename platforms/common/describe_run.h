// All that --describe prints: parameters, and what a run of this configuration shows.
#pragma once

#include <string>
#include <vector>

#include "platforms/common/command_line.h"
#include "platforms/common/platform.h"

namespace railyard {

/// `simulation` is built and sealed.
std::string describe_run(DescribeFormat format, const Platform& platform,
                         const std::vector<ParameterRow>& parameters, Simulation& simulation);

}  // namespace railyard
