// The files that a run writes while it goes: trace, capture, timeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/common/command_line.h"
#include "platforms/common/platform.h"
#include "platforms/common/trigger.h"
#include "tlm/sim/simulation.h"
#include "waveforms/capture_file.h"
#include "waveforms/timeline_file.h"
#include "waveforms/trace_file.h"
#include "waveforms/trace_ring.h"

namespace railyard {

class Outputs {
 public:
  /// Opens what the command line names and connects it to the probes of a sealed simulation, and
  /// a trace to the fabric's Verilated models.
  /// ConfigError if something cannot be written, or a filter or trigger names nothing.
  Outputs(const CommandLine& line, Simulation& simulation, Fabric& fabric);

  /// What has happened is on disk.
  void flush();
  /// Completes all files, even if one fails; then throws what the first failure was.
  void close();

  /// The files, for the user.
  const std::vector<std::string>& paths() const { return paths_; }
  /// What the user should know of the trace: what became of a trigger, why it is empty.
  std::string trace_note() const;

 private:
  void open_trace(const CommandLine& line);

  Simulation& simulation_;
  // A writer serves all partitions: they run in one thread. Trace and capture do not depend on
  // their turns; a timeline has its spans in the order of the calls.
  std::unique_ptr<TraceFile> trace_;
  Time trace_from_ = 0;
  std::unique_ptr<TraceRing> ring_;
  std::unique_ptr<Trigger> trigger_;
  std::unique_ptr<CaptureFile> capture_;
  std::unique_ptr<TimelineFile> timeline_;
  std::vector<std::string> paths_;
};

}  // namespace railyard
