// All parameters of an HBM memory: a preset, and what differs from it.
#pragma once

#include <string>

#include "hw/hbm/address_map.h"
#include "hw/hbm/controller_config.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm {

struct HbmConfig {
  Organisation organisation;
  Timing timing;
  AddressMapConfig map;
  ControllerConfig controller;

  void declare(Parameters& p);
};

}  // namespace railyard::hbm
