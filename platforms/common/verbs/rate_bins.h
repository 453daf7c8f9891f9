// How much a flow's goodput varies: its bytes in bins of equal width. Plain numbers.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"

namespace railyard::rdma {

class RateBins {
 public:
  explicit RateBins(Time width) : width_(width) {}

  /// Forgets what came, and counts from there.
  void begin(Time at);
  /// Bytes that come at a time not before those that came.
  void add(std::uint64_t bytes, Time at);
  /// Standard deviation over mean of the bins that are whole until `now`; 0: fewer than two, or
  /// nothing came.
  double variation(Time now) const;

 private:
  /// Sums over bins.
  struct Sums {
    std::uint64_t bins = 0;
    double bytes = 0;
    double squares = 0;

    void add(std::uint64_t bytes_of_bin, std::uint64_t times);
  };

  Time width_;
  Time bin_ = 0;  // where the present one begins
  std::uint64_t bytes_ = 0;
  Sums whole_;
};

}  // namespace railyard::rdma
