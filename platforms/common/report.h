// What a run leaves: the report (report.schema.json says its form) and the summary table.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platforms/common/congestion/congestion.h"
#include "platforms/common/expectations.h"
#include "tlm/base/time.h"
#include "tlm/config/node.h"
#include "tlm/observe/statistics.h"

namespace railyard {

/// What a report says of one run.
struct RunResult {
  std::string platform;
  std::uint64_t seed = 0;
  Node config;
  bool complete = false;
  std::string end = "running";  // drained, until, interrupted, failed
  std::string error;            // of a failed run
  std::string deadlock;         // what deadlock.report_only let pass
  Time simulated = 0;
  std::vector<Metric> metrics;
  const CongestionReport* congestion = nullptr;  // the fabric's; nullptr: not looked at
  std::vector<ExpectationResult> expectations;

  // The machine's part: not reproducible.
  double wall_s = 0;
  std::uint64_t kernel_events = 0;
  std::uint64_t frame_hops = 0;
  std::size_t partitions = 1;
  /// Cycles that the clocked blocks executed, by kind; empty: there are none.
  std::vector<std::pair<std::string, std::uint64_t>> block_cycles;
};

/// The report's JSON text.
std::string report_json(const RunResult& result);

/// Writes a report whole or not at all. At construction a first one is written, so that a file that
/// cannot be is refused (ConfigError) before the run.
class ReportFile {
 public:
  ReportFile(std::string path, const RunResult& result);
  /// Throws std::runtime_error if it cannot be written.
  void write(const RunResult& result);

 private:
  std::string path_;
  bool replace_;  // by renaming; not what is no regular file
};

/// One line: cycles of the clocked blocks a frame-hop, in all and of those that take most. Empty
/// without blocks.
std::string block_cycles_text(const RunResult& result);

/// The metrics of `names` as aligned lines "name value unit".
std::string summary_table(const RunResult& result, const std::vector<std::string>& names);

}  // namespace railyard
