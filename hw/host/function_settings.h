// The last part of enumeration: writes what was decided into the functions' registers.
#pragma once

#include "hw/host/device_tree.h"
#include "hw/host/enumeration.h"

namespace railyard::host {

/// Programs BARs and windows, decides and sets what all functions must agree on (and notes it in
/// `tree`), and enables memory space and bus mastering at the end. Throws a ConfigError.
void apply_settings(ConfigAccess& access, const EnumerationConfig& config, DeviceTree& tree);

}  // namespace railyard::host
