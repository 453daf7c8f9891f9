// What is asked of the controller in a run of hbm_bandwidth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm_bandwidth {

constexpr double kLeastLoad = 1e-6;

enum class Pattern : std::uint8_t { kSequential, kRandom, kStride, kBlocks, kStreams, kTrace };
enum class TraceFormat : std::uint8_t { kDetect, kTimed, kUntimed };

struct TrafficConfig {
  Pattern pattern = Pattern::kSequential;
  double reads = 1;
  Bytes size = 32;
  std::optional<Bytes> stride;
  Bytes block = kibibytes(4);
  bool bulk = false;
  std::vector<std::string> arrays = {"read", "read", "write"};
  Bytes base = 0;
  std::optional<Bytes> footprint;
  unsigned outstanding = 128;
  std::optional<double> load;
  std::uint64_t requests = 200'000;
  std::optional<Time> duration;
  std::string trace;
  TraceFormat trace_format = TraceFormat::kDetect;
  Mark mark;

  void declare(Parameters& p);

  /// Bytes of the range of addresses, of a device of `capacity`.
  std::uint64_t footprint_in(std::uint64_t capacity) const {
    return footprint ? std::uint64_t{*footprint} : capacity - base;
  }
  /// What the pattern needs.
  std::uint64_t least_footprint() const;

 private:
  void check(const Bound& bound) const;
};

/// Random accesses of the device, open loop, until what is measured is done.
struct BackgroundConfig {
  double load = 0;
  double reads = 0.5;
  Bytes size = 32;

  void declare(Parameters& p);
};

}  // namespace railyard::hbm_bandwidth
