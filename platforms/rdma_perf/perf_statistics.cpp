#include "platforms/rdma_perf/perf_statistics.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace railyard::rdma_perf {

namespace {

constexpr double kGigabitsPerSecond = 8000;  // of a byte a picosecond
constexpr double kMegaPerPicosecond = 1e6;   // 1/ps in millions a second
constexpr std::size_t kDisturbances = 2;

double microseconds(double picoseconds) { return picoseconds / kMicrosecond; }

double gigabits(std::uint64_t bytes, Time time) {
  return time <= 0 ? 0.0
                   : static_cast<double>(bytes) * kGigabitsPerSecond / static_cast<double>(time);
}

void set_means(BandwidthRow& row) {
  if (row.last <= row.first) return;
  const Time time = row.last - row.first;
  row.average_gbps = gigabits(row.bytes * row.iterations, time);
  row.rate_mpps =
      static_cast<double>(row.iterations) * kMegaPerPicosecond / static_cast<double>(time);
}

double peak(const BandwidthSamples& samples) {
  if (samples.posted.size() > kMostForPeak) return 0;
  double best = 0;
  for (std::size_t j = 0; j < samples.completed.size(); ++j) {
    if (samples.completed[j] == kForever) continue;
    for (std::size_t i = 0; i <= j; ++i) {
      best = std::max(
          best, gigabits(samples.bytes * (j - i + 1), samples.completed[j] - samples.posted[i]));
    }
  }
  return best;
}

double median(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/// perftest's: the sample at ceil(n * share), counted from 0.
double percentile(const std::vector<double>& sorted, std::size_t n, double share) {
  const auto at = static_cast<std::size_t>(std::ceil(static_cast<double>(n) * share));
  return sorted[std::min(at, sorted.size() - 1)];
}

}  // namespace

BandwidthRow bandwidth_row(const BandwidthSamples& samples) {
  BandwidthRow row;
  row.bytes = samples.bytes;
  row.iterations = samples.posted.size();
  Time last = 0;
  for (const Time at : samples.completed) {
    if (at != kForever) last = std::max(last, at);
  }
  if (samples.posted.empty() || last <= samples.posted.front()) return row;
  row.first = samples.posted.front();
  row.last = last;
  set_means(row);
  row.peak_gbps = peak(samples);
  return row;
}

BandwidthRow sum(const std::vector<BandwidthRow>& rows) {
  if (rows.size() == 1) return rows.front();
  BandwidthRow all;
  for (const BandwidthRow& row : rows) {
    all.bytes = row.bytes;
    all.iterations += row.iterations;
    all.first = std::min(all.first, row.first);
    all.last = std::max(all.last, row.last);
  }
  set_means(all);
  return all;
}

LatencyRow latency_row(std::uint64_t bytes, const std::vector<Time>& posted, unsigned quotient) {
  LatencyRow row;
  row.bytes = bytes;
  row.iterations = posted.size();
  if (posted.size() < kLeastIterations) return row;
  std::vector<double> samples;
  samples.reserve(posted.size() - 1);
  for (std::size_t i = 1; i < posted.size(); ++i) {
    samples.push_back(microseconds(static_cast<double>(posted[i] - posted[i - 1])) / quotient);
  }
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size() - kDisturbances;
  row.least_us = samples.front();
  row.most_us = samples[n];
  row.p99_us = percentile(samples, n, 0.99);
  row.p999_us = percentile(samples, n, 0.999);
  samples.resize(n);
  row.typical_us = median(samples);
  for (const double sample : samples) row.average_us += sample / static_cast<double>(n);
  double squares = 0;
  for (const double sample : samples) {
    squares += (sample - row.average_us) * (sample - row.average_us);
  }
  row.deviation_us = std::sqrt(squares / static_cast<double>(n));
  return row;
}

std::string bandwidth_table(const std::vector<BandwidthRow>& rows) {
  std::ostringstream text;
  text << " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
       << std::left << std::fixed;
  for (const BandwidthRow& row : rows) {
    text << ' ' << std::setw(11) << row.bytes << std::setw(15) << row.iterations
         << std::setprecision(2) << std::setw(19) << row.peak_gbps << std::setw(21)
         << row.average_gbps << std::setprecision(6) << row.rate_mpps << '\n';
  }
  return text.str();
}

std::string latency_table(const std::vector<LatencyRow>& rows) {
  std::ostringstream text;
  text << " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
          "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\n"
       << std::left << std::fixed << std::setprecision(2);
  for (const LatencyRow& row : rows) {
    text << ' ' << std::setw(8) << row.bytes << std::setw(15) << row.iterations << std::setw(15)
         << row.least_us << std::setw(13) << row.most_us << std::setw(19) << row.typical_us
         << std::setw(15) << row.average_us << std::setw(16) << row.deviation_us << std::setw(23)
         << row.p99_us << row.p999_us << '\n';
  }
  return text.str();
}

}  // namespace railyard::rdma_perf
