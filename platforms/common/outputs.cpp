#include "platforms/common/outputs.h"

#include <exception>

#include "tlm/base/format.h"

namespace railyard {

namespace {

/// One registry of all that a simulation shows, for writers that number what they are given.
ProbeRegistry merged(Simulation& simulation) {
  ProbeRegistry all;
  for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
    ProbeRegistry& part = simulation.partition(i).probes();
    for (auto& entry : part.probes()) all.add(*entry.point, entry.info);
    for (auto& entry : part.taps()) all.add(*entry.point, entry.info);
    for (auto& entry : part.lanes()) all.add(*entry.point, entry.info);
  }
  all.seal();
  return all;
}

}  // namespace

Outputs::Outputs(const CommandLine& line, Simulation& simulation, Fabric& fabric)
    : simulation_(simulation) {
  ProbeRegistry registry = merged(simulation);
  if (!line.trace.empty()) {
    open_trace(line);
    fabric.join(*trace_, [this](Time now) {
      if (ring_) {
        ring_->model_ticks(now);
      } else {
        trace_->model_ticks(now);
      }
    });
    if (ring_) {
      ring_->connect(registry, line.trace_filter);
    } else {
      trace_->connect(registry, line.trace_filter);
    }
  }
  if (!line.pcap.empty()) {
    capture_ = std::make_unique<CaptureFile>(line.pcap, [this] { return simulation_.now(); });
    capture_->connect(registry);
    paths_.push_back(line.pcap);
  }
  if (!line.timeline.empty()) {
    timeline_ = std::make_unique<TimelineFile>(line.timeline);
    timeline_->connect(registry);
    paths_.push_back(line.timeline);
  }
}

void Outputs::open_trace(const CommandLine& line) {
  trace_ = std::make_unique<TraceFile>(line.trace, TraceWindow{line.trace_from, line.trace_to});
  trace_from_ = line.trace_from;
  paths_.push_back(line.trace);
  if (line.trace_trigger.empty()) return;
  TraceRingConfig config;
  config.pre = line.trace_pre;
  config.post = line.trace_post;
  ring_ = std::make_unique<TraceRing>(*trace_, config);
  trigger_ = std::make_unique<Trigger>(line.trace_trigger, simulation_,
                                       [this](Time now) { ring_->trigger(now); });
}

void Outputs::flush() {
  if (trace_) trace_->flush();
  if (capture_) capture_->flush();
  if (timeline_) timeline_->flush();
}

void Outputs::close() {
  std::exception_ptr failure;
  const auto guarded = [&](auto& writer) {
    if (!writer) return;
    try {
      writer->close(simulation_.now());
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  guarded(trace_);
  guarded(capture_);
  guarded(timeline_);
  if (failure) std::rethrow_exception(failure);
}

std::string Outputs::trace_note() const {
  if (trace_ && trace_from_ > simulation_.now()) {
    return "the trace is empty: the run ended before --trace-from";
  }
  if (!ring_) return {};
  if (!ring_->triggered()) return "the trace's trigger never came: it holds declarations alone";
  std::string note = "the trace begins at " + format_time(ring_->begin());
  if (ring_->lost_changes() > 0) {
    note += "; the ring was too small for all of --trace-pre, " +
            std::to_string(ring_->lost_changes()) + " changes before that are lost";
  }
  return note;
}

}  // namespace railyard
