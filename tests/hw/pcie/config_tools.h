// Finds registers in a configuration space as software does: along the lists of capabilities.
#pragma once

#include <cstdint>

#include "hw/pcie/config_space.h"

namespace railyard::pcie::test {

/// Offset of a capability; 0: it is not there.
inline unsigned capability(const ConfigSpace& space, unsigned id) {
  if ((space.read(config::kCommand) & config::kCapabilityList) == 0) return 0;
  unsigned offset = space.read(config::kCapabilityPointer) & 0xFFU;
  while (offset != 0 && (space.read(offset) & 0xFFU) != id) offset = space.read(offset) >> 8 & 0xFF;
  return offset;
}

inline unsigned extended_capability(const ConfigSpace& space, unsigned id) {
  unsigned offset = config::kExtendedCapabilities;
  while (offset != 0 && (space.read(offset) & 0xFFFFU) != id) offset = space.read(offset) >> 20;
  return offset;
}

/// Writes the bits that `mask` covers, and keeps the others.
inline void modify(ConfigSpace& space, unsigned offset, std::uint32_t value, std::uint32_t mask) {
  space.write(offset, (space.read(offset) & ~mask) | (value & mask));
}

}  // namespace railyard::pcie::test
