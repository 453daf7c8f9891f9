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

/// Data of all lines together, with nothing else on them.
double bytes_a_picosecond(Rate rate, std::size_t lines);

TransferCost cost_of(const StreamShape& shape, const TransferRules& rules);

/// Data in bytes a picosecond. `lines`: how many lines of `rate` all streams share.
/// Of writes, beside the requests of reads that come to `reads`.
double write_ceiling(const TransferCost& cost, Rate rate, std::size_t lines, double reads = 0);

/// Of reads: by their completions, or by their requests, if those take turns with writes.
struct ReadCeiling {
  double data = 0;
  bool by_requests = false;
};
/// `write_lines`: those away from devices, if writes are on them too; else 0. A device's line takes
/// its queue in order of arrival, so a write TLP and a read request in turn.
ReadCeiling read_ceiling(const TransferCost& cost, Rate rate, std::size_t lines,
                         std::size_t write_lines);

}  // namespace railyard::pcie_bandwidth
