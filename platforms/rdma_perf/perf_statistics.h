// What perftest makes of its time stamps: bandwidth, message rate, latency, and the tables in its
// columns. Plain numbers in, plain numbers out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/base/time.h"

namespace railyard::rdma_perf {

/// Of one client and one size. Messages are numbered in the order of their posting, over all queue
/// pairs.
struct BandwidthSamples {
  std::uint64_t bytes = 0;  // of a message
  std::vector<Time> posted;
  /// When the completion that covers a message was taken; kForever: it was not the last one that
  /// a completion covers.
  std::vector<Time> completed;
};

struct BandwidthRow {
  std::uint64_t bytes = 0;
  std::uint64_t iterations = 0;
  double peak_gbps = 0;  // 0: not looked for
  double average_gbps = 0;
  double rate_mpps = 0;
  Time first = kForever;  // posting
  Time last = 0;          // completion
};

/// Average: all bytes over the time from the first posting to the last completion. Peak: the best
/// run of messages from a posting to a completion; beyond kMostForPeak messages none is looked for,
/// as in perftest.
constexpr std::size_t kMostForPeak = 20'000;
BandwidthRow bandwidth_row(const BandwidthSamples& samples);

/// Rows of one size of several sides or clients: all that they moved over the time from the first
/// posting to the last completion of any. For a peak of several none is looked for.
BandwidthRow sum(const std::vector<BandwidthRow>& rows);

struct LatencyRow {
  std::uint64_t bytes = 0;
  std::uint64_t iterations = 0;
  double least_us = 0;
  double most_us = 0;
  double typical_us = 0;  // the median
  double average_us = 0;
  double deviation_us = 0;
  double p99_us = 0;
  double p999_us = 0;
};

/// Iterations below which there is nothing left to measure.
constexpr std::size_t kLeastIterations = 5;

/// `posted`: when each iteration's message was posted. A sample is the time between two postings
/// over `quotient` (2: half a round trip). As perftest does, the two largest samples are taken for
/// disturbances: t_max is the larger of them but one, and no other number counts them.
LatencyRow latency_row(std::uint64_t bytes, const std::vector<Time>& posted, unsigned quotient);

std::string bandwidth_table(const std::vector<BandwidthRow>& rows);
std::string latency_table(const std::vector<LatencyRow>& rows);

}  // namespace railyard::rdma_perf
