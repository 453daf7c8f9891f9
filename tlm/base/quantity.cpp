#include "tlm/base/quantity.h"

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/units.h"

namespace railyard {

namespace {

constexpr std::size_t kMaxIntegerDigits = 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void refuse(const std::string& text, const std::string& problem,
                         const std::string& remedy) {
  throw ConfigError("", quoted(text) + " " + problem, remedy);
}

/// Where the digits from `at` on end.
std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// A quantity on its way from text to value: knows how to refuse.
class Reader {
 public:
  Reader(const std::string& text, const char* what, const char* example, units::Table table)
      : text_(text), what_(what), example_(example), table_(table) {}

  /// The value in the table's base unit.
  Ratio read(bool arithmetic) const {
    check_beginning();
    const std::size_t end = text_.find_first_not_of(arithmetic ? "0123456789.*/" : "0123456789.");
    const std::string_view number = std::string_view(text_).substr(0, end);
    Ratio value = arithmetic ? evaluate(number) : factor(number);
    multiply(value, Ratio{scale(end, number), 1});
    return value;
  }

  /// The value as an integer of the base unit, at most `max`.
  std::uint64_t read_integer(std::uint64_t max, const std::string& max_text) const {
    const Ratio value = read(false);
    if (value.den != 1) {
      fail("is finer than the resolution of 1" + std::string(table_.units[0].name),
           "write a multiple of 1" + std::string(table_.units[0].name));
    }
    if (value.num > max) fail("is too large", "write at most " + max_text);
    return static_cast<std::uint64_t>(value.num);
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    refuse(text_, problem, remedy);
  }
  std::string such_as() const { return std::string("write a ") + what_ + " such as " + example_; }

 private:
  void check_beginning() const {
    if (text_.empty()) fail("is empty", such_as());
    if (text_[0] == '-') fail("is negative", such_as());
    if (!is_digit(text_[0])) fail(std::string("is not a ") + what_, such_as());
  }

  /// A plain decimal.
  Ratio factor(std::string_view digits) const {
    const std::size_t point = skip_digits(digits, 0);
    const std::size_t end = point < digits.size() ? skip_digits(digits, point + 1) : point;
    const bool has_fraction = point < digits.size() && digits[point] == '.' && end > point + 1;
    if (point == 0 || end != digits.size() || (point < digits.size() && !has_fraction)) {
      fail("is not a plain decimal number with a unit", such_as());
    }
    if (point > 1 && digits[0] == '0') {
      fail("has a leading zero", "write the number without it");
    }
    std::string_view fraction = has_fraction ? digits.substr(point + 1) : std::string_view();
    while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    if (point > kMaxIntegerDigits) fail("is too large", such_as());
    if (fraction.size() > kMaxFractionDigits) {
      fail("has more than " + std::to_string(kMaxFractionDigits) + " decimals", such_as());
    }
    Ratio value;
    for (const char c : digits.substr(0, point)) value.num = value.num * 10 + Wide(c - '0');
    for (const char c : fraction) {
      value.num = value.num * 10 + Wide(c - '0');
      value.den *= 10;
    }
    return reduced(value);
  }

  /// Factors joined by * and /, from left to right.
  Ratio evaluate(std::string_view expression) const {
    Ratio value{1, 1};
    char operation = '*';
    for (;;) {
      const std::size_t end = expression.find_first_of("*/");
      Ratio next = factor(expression.substr(0, end));
      if (operation == '/') {
        if (next.num == 0) fail("divides by zero", such_as());
        std::swap(next.num, next.den);
      }
      multiply(value, next);
      if (end == std::string_view::npos) return value;
      operation = expression[end];
      expression.remove_prefix(end + 1);
    }
  }

  void multiply(Ratio& value, const Ratio& by) const {
    if (!multiply_exactly(value, by)) fail("is too large or too fine", such_as());
  }

