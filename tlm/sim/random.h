// Random numbers that are the same on every machine: the standard's distributions are not. One
// stream a component, seeded by the run's seed and the component's name, so that adding a component
// changes no other's numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace railyard {

/// xoshiro256** (Blackman, Vigna 2018), seeded through SplitMix64.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t next();
  /// Uniform in [0, bound), bound > 0, without bias (Lemire 2019).
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// True with the probability that `threshold` was made from.
  bool chance(std::uint64_t threshold) { return threshold != 0 && next() <= threshold - 1; }
  /// The threshold for chance(): p in [0, 1]; p = 1 is always true to 1 in 2^64.
  static std::uint64_t threshold(double probability);
  /// Trials before the first success of independent trials with probability p in (0, 1]; at most
  /// 2^62.
  std::uint64_t geometric(double probability);

 private:
  std::uint64_t state_[4];
};

}  // namespace railyard
