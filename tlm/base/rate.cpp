#include "tlm/base/rate.h"

#include <numeric>
#include <stdexcept>

namespace railyard {

namespace {

__extension__ using Wide = unsigned __int128;

Wide wide_gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

}  // namespace

Rate::Rate(std::uint64_t numerator, std::uint64_t denominator) {
  if (numerator == 0 || denominator == 0) throw std::invalid_argument("a rate must be positive");
  const std::uint64_t g = std::gcd(numerator, denominator);
  numerator_ = numerator / g;
  denominator_ = denominator / g;
  // ps a byte = 8 * 10^12 * den / num
  Wide num = Wide{8'000'000'000'000ULL} * denominator_;
  Wide den = numerator_;
  const Wide h = wide_gcd(num, den);
  num /= h;
  den /= h;
  constexpr Wide kLimit = Wide{1} << 31;
  if (num >= kLimit || den >= kLimit) {
    throw std::invalid_argument("a rate whose byte time is not a ratio of 31-bit integers");
  }
  byte_time_num_ = static_cast<std::uint64_t>(num);
  byte_time_den_ = static_cast<std::uint64_t>(den);
}

double Rate::bits_per_second() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

Time Rate::time_of(std::uint64_t bytes) const {
  const Wide scaled = Wide{bytes} * byte_time_num_ * 2 + byte_time_den_;
  return static_cast<Time>(scaled / (Wide{byte_time_den_} * 2));
}

bool Rate::operator<(const Rate& o) const {
  return Wide{numerator_} * o.denominator_ < Wide{o.numerator_} * denominator_;
}

}  // namespace railyard
