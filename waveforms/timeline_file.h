// A timeline for Perfetto and chrome://tracing: the "JSON array" form of the Trace Event Format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/observe/probe.h"
#include "waveforms/output_file.h"

namespace railyard {

/// One complete event ("X") a span, in order of the calls; `ts` and `dur` in microseconds with all
/// six decimals, so that no picosecond is lost. A lane is a thread, its name before the last dot
/// the process. A span announced with an end after the run's end is written as announced. After
/// flush() and SIGKILL the file lacks its "]", which the format allows.
class TimelineFile : public SpanSink {
 public:
  /// ConfigError for a path that does not end in .json or cannot be written. Write errors throw
  /// std::runtime_error, once, from whatever call meets them.
  explicit TimelineFile(const std::string& path);
  ~TimelineFile() override;

  /// Connects all lanes of the registry.
  void connect(ProbeRegistry& registry);

  void span(std::uint32_t lane, std::string_view name, Time begin, Time end,
            std::string_view argument_name, std::uint64_t argument) override;

  void flush() { file_.flush(); }
  /// Completes the array. Nothing to do if closed.
  void close(Time now);

 private:
  struct Lane {
    std::uint32_t process;
    std::uint32_t thread;
  };

  void write(std::string_view event);
  void write_name(const char* kind, Lane lane, std::string_view name);

  OutputFile file_;
  std::vector<Lane> lanes_;
  std::string event_;
  bool empty_ = true;
  bool closed_ = false;
};

}  // namespace railyard
