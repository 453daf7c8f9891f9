#include "waveforms/trace_file.h"

#include <gtkwave/fstapi.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "waveforms/fst_file.h"
#include "waveforms/glob.h"
#include "waveforms/output_file.h"
#include "waveforms/runtime/fst_runtime.h"
#include "waveforms/trace_signals.h"

namespace railyard {

namespace {

// A block of changes is what a kill may cost, and what the writer holds in memory.
constexpr std::uint64_t kBlockChanges = 1 << 16;
constexpr Time kBlockTime = kMillisecond;
constexpr char kTraceFlag[] = "--trace";

[[noreturn]] void refuse_filter(ProbeRegistry& registry, const std::string& filter) {
  std::string some;
  const auto& probes = registry.probes();
  for (std::size_t i = 0; i < probes.size() && i < 5; ++i) {
    some += (some.empty() ? "" : ", ") + probes[i].info.name;
  }
  throw ConfigError("--trace-filter", "nothing to trace is named like " + quoted(filter),
                    some.empty() ? "this platform has no probes: leave the trace away"
                                 : "names are, for example: " + some);
}

}  // namespace

struct TraceFile::Impl {
  struct Model {
    std::string name;
    JoinModel join;
  };

  // Times before the window are only remembered, so `time` begins to move with it.
  void advance(Time now) {
    if (!started) {
      if (now < window.from) return;
      start();
    }
    if (now <= time) return;
    settle();
    time = now;
  }

  void start() {
    started = true;
    time = window.from;
    for (std::uint32_t id = 0; id < signals.size(); ++id) touch(id);
    models_pending = models_from <= time;
  }

  bool recording() const { return started && time <= window.to; }

  void touch(std::uint32_t id) {
    if (signals[id].pending) return;
    signals[id].pending = true;
    pending.push_back(id);
  }

  // Writes what happened at `time`, which is over.
  void settle() {
    bool time_written = false;
    if (models_pending && !models.empty()) {
      fst.dump(static_cast<std::uint64_t>(time));
      time_written = true;
    }
    models_pending = false;
    if (pending.size() > 1) std::sort(pending.begin(), pending.end());
    for (const std::uint32_t id : pending) {
      TraceSignal& signal = signals[id];
      signal.pending = false;
      if (signal.written && signal.value == signal.last) continue;
      if (!time_written) fstWriterEmitTimeChange(writer, static_cast<std::uint64_t>(time));
      time_written = true;
      emit(signal);
    }
    pending.clear();
    if (!time_written) return;
    last_written = time;
    end_block_in_time();
  }

  // Where a block ends is seen in the file, so it follows from what is traced and never from when
  // flush() is called.
  void end_block_in_time() {
    if (block_changes < kBlockChanges && time - block_begin < kBlockTime) return;
    block_changes = 0;
    block_begin = time;
    if (!fst_flush_now(writer)) fail();
  }

  void fail() {
    if (std::exchange(failed, true)) return;
    throw std::runtime_error("cannot write " + fst_path);
  }

  void emit(TraceSignal& signal) {
    ++block_changes;
    signal.written = true;
    signal.last = signal.value;
    if (signal.real) {
      fstWriterEmitValueChange(writer, signal.handle, &signal.value);
    } else {
      fstWriterEmitValueChange(writer, signal.handle, BitText(signal.value, signal.width).begin());
    }
  }

  void open() {
    fst.set_time_unit("1ps");
    fst.set_time_resolution("1ps");
    for (const Model& model : models) model.join(fst);
    fst.open(fst_path.c_str());
    writer = fst_writer_of(*fst.spTrace());
    if (writer == nullptr) {
      throw ConfigError(kTraceFlag, "cannot write " + printable(fst_path, 256),
                        "check the rights in its folder and the space in /tmp");
    }
    // Equal runs make equal files.
    fstWriterSetDate(writer, "simulated time only");
    fstWriterSetVersion(writer, "railyard");
  }

