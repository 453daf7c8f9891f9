// Host software that finds the devices on PCIe, numbers buses, gives addresses to BARs and bridge
// windows, and sets what a hierarchy must agree on. It knows only configuration accesses, so that
// what carries them may take time.
//
// Modelled: depth-first numbering; 64-bit and 32-bit memory BARs; bridge windows; payload and read
// request sizes, tags, access control. Not modelled: I/O space, hot plug, ARI, spare buses.
#pragma once

#include <cstdint>

#include "hw/host/address_pool.h"
#include "hw/host/device_tree.h"
#include "hw/pcie/tlp.h"
#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"

namespace railyard::host {

class ConfigAccess {
 public:
  virtual ~ConfigAccess() = default;
  /// A dword of a function's configuration space; all ones if the function is not there.
  virtual std::uint32_t read(pcie::DeviceId id, unsigned offset) = 0;
  virtual void write(pcie::DeviceId id, unsigned offset, std::uint32_t value) = 0;
};

struct EnumerationConfig {
  Bytes max_read_request = 512;
  bool relaxed_ordering = true;
  bool extended_tags = true;  // where all support them
  bool ten_bit_tags = true;   // likewise
  bool acs_redirect = false;

  void declare(Parameters& p);
};

/// Throws a ConfigError that names the function that is in the way: a window is exhausted, a BAR is
/// larger than it or of I/O space, there are more than 256 buses, a bridge's link has no lanes, or
/// redirection was asked for where it cannot be had.
DeviceTree enumerate(ConfigAccess& access, const EnumerationConfig& config,
                     const AddressPools& pools);

}  // namespace railyard::host
