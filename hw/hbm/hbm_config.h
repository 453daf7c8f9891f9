// All parameters of an HBM memory: a preset, and what differs from it.
#pragma once

#include <cstdint>

#include "hw/hbm/address_map.h"
#include "hw/hbm/controller_config.h"
#include "hw/hbm/hbm_preset.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm {

struct HbmConfig {
  HbmPreset preset = HbmPreset::kH100;
  Organisation organisation;
  Timing timing;
  AddressMapConfig map;
  ControllerConfig controller;

  /// All of a preset, the rest by default.
  static HbmConfig of(HbmPreset preset);

  void declare(Parameters& p);

  /// Bytes for data: the product of the organisation's fields, less an eighth with inline ECC.
  std::uint64_t capacity() const;

  /// Of the device's pins, all together, in bytes a second.
  std::uint64_t peak_bandwidth() const {
    return timing.pin_rate * organisation.total_pseudo_channels() * organisation.pins / 8;
  }

 private:
  void apply_preset(const Bound& bound);
  void check(const Bound& bound) const;
};

}  // namespace railyard::hbm
