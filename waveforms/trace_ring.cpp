#include "waveforms/trace_ring.h"

#include <algorithm>

namespace railyard {

TraceRing::TraceRing(TraceFile& file, TraceRingConfig config) : file_(file), config_(config) {
  // A window that never begins: the file remembers values and writes nothing.
  file_.set_window({kForever, kForever}, kForever);
}

void TraceRing::connect(ProbeRegistry& registry, const std::string& filter) {
  file_.connect(registry, filter, this);
}

void TraceRing::change(std::uint32_t id, std::uint64_t value, Time now) {
  if (triggered_) {
    file_.change(id, value, now);
    return;
  }
  while (!ring_.empty() && ring_.front().time < now - config_.pre) forget_oldest();
  if (ring_.size() >= config_.max_changes) {
    last_forgotten_ = ring_.front().time;
    forget_oldest();
    ++lost_changes_;
  }
  ring_.push_back({now, value, id});
}

void TraceRing::model_ticks(Time now) {
  if (triggered_) file_.model_ticks(now);
}

void TraceRing::trigger(Time now) {
  if (triggered_) return;
  triggered_ = true;
  const Time wanted = std::max<Time>(now - config_.pre, 0);
  while (!ring_.empty() && ring_.front().time < wanted) forget_oldest();
  // What the bound pushed out long ago would have left the window anyway.
  if (last_forgotten_ < wanted) lost_changes_ = 0;
  begin_ = std::max(wanted, last_forgotten_);
  const Time end = config_.post < kForever - now ? now + config_.post : kForever;
  file_.set_window({begin_, end}, now);
  for (const Change& change : ring_) file_.change(change.id, change.value, change.time);
  ring_ = {};
  file_.model_ticks(now);
}

// The file remembers the value as the one that its window will begin with.
void TraceRing::forget_oldest() {
  const Change oldest = ring_.front();
  ring_.pop_front();
  file_.change(oldest.id, oldest.value, oldest.time);
}

}  // namespace railyard
