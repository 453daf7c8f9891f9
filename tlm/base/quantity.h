// Quantities as text: a plain decimal number and a unit, "400Gbps" or "400 Gbps". The arithmetic is
// exact on the decimal digits; nothing passes through double. What cannot be kept exactly, has no
// unit or another one, is negative or too large is refused. A refusal is a ConfigError without a
// place: the caller, who knows it, adds it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

/// A number of bytes. It converts both ways, so that models compute with plain integers; the type
/// tells the configuration that the number has a unit.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr Bytes(std::uint64_t count) : count_(count) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::uint64_t() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

constexpr Bytes kibibytes(std::uint64_t count) { return count * 1024; }

/// A length in micrometres.
struct Length {
  std::uint64_t micrometres = 0;

  bool operator==(Length o) const { return micrometres == o.micrometres; }
  bool operator!=(Length o) const { return micrometres != o.micrometres; }
  bool operator<(Length o) const { return micrometres < o.micrometres; }
};

constexpr Length millimetres(std::uint64_t count) { return {count * 1'000}; }
constexpr Length metres(std::uint64_t count) { return {count * 1'000'000}; }

/// ps ns us ms s. At most 2^63-1 ps.
Time parse_time(const std::string& text);
/// bps Kbps Mbps Gbps Tbps, and Bps KBps MBps GBps TBps (bytes a second). The number may be a
/// product or quotient, evaluated from left to right: "32*16*128/130Gbps".
Rate parse_rate(const std::string& text);
/// B; KB MB GB TB (powers of 1,000); KiB MiB GiB TiB (powers of 1,024).
Bytes parse_bytes(const std::string& text);
/// um mm cm m km.
Length parse_length(const std::string& text);

/// Plain decimal integers: no sign but '-', no leading zero, no exponent, no digit separator.
std::uint64_t parse_unsigned(const std::string& text,
                             std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
std::int64_t parse_signed(const std::string& text,
                          std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                          std::int64_t max = std::numeric_limits<std::int64_t>::max());
/// A finite JSON number: "0.5", "-3", "1e-12".
double parse_number(const std::string& text);
/// "true" or "false".
bool parse_bool(const std::string& text);

}  // namespace railyard
