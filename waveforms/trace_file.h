// One FST (or VCD) with the probes of the models and the signals of the Verilated RTL on one axis
// of picoseconds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tlm/base/time.h"
#include "tlm/observe/probe.h"

class VerilatedFstC;

namespace railyard {

/// From `from` to `to`, both inclusive.
struct TraceWindow {
  Time from = 0;
  Time to = kForever;
};

/// Order of use: add_model() for each Verilated model, connect(), then changes and ticks, close().
///
/// A probe that changes several times at one time leaves the last value only, and the probes that
/// changed at one time are written in the order of their names: the file does not depend on the
/// order of calls at equal times. The time given never decreases.
///
/// The writer grows two files, `x.fst` and `x.fst.hier`, and merges them at close. After SIGKILL
/// the two together are what fst2vcd and GTKWave open, as `x.fst`: up to the last complete block,
/// which ends after 65,536 changes of probes or a millisecond of simulated time. A `.vcd` is the
/// FST `x.vcd.fst`, converted at close.
class TraceFile : public ProbeSink {
 public:
  /// Traces a model: `[&](VerilatedFstC& fst) { model.trace(&fst, 99); }`.
  using JoinModel = std::function<void(VerilatedFstC& fst)>;

  /// ConfigError for a path that does not end in .fst or .vcd or cannot be written, and for a
  /// window that ends before it begins.
  explicit TraceFile(const std::string& path, TraceWindow window = {});
  /// Closes the file; models may be gone by then, so what they did after their last dump is not in.
  ~TraceFile() override;

  /// `name` is the model's hierarchical name with dots, for the filter.
  void add_model(const std::string& name, JoinModel join);

  /// Opens the file and declares what `filter` takes (a GlobList; a model is taken as a whole, by
  /// its name). The probes taken report to `sink`, which hands their changes on (default: this
  /// file). ConfigError if the filter takes nothing.
  void connect(ProbeRegistry& registry, const std::string& filter = "*", ProbeSink* sink = nullptr);

  void change(std::uint32_t id, std::uint64_t value, Time now) override;

  /// To be called before a Verilated model's inputs are touched and eval() runs at `now`. The
  /// models are dumped once for a time, when it is over and before any of them moves on.
  void model_ticks(Time now);

  /// Moves a window that has not begun; models are dumped from `models_from` on.
  void set_window(TraceWindow window, Time models_from);

  /// All complete blocks are on disk. It changes nothing in the file, whenever it is called. Throws
  /// std::runtime_error on a write error, once.
  void flush();
  /// Completes the file, which ends at `now`. Throws as flush() does. Nothing to do if closed.
  void close(Time now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard
