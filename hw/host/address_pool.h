// Where BARs and bridge windows go: naturally aligned addresses out of two pools, such that all
// that is below a bridge lies in one window of it.
#pragma once

#include <cstdint>

#include "hw/host/device_tree.h"
#include "tlm/base/quantity.h"

namespace railyard::host {

struct AddressPool {
  Bytes base = 0;
  Bytes bytes = 0;
};

/// Base addresses are multiples of 1 MiB, as bridge windows are.
struct AddressPools {
  AddressPool memory;        // below 4 GiB
  AddressPool prefetchable;  // anywhere
};

/// A 64-bit prefetchable BAR goes into the prefetchable pool, any other one into the memory pool,
/// whose addresses a bridge's other window holds in 32 bits.
inline bool in_prefetchable_pool(const FoundBar& bar) { return bar.is_64_bit && bar.prefetchable; }

/// Gives each BAR its base and each bridge its windows, multiples of 1 MiB; sets what is left of
/// the pools. Throws a ConfigError if something does not fit.
void assign_addresses(DeviceTree& tree, const AddressPools& pools);

}  // namespace railyard::host
