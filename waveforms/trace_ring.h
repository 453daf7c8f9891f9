// A trace around one moment: a ring in memory until something happens, a file from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "tlm/base/time.h"
#include "tlm/observe/probe.h"
#include "waveforms/trace_file.h"

namespace railyard {

struct TraceRingConfig {
  Time pre = 0;                          // kept before the trigger
  Time post = 0;                         // and after it; both ends inclusive
  std::size_t max_changes = 1ULL << 22;  // the ring's bound: 24 bytes each
};

/// In front of a TraceFile, which holds [trigger - pre, trigger + post] in the end; without a
/// trigger it holds the declarations alone. Verilated models are dumped from the trigger on: the
/// ring keeps changes of probes, not the state of models.
class TraceRing : public ProbeSink {
 public:
  /// `file` must not be connected yet, has its models and outlives the ring.
  TraceRing(TraceFile& file, TraceRingConfig config);

  /// TraceFile::connect with the ring in front.
  void connect(ProbeRegistry& registry, const std::string& filter = "*");

  void change(std::uint32_t id, std::uint64_t value, Time now) override;
  /// As TraceFile::model_ticks.
  void model_ticks(Time now);
  /// The first call counts.
  void trigger(Time now);

  bool triggered() const { return triggered_; }
  /// When the file begins; later than trigger - pre if the ring was too small, or the run too
  /// young.
  Time begin() const { return begin_; }
  /// Changes that the bound pushed out before the trigger, if the window lost any of them: then it
  /// lacks what happened before begin(). Else 0.
  std::uint64_t lost_changes() const { return lost_changes_; }

 private:
  struct Change {
    Time time;
    std::uint64_t value;
    std::uint32_t id;
  };

  void forget_oldest();

  TraceFile& file_;
  TraceRingConfig config_;
  std::deque<Change> ring_;
  bool triggered_ = false;
  Time begin_ = 0;
  Time last_forgotten_ = 0;
  std::uint64_t lost_changes_ = 0;
};

}  // namespace railyard
