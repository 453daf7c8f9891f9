// Bits of an address as an address map's fields name them, and the algebra of such maps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace railyard::hbm {

/// Called with problem and remedy; does not return.
using RefuseBits = std::function<void(const std::string& problem, const std::string& remedy)>;

/// "28-15", "14+20 13": for each bit of a field, most significant first, the set of the address'
/// bits (bit number n is 1 << n) whose exclusive or it is. Bits are from `lowest` to `highest`.
std::vector<std::uint64_t> parse_bits(const std::string& text, unsigned lowest, unsigned highest,
                                      const RefuseBits& refuse);

/// "28-15", "5", or "" of no bits: `width` bits from `lowest` up.
std::string bit_run(unsigned lowest, unsigned width);

/// Equations over GF(2), each an exclusive or of unknowns; solved as they come.
class BitEquations {
 public:
  /// False, and not taken, if it follows from the others.
  bool add(std::uint64_t unknowns);
  /// The inverse, once there are as many equations as unknowns: for each equation the set of
  /// unknowns that its value flips.
  std::vector<std::uint64_t> inverse() const;

 private:
  struct Row {
    std::uint64_t unknowns;
    std::uint64_t equations;  // whose exclusive or it is
    std::uint64_t pivot;      // an unknown that no other row has
  };
  std::vector<Row> rows_;
};

}  // namespace railyard::hbm
