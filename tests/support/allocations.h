// How often the heap was asked, in a test that links this folder: operator new counts.
#pragma once

#include <cstdint>

namespace railyard::support {

std::uint64_t allocations();

}  // namespace railyard::support
