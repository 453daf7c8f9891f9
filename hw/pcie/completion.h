// Completions that are made without memory.
#pragma once

#include "hw/pcie/hierarchy.h"
#include "hw/pcie/tlp.h"

namespace railyard::pcie {

/// A completion for `request`, in whose time so far `own` has had its part; to be given its bytes
/// and sealed.
TlpRef completion_for(Hierarchy& hierarchy, const Tlp& request, DeviceId completer, TlpType type,
                      Stage own);
/// One without data: a failure, or a configuration write that was done.
TlpRef plain_completion(Hierarchy& hierarchy, const Tlp& request, DeviceId completer, Status status,
                        Stage own);
/// One with the bytes of a register, at most 8.
TlpRef register_completion(Hierarchy& hierarchy, const Tlp& request, DeviceId completer,
                           std::uint64_t value, std::uint32_t bytes, Stage own);

}  // namespace railyard::pcie
