#include "platforms/hbm_bandwidth/trace_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::hbm_bandwidth {

namespace {

constexpr const char* kTimed = "ADDRESS R|W CYCLE";
constexpr const char* kUntimed = "R|W ADDRESS";
constexpr std::size_t kShown = 80;  // characters of what is wrong

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// 'R', 'W', or 0.
char command_of(std::string word) {
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (word == "R" || word == "READ") return 'R';
  if (word == "W" || word == "WRITE") return 'W';
  return 0;
}

bool parse_number(const std::string& word, bool hex, std::uint64_t& value) {
  constexpr int kHex = 16;
  constexpr int kDecimal = 10;
  const char* begin = word.data();
  const char* end = begin + word.size();
  const bool prefixed = word.compare(0, 2, "0x") == 0 || word.compare(0, 2, "0X") == 0;
  if (prefixed && !hex) return false;
  const int base = prefixed ? kHex : kDecimal;
  const auto [stop, error] = std::from_chars(begin + (prefixed ? 2 : 0), end, value, base);
  return error == std::errc() && stop == end;
}

class Reader {
 public:
  Reader(const TrafficConfig& traffic, std::uint64_t capacity, std::uint64_t unit)
      : traffic_(traffic), capacity_(capacity), unit_(unit), format_(traffic.trace_format) {}

  Trace read() {
    std::error_code unknown;
    std::ifstream file;
    if (std::filesystem::is_regular_file(traffic_.trace, unknown)) file.open(traffic_.trace);
    if (!file.is_open()) {
      throw ConfigError(traffic_.mark.place(),
                        "traffic.trace: " + quoted(traffic_.trace) + " is no file that can be read",
                        "write the path of one, from the working directory");
    }
    for (std::string line; std::getline(file, line);) {
      ++number_;
      const Words words = words_of(line);
      if (!words.empty()) take(words);
    }
    if (file.bad()) fail("it cannot be read to its end", "check the disk");
    if (trace_.entries.empty()) {
      throw ConfigError(printable(traffic_.trace, kShown), "it holds no request",
                        std::string("accepted: lines ") + kTimed + ", or " + kUntimed);
    }
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(printable(traffic_.trace, kShown) + ":" + std::to_string(number_), problem,
                      remedy);
  }

  [[noreturn]] void fail_form(const std::string& problem) const {
    const std::string own = format_ == TraceFormat::kTimed ? kTimed : kUntimed;
    fail(problem, format_ == TraceFormat::kDetect
                      ? std::string("accepted: ") + kTimed + ", or " + kUntimed
                      : "accepted: " + own + ", as traffic.trace_format or the first line has it");
  }

  void take(const Words& words) {
    constexpr std::size_t kTimedWords = 3;
    if (format_ == TraceFormat::kDetect) {
      if (words.size() == kTimedWords && command_of(words[1]) != 0) format_ = TraceFormat::kTimed;
      if (words.size() == 2 && command_of(words[0]) != 0) format_ = TraceFormat::kUntimed;
      if (format_ == TraceFormat::kDetect) fail_form("neither form of a request");
    }
    trace_.timed = format_ == TraceFormat::kTimed;
    if (words.size() != (trace_.timed ? kTimedWords : 2)) {
      fail_form(std::to_string(words.size()) + " words");
    }
    const std::string& command = words[trace_.timed ? 1 : 0];
    const std::string& address = words[trace_.timed ? 0 : 1];
    TraceEntry entry;
    if (command_of(command) == 0) fail_form(quoted(printable(command, kShown)) + " is no command");
    entry.write = command_of(command) == 'W';
    if (!parse_number(address, true, entry.address)) {
      fail_form(quoted(printable(address, kShown)) + " is no address");
    }
    entry.address -= entry.address % unit_;
    if (entry.address >= capacity_ || traffic_.size > capacity_ - entry.address) {
      fail("the request at " + printable(address, kShown) + " ends beyond the device",
           "its capacity is " + std::to_string(capacity_) + " B");
    }
    if (trace_.timed) take_clock(words[2], entry);
    trace_.entries.push_back(entry);
  }

  void take_clock(const std::string& word, TraceEntry& entry) const {
    constexpr std::uint64_t kLast = 100'000'000'000'000;  // a day at the fastest rate
    if (!parse_number(word, false, entry.clock) || entry.clock > kLast) {
      fail_form(quoted(printable(word, kShown)) + " is no cycle up to " + std::to_string(kLast));
    }
    if (!trace_.entries.empty() && entry.clock < trace_.entries.back().clock) {
      fail("cycle " + word + " comes after " + std::to_string(trace_.entries.back().clock),
           "accepted: cycles that do not fall");
    }
  }

  const TrafficConfig& traffic_;
  std::uint64_t capacity_;
  std::uint64_t unit_;
  TraceFormat format_;
  std::size_t number_ = 0;
  Trace trace_;
};

}  // namespace

Trace read_trace(const TrafficConfig& traffic, std::uint64_t capacity, std::uint64_t unit) {
  return Reader(traffic, capacity, unit).read();
}

}  // namespace railyard::hbm_bandwidth
