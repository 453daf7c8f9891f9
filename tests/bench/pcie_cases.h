// What PCIe costs between a device and a host's memory.
#pragma once

#include <vector>

#include "tests/bench/cases.h"

namespace railyard::bench {

std::vector<Case> pcie_cases();

}  // namespace railyard::bench
