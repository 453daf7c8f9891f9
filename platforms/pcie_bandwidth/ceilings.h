// What a link could carry of a traffic if nothing but TLPs were on it and nothing ever waited: the
// closed forms of PCIe's overhead (hw/pcie/tlp_rules.h).
#pragma once

#include <cstdint>

#include "hw/pcie/tlp_rules.h"
#include "platforms/pcie_bandwidth/stream.h"
#include "tlm/base/rate.h"

namespace railyard::pcie_bandwidth {

/// What decides how transfers are cut.
struct TransferRules {
  std::uint32_t max_payload = 128;
  std::uint32_t max_read_request = 128;
  pcie::CompletionRule completions;
};

/// Of a transfer, its mean over a stream's addresses.
struct TransferCost {
  double bytes = 0;      // data
  double write = 0;      // bytes on the line of a write
  double read_up = 0;    // of a read's requests
  double read_down = 0;  // of its completions
  double write_tlps = 0;
  double read_tlps = 0;  // requests
};

TransferCost cost_of(const StreamShape& shape, const TransferRules& rules);

/// Data in bytes a picosecond; 0: there is no such stream.
struct Ceilings {
  double write = 0;
  double read = 0;
  bool requests_bind = false;  // reads, by their requests' share of the lines of the writes
};

/// `write_lines` and `read_lines`: how many lines of `rate` the writes, or the completions, share.
/// With both, a device's line takes what waits in order of arrival: a write TLP and a read request
/// in turn, unless the other direction keeps the requests back.
Ceilings ceilings_of(const TransferCost& cost, Rate rate, std::size_t write_lines,
                     std::size_t read_lines);

}  // namespace railyard::pcie_bandwidth
