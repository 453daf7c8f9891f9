// What an access of HBM costs.
#pragma once

#include <vector>

#include "tests/bench/cases.h"

namespace railyard::bench {

std::vector<Case> hbm_cases();

}  // namespace railyard::bench
