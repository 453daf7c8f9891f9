#include "hw/hbm/bit_list.h"

#include <sstream>

#include "tlm/base/format.h"

namespace railyard::hbm {
namespace {

constexpr const char* kSyntax = "write bits such as \"14 13\", \"14+20\" or \"28-15\"";

/// Of one word: numbers, and what stands between them.
struct Word {
  std::string text;
  std::vector<unsigned> numbers;
  char between = ' ';
};

/// False if the word has another form.
bool split(Word& word) {
  bool digits = false;
  for (const char c : word.text) {
    if (c >= '0' && c <= '9') {
      if (!digits) word.numbers.push_back(0);
      digits = true;
      unsigned& n = word.numbers.back();
      n = n * 10 + static_cast<unsigned>(c - '0');
      if (n > 999) return false;
      continue;
    }
    if (!digits || (c != '+' && c != '-')) return false;
    if (word.between != ' ' && (c == '-' || word.between == '-')) return false;
    word.between = c;
    digits = false;
  }
  return digits;
}

}  // namespace

std::vector<std::uint64_t> parse_bits(const std::string& text, unsigned lowest, unsigned highest,
                                      const RefuseBits& refuse) {
  std::vector<std::uint64_t> bits;
  std::istringstream words(text);
  for (Word word; words >> word.text; word = Word()) {
    if (!split(word)) refuse(quoted(word.text) + " names no bits", kSyntax);
    for (const unsigned n : word.numbers) {
      if (n >= lowest && n <= highest) continue;
      refuse("bit " + std::to_string(n) +
                 (n < lowest ? " lies within an access" : " is beyond the stack's addresses"),
             "write bits from " + std::to_string(lowest) + " to " + std::to_string(highest));
    }
    if (word.between == '-') {
      if (word.numbers[0] < word.numbers[1]) {
        refuse(quoted(word.text) + " counts up", "write the most significant bit first");
      }
      for (unsigned n = word.numbers[0] + 1; n-- > word.numbers[1];) {
        bits.push_back(std::uint64_t{1} << n);
      }
      continue;
    }
    std::uint64_t sum = 0;
    for (const unsigned n : word.numbers) {
      if ((sum >> n & 1U) != 0) {
        refuse(quoted(word.text) + " has bit " + std::to_string(n) + " twice",
               "write it once: twice is not at all");
      }
      sum |= std::uint64_t{1} << n;
    }
    bits.push_back(sum);
  }
  return bits;
}

std::string bit_run(unsigned lowest, unsigned width) {
  if (width == 0) return "";
  if (width == 1) return std::to_string(lowest);
  return std::to_string(lowest + width - 1) + "-" + std::to_string(lowest);
}

bool BitEquations::add(std::uint64_t unknowns) {
  Row row{unknowns, std::uint64_t{1} << rows_.size(), 0};
  for (const Row& other : rows_) {
    if ((row.unknowns & other.pivot) == 0) continue;
    row.unknowns ^= other.unknowns;
    row.equations ^= other.equations;
  }
  if (row.unknowns == 0) return false;
  row.pivot = row.unknowns & (~row.unknowns + 1);
  for (Row& other : rows_) {
    if ((other.unknowns & row.pivot) == 0) continue;
    other.unknowns ^= row.unknowns;
    other.equations ^= row.equations;
  }
  rows_.push_back(row);
  return true;
}

std::vector<std::uint64_t> BitEquations::inverse() const {
  std::vector<std::uint64_t> flips(rows_.size(), 0);
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < flips.size(); ++i) {
      if ((row.equations >> i & 1U) != 0) flips[i] |= row.pivot;
    }
  }
  return flips;
}

}  // namespace railyard::hbm
