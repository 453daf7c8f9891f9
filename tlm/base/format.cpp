#include "tlm/base/format.h"

#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>

#include "tlm/base/units.h"

namespace railyard {

namespace {

std::string digits(Wide value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return text;
}

/// `value` as a decimal, if it has one of few enough digits.
std::optional<std::string> decimal(Ratio value) {
  std::string fraction;
  Wide rest = value.num % value.den;
  while (rest != 0) {
    if (fraction.size() == kMaxFractionDigits) return std::nullopt;
    rest *= 10;
    fraction += static_cast<char>('0' + static_cast<int>(rest / value.den));
    rest %= value.den;
  }
  return digits(value.num / value.den) + (fraction.empty() ? "" : "." + fraction);
}

/// The shortest text of `value` base units, at least 1 of its unit; of texts as short, the one in
/// the largest unit. `fractions` admits "32768/65" where no decimal is exact.
std::string shortest(Ratio value, units::Table table, bool fractions) {
  std::string best;
  for (std::size_t i = table.size; i-- > 0;) {
    const units::Unit& unit = table.units[i];
    Ratio scaled = value;
    if (!multiply_exactly(scaled, {1, unit.scale}) || scaled.num < scaled.den) continue;
    if (scaled.den > std::numeric_limits<std::uint64_t>::max()) continue;
    std::optional<std::string> text = decimal(scaled);
    if (!text && fractions) text = digits(scaled.num) + "/" + digits(scaled.den);
    if (!text) continue;
    *text += unit.name;
    if (best.empty() || text->size() < best.size()) best = *text;
  }
  return best;
}

}  // namespace

std::string format_time(Time time) {
  struct Unit {
    Time size;
    const char* name;
  };
  constexpr Unit kUnits[] = {
      {kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "us"}, {kNanosecond, "ns"}};
  for (const Unit& unit : kUnits) {
    if (time != 0 && time % unit.size == 0) return std::to_string(time / unit.size) + unit.name;
  }
  return std::to_string(time) + "ps";
}

std::string format_rate(Rate rate) {
  units::Table bits = units::rate();
  bits.size = 5;  // bits a second alone: bytes a second are for reading
  return shortest({rate.numerator(), rate.denominator()}, bits, true);
}

std::string format_bytes(Bytes bytes) {
  if (bytes == 0) return "0B";
  return shortest({bytes, 1}, units::bytes(), false);
}

std::string format_length(Length length) {
  if (length == Length{}) return "0m";
  return shortest({length.micrometres, 1}, units::length(), false);
}

std::string format_number(double number) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, number);
  return std::string(text, result.ptr);
}

std::string format_hex(std::uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string printable(const std::string& text, std::size_t limit) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7f;
    if (line.size() + (plain ? 1 : 4) > limit) {
      if (line.size() + 3 > limit) line.resize(limit - 3);
      return line + "...";
    }
    if (plain) {
      line += c;
    } else {
      line += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return line;
}

std::string quoted(const std::string& text) { return '"' + printable(text) + '"'; }

}  // namespace railyard
