// Whether payload moves.
#pragma once

#include <cstdint>

namespace railyard {

/// kElided: payload bytes are not kept; they read as a fixed function of their address
/// (SparseMemory::elided_byte). The timing is the same.
enum class DataMode : std::uint8_t { kCarried, kElided };

}  // namespace railyard
