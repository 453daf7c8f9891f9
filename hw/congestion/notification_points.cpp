#include "hw/congestion/notification_points.h"

#include <algorithm>
#include <utility>

namespace railyard {

NotificationPoints::NotificationPoints(Partition& partition, const std::string& name,
                                       const Config& config, Blocks& blocks,
                                       std::function<void(std::uint32_t context)> due)
    : name_(name + ".dcqcn_np"),
      blocks_(blocks),
      due_(std::move(due)),
      clock_(partition, name_, config.clock, blocks, *this) {
  in_.interval = static_cast<std::uint32_t>(config.interval / config.clock);
  in_.delay = static_cast<std::uint32_t>(config.delay / config.clock);
  in_.cnp_ready = true;
}

// It clears its contexts before traffic: time stands, and the cycles are not counted.
void NotificationPoints::make(std::size_t contexts) {
  block_ = blocks_.dcqcn_np(name_, contexts);
  block_->reset();
  for (unsigned i = 0; i < block_->contexts(); ++i) block_->clock(in_);
}

void NotificationPoints::start() {
  if (block_) clock_.start();
}

void NotificationPoints::marked(std::uint32_t context) {
  clock_.run();  // so that CNPs are foreseen in their order
  const std::uint64_t cycle = clock_.next_cycle();
  marked_.push({cycle, context});
  clock_.want(cycle);
  foresee(cycle);
}

// The CNP, if there is one, of a packet that the edge `taken` takes.
void NotificationPoints::foresee(std::uint64_t taken) {
  const std::uint64_t offered = taken + 1 + std::max<std::uint64_t>(in_.delay, 2);
  if (offered <= last_visit_) return;
  last_visit_ = offered;
  clock_.visit(offered);
}

void NotificationPoints::step(std::uint64_t cycle) {
  in_.now = cycle & rtl::kTimeMask;
  in_.ce_valid = !marked_.empty() && marked_.front().cycle <= cycle;
  if (in_.ce_valid) in_.ce_index = static_cast<std::uint16_t>(marked_.front().context);
  const Time at = clock_.time_of(cycle);
  const rtl::DcqcnNpOut before = blocks_.settle(*block_, in_, at);
  const rtl::DcqcnNpOut out = blocks_.clock(*block_, BlockKind::kDcqcnNp, name_, in_, at);
  if (in_.ce_valid && before.ce_ready && marked_.pop().cycle < cycle) foresee(cycle);
  // The FIFO is full, and will be for long: let go, or CNPs would come ever later.
  if (in_.ce_valid && !before.ce_ready && out.quiet) marked_.pop();
  if (before.cnp_valid) cnps_.push(before.cnp_index);
  if (!out.quiet) clock_.want(cycle + 1);
  if (!marked_.empty()) clock_.want(std::max(cycle + 1, marked_.front().cycle));
  if (out.wake_valid) clock_.want_wake(out.wake, cycle);
}

void NotificationPoints::visited() {
  while (!cnps_.empty()) due_(cnps_.pop());
  if (!marked_.empty() && marked_.front().cycle <= clock_.cycle()) foresee(clock_.next_cycle());
}

}  // namespace railyard
