// The command line of every platform.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tlm/base/time.h"

namespace railyard {

enum class DescribeFormat { kNone, kText, kMarkdown, kJson };

struct CommandLine {
  std::string config;
  std::vector<std::string> sets;  // KEY=VALUE, in order
  std::optional<std::string> seed;
  std::optional<std::string> until;

  std::string trace;
  std::string trace_filter = "*";
  Time trace_from = 0;
  Time trace_to = kForever;
  std::string trace_trigger;
  Time trace_pre = 10 * kMicrosecond;
  Time trace_post = 10 * kMicrosecond;
  std::string pcap;
  std::string timeline;
  std::string report;

  std::size_t partitions = 1;
  std::vector<std::string> log;  // LEVEL or GLOB=LEVEL
  DescribeFormat describe = DescribeFormat::kNone;
  bool no_expect = false;
  bool quiet = false;

  /// --help or --version: print this and end well.
  std::string text_only;
};

/// Throws ConfigError, whose place is the flag. `name` and `doc` are the platform's, for --help;
/// `default_config` is what --config is without it.
CommandLine parse_command_line(int argc, const char* const* argv, const std::string& name,
                               const std::string& doc, const std::string& default_config);

}  // namespace railyard