  void finish(Time end) {
    settle();
    end = std::min(end, window.to);
    if (started && end > last_written) {
      fstWriterEmitTimeChange(writer, static_cast<std::uint64_t>(end));
    }
    const bool good = fst_flush_now(writer);
    fst.close();
    writer = nullptr;
    if (std::exchange(failed, failed || !good)) return;
    if (!good) throw std::runtime_error("cannot write " + fst_path);
    check_fst(fst_path);
    if (fst_path == path) return;
    convert_fst_to_vcd(fst_path, path);
    std::remove(fst_path.c_str());
  }

  std::string path;
  std::string fst_path;
  TraceWindow window;
  Time models_from = 0;
  std::vector<Model> models;
  VerilatedFstC fst;
  void* writer = nullptr;  // null before connect() and after close()
  std::vector<TraceSignal> signals;
  std::vector<std::uint32_t> pending;
  bool models_pending = false;
  bool started = false;
  bool failed = false;
  Time time = -1;
  Time last_written = -1;
  std::uint64_t block_changes = 0;
  Time block_begin = 0;
};

TraceFile::TraceFile(const std::string& path, TraceWindow window)
    : impl_(std::make_unique<Impl>()) {
  check_suffix(kTraceFlag, path, {".fst", ".vcd"});
  if (window.to < window.from) {
    throw ConfigError("--trace-to", "the trace's window ends before it begins",
                      "give a time that is not before --trace-from");
  }
  const bool vcd = path.substr(path.size() - 4) == ".vcd";
  impl_->path = path;
  impl_->fst_path = vcd ? path + ".fst" : path;
  impl_->window = window;
  impl_->models_from = window.from;
  check_regular_file(kTraceFlag, path);
  // The writer unlinks what it is about to create.
  check_regular_file(kTraceFlag, impl_->fst_path);
  check_regular_file(kTraceFlag, impl_->fst_path + ".hier");
}

TraceFile::~TraceFile() {
  impl_->models_pending = false;
  try {
    close(impl_->time);
  } catch (const std::exception&) {  // nobody is left to tell
  }
}

void TraceFile::add_model(const std::string& name, JoinModel join) {
  impl_->models.push_back({name, std::move(join)});
}

void TraceFile::connect(ProbeRegistry& registry, const std::string& filter, ProbeSink* sink) {
  Impl& s = *impl_;
  const GlobList globs(filter);
  std::vector<ProbeRegistry::Entry<Probe, ProbeInfo>*> taken;
  for (auto& entry : registry.probes()) {
    if (globs.matches(entry.info.name)) taken.push_back(&entry);
  }
  std::sort(taken.begin(), taken.end(),
            [](const auto* a, const auto* b) { return a->info.name < b->info.name; });
  s.models.erase(std::remove_if(s.models.begin(), s.models.end(),
                                [&](const auto& model) { return !globs.matches(model.name); }),
                 s.models.end());
  std::sort(s.models.begin(), s.models.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  if (taken.empty() && s.models.empty()) refuse_filter(registry, filter);

  s.open();
  TraceDeclarations declarations(s.writer);
  for (auto* entry : taken) {
    const auto id = static_cast<std::uint32_t>(s.signals.size());
    s.signals.push_back(declarations.declare(entry->info));
    s.signals.back().value = entry->point->value();
    entry->point->connect(sink != nullptr ? sink : this, id);
  }
  fst_use_small_blocks(s.writer);
}

void TraceFile::change(std::uint32_t id, std::uint64_t value, Time now) {
  Impl& s = *impl_;
  if (now > s.time) s.advance(now);
  s.signals[id].value = value;
  if (s.recording()) s.touch(id);
}

void TraceFile::model_ticks(Time now) {
  Impl& s = *impl_;
  s.advance(now);
  s.models_pending = s.recording() && s.time >= s.models_from;
}

void TraceFile::set_window(TraceWindow window, Time models_from) {
  impl_->window = window;
  impl_->models_from = models_from;
}

void TraceFile::flush() {
  Impl& s = *impl_;
  if (s.writer != nullptr && !fst_sync(s.writer)) s.fail();
}

void TraceFile::close(Time now) {
  Impl& s = *impl_;
  if (s.writer == nullptr) return;
  s.advance(now);
  s.finish(now);
}

}  // namespace railyard
