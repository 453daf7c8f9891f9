// Exact rates. A rate is a rational number of bits a second; a ByteClock turns bytes into
// picoseconds with integers and a carried remainder, so that the end of the n-th byte of an
// unbroken burst is the exact rational time rounded once, whatever n is.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"

namespace railyard {

/// A data rate: num/den bits a second, in lowest terms, both positive.
class Rate {
 public:
  constexpr Rate() = default;
  /// `numerator`/`denominator` bits a second; throws std::invalid_argument if either is zero, or if
  /// a byte would take 2^31 ps or more or less than 1/2^31 ps (outside what a ByteClock carries).
  Rate(std::uint64_t numerator, std::uint64_t denominator);

  static Rate bits_per_second(std::uint64_t value) { return Rate(value, 1); }
  static Rate gbps(std::uint64_t value) { return Rate(value * 1'000'000'000ULL, 1); }

  std::uint64_t numerator() const { return numerator_; }
  std::uint64_t denominator() const { return denominator_; }
  double bits_per_second() const;

  /// One byte takes byte_time_num()/byte_time_den() picoseconds, in lowest terms, each < 2^31.
  std::uint64_t byte_time_num() const { return byte_time_num_; }
  std::uint64_t byte_time_den() const { return byte_time_den_; }

  /// The time of `bytes` bytes, rounded to the nearest picosecond (halves up). Exact up to 2^63 ps.
  Time time_of(std::uint64_t bytes) const;

  bool operator==(const Rate& o) const {
    return numerator_ == o.numerator_ && denominator_ == o.denominator_;
  }
  bool operator!=(const Rate& o) const { return !(*this == o); }
  bool operator<(const Rate& o) const;

 private:
  std::uint64_t numerator_ = 8'000'000'000'000ULL;  // one byte a picosecond
  std::uint64_t denominator_ = 1;
  std::uint64_t byte_time_num_ = 1;
  std::uint64_t byte_time_den_ = 1;
};

/// Counts bytes of a burst that began at an integer time. Not reset between frames of a burst, so
/// rounding never accumulates.
class ByteClock {
 public:
  ByteClock() = default;
  explicit ByteClock(Rate rate) : num_(rate.byte_time_num()), den_(rate.byte_time_den()) {}

  /// Starts a burst at `start`: the remainder is dropped.
  void start(Time start) {
    floor_ = start;
    remainder_ = 0;
  }

  /// Moves on by `bytes` (< 2^32) and returns the time after them, rounded to nearest, halves up.
  Time advance(std::uint64_t bytes) {
    const std::uint64_t sum = remainder_ + bytes * num_;
    if (den_ == 1) {
      floor_ += static_cast<Time>(sum);
      return floor_;
    }
    floor_ += static_cast<Time>(sum / den_);
    remainder_ = sum % den_;
    return now();
  }

  /// The time reached, rounded to nearest, halves up.
  Time now() const { return floor_ + (2 * remainder_ >= den_ && den_ != 1 ? 1 : 0); }

 private:
  Time floor_ = 0;
  std::uint64_t remainder_ = 0;
  std::uint64_t num_ = 1;
  std::uint64_t den_ = 1;
};

}  // namespace railyard
