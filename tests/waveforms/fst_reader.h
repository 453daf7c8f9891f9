// An FST or VCD as maps of changes, for comparison with what was written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace railyard::test {

struct Change {
  std::uint64_t time;
  std::string value;  // bits, or a real as "%.16g"
  bool operator==(const Change& o) const { return time == o.time && value == o.value; }
};

struct Waves {
  std::map<std::string, std::vector<Change>> changes;               // by hierarchical name
  std::map<std::string, std::map<std::string, std::string>> enums;  // of a signal: bits -> name
  std::vector<std::string> comments;
  std::uint64_t end_time = 0;
  int time_exponent = 0;

  /// The value of `name` at `time`; "" before its first.
  std::string at(const std::string& name, std::uint64_t time) const;
};

/// With fstapi's reader. Throws std::runtime_error if it cannot.
Waves read_fst(const std::string& path);

/// From the text of a VCD, our own parser.
Waves parse_vcd(const std::string& text);

std::string bits(std::uint64_t value, int width);

}  // namespace railyard::test
