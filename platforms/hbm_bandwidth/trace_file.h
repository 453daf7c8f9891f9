// Traces of accesses, in the two formats that public simulators of memories read:
//
//   0x12345640 READ 1200     an address, what is done there, and the clock before which it is not
//   R 0x12345640             what is done, and an address; one after the other, as fast as it goes
//
// Addresses are decimal or 0x..., the command is R, W, READ or WRITE in either case. Empty lines
// are skipped, and what follows a #.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/hbm_bandwidth/traffic_config.h"

namespace railyard::hbm_bandwidth {

struct TraceEntry {
  std::uint64_t address = 0;
  std::uint64_t clock = 0;  // timed
  bool write = false;
};

struct Trace {
  bool timed = false;
  std::vector<TraceEntry> entries;
};

/// Every line of the file. `capacity`: a request of `size` bytes must end within it, `unit`: its
/// address is rounded down to a multiple. ConfigError at the key if the file cannot be read, with
/// file and line if it holds anything else, at the file if it holds nothing.
Trace read_trace(const TrafficConfig& traffic, std::uint64_t capacity, std::uint64_t unit);

}  // namespace railyard::hbm_bandwidth
