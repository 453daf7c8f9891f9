// What a frame's hop through a switch costs, in fabrics of several sizes.
#pragma once

#include <vector>

#include "tests/bench/cases.h"

namespace railyard::bench {

std::vector<Case> fabric_cases();

}  // namespace railyard::bench
