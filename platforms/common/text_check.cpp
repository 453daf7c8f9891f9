#include "platforms/common/text_check.h"

#include <cstddef>
#include <cstdint>

#include "tlm/base/error.h"

namespace railyard {

namespace {

// Brackets in comments and quotes are counted too, hence far above the 32 levels that are accepted.
constexpr int kMaxOpenBrackets = 1000;
// A parser may hold a token for each; three times as many as the values that are accepted.
constexpr int kMaxSeparators = 3'000'000;

/// Length of the UTF-8 sequence at `at` of a printable character, or 0 (Unicode 15, table 3-7).
std::size_t printable_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80)
    return first == '\t' || first == '\n' || (first >= 0x20 && first < 0x7f) ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t point = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  const bool control = point < 0xa0 || (point >= 0x2028 && point <= 0x202e) ||
                       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
  if (point < kSmallest[length] || point > 0x10ffff || surrogate || control) return 0;
  return length;
}

std::string hex(char c) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'0', 'x', kHex[byte >> 4], kHex[byte & 15]};
}

}  // namespace

std::string normalised(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    result += text[i];
  }
  return result;
}

void check_text(const std::string& text, const std::string& source) {
  std::size_t line = 1;
  std::size_t line_begin = 0;
  int open = 0;
  int separators = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto place = [&] {
      return source + ":" + std::to_string(line) + ":" + std::to_string(at - line_begin + 1);
    };
    const std::size_t length = printable_length(text, at);
    if (length == 0) {
      throw ConfigError(place(), "byte " + hex(text[at]) + " is not printable UTF-8 text",
                        "save the file as plain UTF-8 without control characters");
    }
    const char c = text[at];
    if (c == '%' && at == line_begin) {
      throw ConfigError(place(), "directives (% at the beginning of a line) are not accepted",
                        "remove the line, or begin a comment with #");
    }
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (c == '[' || c == '{' || c == ',' || c == ':') ++separators;
    if (separators > kMaxSeparators) {
      throw ConfigError(place(), "more than 3,000,000 separators", "split the configuration");
    }
    if (open > kMaxOpenBrackets) {
      throw ConfigError(place(), "more than 1000 brackets are open", "nest at most 32 levels");
    }
    at += length;
    if (c == '\n') {
      ++line;
      line_begin = at;
    }
  }
}

}  // namespace railyard
