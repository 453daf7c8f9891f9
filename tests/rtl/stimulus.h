// Random inputs of the kinds that find faults in RTL: rare and dense, at the edges and in between.
#pragma once

#include <cstdint>

namespace railyard::test {

/// SplitMix64.
class Stimulus {
 public:
  explicit Stimulus(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  template <class T>
  T bits(unsigned count) {
    return static_cast<T>(next() >> (64 - count));
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// True once in `n` times.
  bool once_in(std::uint64_t n) { return below(n) == 0; }
  /// A number of `bits` bits: zero, one, the largest ones, a power of two, small, or any.
  std::uint64_t corner(unsigned bits) {
    const std::uint64_t largest = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    switch (below(8)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return largest;
      case 3:
        return largest - 1;
      case 4:
        return std::uint64_t{1} << below(bits);
      case 5:
        return below(64) & largest;
      default:
        return next() & largest;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace railyard::test