  Wide scale(std::size_t at, std::string_view number) const {
    if (at == std::string::npos) {
      fail("has no unit", "write " + std::string(number) + table_.units[table_.usual].name +
                              ", or another of " + table_.names());
    }
    if (text_[at] == ' ') ++at;
    const std::string unit = text_.substr(at);
    for (const units::Unit& known : table_) {
      if (unit == known.name) return known.scale;
    }
    if (unit.find_first_of("0123456789") != std::string::npos) {
      fail("is not a plain decimal number with a unit", such_as());
    }
    fail("has the unit " + quoted(unit) + ", which is not one of a " + what_,
         "write it in one of " + table_.names());
  }

  const std::string& text_;
  const char* what_;
  const char* example_;
  units::Table table_;
};

/// Refuses what is not a decimal integer, and says which mistake it looks like.
void check_integer(const std::string& text) {
  const std::size_t begin = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t end = skip_digits(text, begin);
  const char* const remedy = "write decimal digits alone, such as 1000";
  if (text.empty()) refuse(text, "is empty", remedy);
  if (begin == end || end != text.size()) {
    const bool unit = end > begin && text.find_first_of("0123456789._,", end) == std::string::npos;
    refuse(text, unit ? "is not a plain integer: it takes no unit" : "is not a plain integer",
           remedy);
  }
  if (end - begin > 1 && text[begin] == '0') {
    refuse(text, "has a leading zero, which some read as octal", "write the number without it");
  }
}

template <class T>
T read_integer(const std::string& text, T min, T max) {
  check_integer(text);
  T value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || value < min || value > max) {
    refuse(text, "is out of range", "write " + std::to_string(min) + " to " + std::to_string(max));
  }
  return value;
}

bool is_json_number(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t whole = at;
  at = skip_digits(text, at);
  if (at == whole || (at - whole > 1 && text[whole] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = at;
    at = skip_digits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

}  // namespace

Time parse_time(const std::string& text) {
  const Reader reader(text, "time", "5us", units::time());
  const auto max = static_cast<std::uint64_t>(kForever);
  return static_cast<Time>(reader.read_integer(max, format_time(kForever)));
}

Rate parse_rate(const std::string& text) {
  const Reader reader(text, "rate", "400Gbps", units::rate());
  const Ratio value = reader.read(true);
  if (value.num == 0) reader.fail("is zero", "write a rate above 0bps");
  const Wide max = std::numeric_limits<std::uint64_t>::max();
  if (value.num <= max && value.den <= max) {
    try {
      return Rate(static_cast<std::uint64_t>(value.num), static_cast<std::uint64_t>(value.den));
    } catch (const std::invalid_argument&) {
      // Refused below, with the text.
    }
  }
  reader.fail("cannot be kept exactly: a byte's time in ps must be a ratio of 31-bit integers",
              "write fewer digits, such as 504.12Gbps");
}

Bytes parse_bytes(const std::string& text) {
  const Reader reader(text, "size", "9MB", units::bytes());
  const auto max = std::numeric_limits<std::uint64_t>::max();
  return reader.read_integer(max, format_bytes(max));
}

Length parse_length(const std::string& text) {
  const Reader reader(text, "length", "5m", units::length());
  const auto max = std::numeric_limits<std::uint64_t>::max();
  return Length{reader.read_integer(max, format_length(Length{max}))};
}

std::uint64_t parse_unsigned(const std::string& text, std::uint64_t max) {
  check_integer(text);
  if (text[0] == '-') refuse(text, "is negative", "write 0 to " + std::to_string(max));
  return read_integer<std::uint64_t>(text, 0, max);
}

std::int64_t parse_signed(const std::string& text, std::int64_t min, std::int64_t max) {
  return read_integer<std::int64_t>(text, min, max);
}

double parse_number(const std::string& text) {
  if (!is_json_number(text)) {
    refuse(text, "is not a plain number", "write a number such as 0.5, 3 or 1e-12");
  }
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) {
    refuse(text, "is beyond what a double holds", "write a number between 1e-307 and 1e308");
  }
  return value;
}

bool parse_bool(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  refuse(text, "is not true or false", "write true or false, in lower case and without quotes");
}

}  // namespace railyard
