// What the programs of a run leave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/rdma_perf/breakdown.h"
#include "platforms/rdma_perf/perf_statistics.h"
#include "platforms/rdma_perf/test_config.h"
#include "tlm/observe/statistics.h"

namespace railyard::rdma_perf {

/// Of one size.
struct SizeResult {
  SizeResult(std::uint64_t of, TestKind test) : bytes(of), breakdown(test) {}

  std::uint64_t bytes;
  std::vector<BandwidthRow> clients;  // all that posted, as they ended
  BandwidthRow bandwidth;             // their sum
  LatencyRow latency;
  Breakdown breakdown;
  Histogram completion;  // from posting to the completion that was asked for
  /// When each iteration's message was posted, client's and server's.
  std::vector<Time> posted[2];
};

/// Of one pair of hosts, over all sizes.
struct PairResult {
  std::string name;         // "h0.nic0 to h1.nic0"
  std::uint64_t bytes = 0;  // that completed
  Time started = kForever;
  Time ended = 0;

  double goodput_gbps() const {
    constexpr double kGigabitsPerSecond = 8000;  // of a byte a picosecond
    return ended <= started ? 0.0
                            : static_cast<double>(bytes) * kGigabitsPerSecond /
                                  static_cast<double>(ended - started);
  }
};

struct Results {
  std::vector<SizeResult> sizes;
  std::vector<PairResult> pairs;
  std::uint64_t messages = 0;     // that completed
  std::uint64_t wrong_bytes = 0;  // that arrived otherwise than they were sent
  std::size_t finished = 0;       // programs
  std::size_t programs = 0;

  /// A client's row of a size; adds it to the sum.
  void add(std::size_t size, const BandwidthRow& row) {
    sizes[size].clients.push_back(row);
    sizes[size].bandwidth = sum(sizes[size].clients);
  }
};

}  // namespace railyard::rdma_perf
