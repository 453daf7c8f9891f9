// What a packet from memory to memory costs, over two NICs and a switch.
#pragma once

#include <vector>

#include "tests/bench/cases.h"

namespace railyard::bench {

std::vector<Case> nic_cases();

}  // namespace railyard::bench
