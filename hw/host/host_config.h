// Parameters of a host.
#pragma once

#include "hw/host/address_map.h"
#include "hw/host/core_config.h"
#include "hw/host/enumeration.h"
#include "hw/host/memory_config.h"
#include "hw/pcie/ideal_config.h"
#include "hw/pcie/root_complex_config.h"
#include "tlm/config/parameters.h"

namespace railyard::host {

struct HostConfig {
  HostConfig() { memory.base = Bytes{1ULL << 32}; }

  HostMemoryConfig memory;
  AddressMapConfig map;
  CoreConfig core;
  unsigned root_node = 0;
  pcie::RootComplexConfig root;
  pcie::IdealConfig ideal;
  EnumerationConfig enumeration;

  void declare(Parameters& p);
};

}  // namespace railyard::host
