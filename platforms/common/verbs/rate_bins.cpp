#include "platforms/common/verbs/rate_bins.h"

#include <algorithm>
#include <cmath>

namespace railyard::rdma {

void RateBins::Sums::add(std::uint64_t bytes_of_bin, std::uint64_t times) {
  const auto value = static_cast<double>(bytes_of_bin);
  const auto count = static_cast<double>(times);
  bins += times;
  bytes += value * count;
  squares += value * value * count;
}

void RateBins::begin(Time at) {
  bin_ = at;
  bytes_ = 0;
  whole_ = {};
}

void RateBins::add(std::uint64_t bytes, Time at) {
  if (at - bin_ >= width_) {
    const auto passed = static_cast<std::uint64_t>((at - bin_) / width_);
    whole_.add(bytes_, 1);
    whole_.add(0, passed - 1);
    bin_ += static_cast<Time>(passed) * width_;
    bytes_ = 0;
  }
  bytes_ += bytes;
}

double RateBins::variation(Time now) const {
  Sums sums = whole_;
  if (now - bin_ >= width_) {
    sums.add(bytes_, 1);
    sums.add(0, static_cast<std::uint64_t>((now - bin_) / width_) - 1);
  }
  if (sums.bins < 2 || sums.bytes <= 0) return 0;
  const auto count = static_cast<double>(sums.bins);
  const double mean = sums.bytes / count;
  return std::sqrt(std::max(0.0, sums.squares / count - mean * mean)) / mean;
}

}  // namespace railyard::rdma
