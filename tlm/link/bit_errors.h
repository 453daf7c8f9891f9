// Which packets meet a bit error on a line. Distances between wrong bits are drawn, not bits: one
// number an error.
#pragma once

#include <cstdint>

#include "tlm/sim/random.h"

namespace railyard {

class BitErrors {
 public:
  /// Errors at `rate` a bit, from `random`; a rate of 0 draws nothing.
  void start(RandomStream& random, double rate) {
    rate_ = rate;
    random_ = &random;
    if (rate > 0) bits_to_error_ = random.geometric(rate);
  }

  /// Whether a packet of so many bytes is hit, once for each packet.
  bool hit(std::uint32_t bytes) {
    const std::uint64_t bits = std::uint64_t{bytes} * 8;
    if (bits_to_error_ < bits) return draw(bits);
    if (bits_to_error_ != kNever) bits_to_error_ -= bits;
    return false;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  bool draw(std::uint64_t bits) {
    while (bits_to_error_ < bits) bits_to_error_ += 1 + random_->geometric(rate_);
    bits_to_error_ -= bits;
    return true;
  }

  std::uint64_t bits_to_error_ = kNever;
  RandomStream* random_ = nullptr;
  double rate_ = 0;
};

}  // namespace railyard
