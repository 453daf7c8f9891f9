#include "hw/tester/receive_buffer.h"

#include <utility>

#include "hw/congestion/pause_names.h"

namespace railyard {

ReceiveBuffer::ReceiveBuffer(Partition& partition, const std::string& name,
                             const TesterConfig& config, TesterPfcSender& pfc,
                             std::function<void(const net::Packet&)> take)
    : partition_(partition),
      pfc_(pfc),
      take_(std::move(take)),
      size_(config.receive_buffer),
      drains_(config.drain_rate.has_value()),
      stuck_windows_(config.stuck),
      passes_through_(!drains_ && config.stuck.empty() && config.receive_stall.probability == 0),
      queue_(partition, name + ".receive", config.receive_stall, [this] { drain_next(); }),
      drain_clock_(config.drain_rate.value_or(Rate())),
      drain_done_(Event::of<&ReceiveBuffer::end_drain>(*this, partition.endpoint(name + ".drain"),
                                                       Phase::kTimer)),
      stuck_change_(Event::of<&ReceiveBuffer::change_stuck>(
          *this, partition.endpoint(name + ".stuck"), Phase::kLinkState)) {
  for (unsigned p = 0; p < host_waits_.size(); ++p) {
    partition.waits().add(host_waits_[p],
                          {ingress_name(name, p), name + ".host", "the receiver to take frames"});
  }
  StatisticsRegistry& s = partition.statistics();
  s.add(overflow_, {name + ".overflow", "frames", "Frames dropped for want of receive buffer"});
  s.add(level_, {name + ".receive_buffer_bytes", "bytes", "Receive buffer in use"});
  ProbeRegistry& probes = partition.probes();
  probes.add(level_probe_, {name + ".receive_buffer_bytes",
                            ProbeKind::kUnsigned,
                            32,
                            "bytes",
                            "Receive buffer in use",
                            {}});
  probes.add(drop_moment_, {name + ".drop", "A frame was dropped for want of buffer"});
}

void ReceiveBuffer::start() {
  if (!stuck_windows_.empty()) {
    partition_.scheduler().schedule(stuck_change_, stuck_windows_.front().at);
  }
}

void ReceiveBuffer::push(net::Packet& packet) {
  const Time now = partition_.now();
  if (buffered_ + packet.wire_bytes > size_) {
    overflow_.add();
    drop_moment_.raise(now);
    return;
  }
  buffered_ += packet.wire_bytes;
  partition_.open_work();
  queue_.push(Ref<net::Packet>::share(packet));
  level_changed(now);
  drain_next();
}

void ReceiveBuffer::drain_next() {
  while (!draining_ && !stuck_ && queue_.ready()) {
    draining_ = true;
    if (!drains_) {
      end_drain();
      continue;
    }
    const Time now = partition_.now();
    if (now != drain_clock_.now()) drain_clock_.start(now);
    partition_.scheduler().schedule(drain_done_, drain_clock_.advance(queue_.front()->wire_bytes));
  }
}

void ReceiveBuffer::end_drain() {
  const Time now = partition_.now();
  const Ref<net::Packet> packet = queue_.pop();
  draining_ = false;
  buffered_ -= packet->wire_bytes;
  partition_.close_work();
  level_changed(now);  // first: PFC goes ahead of the answer to a packet
  take_(*packet);
  if (drains_) drain_next();
}

// A frame that is being taken when the receiver sticks is taken on with afterwards.
void ReceiveBuffer::change_stuck() {
  const Time now = partition_.now();
  const StuckWindow& window = stuck_windows_[next_stuck_];
  stuck_ = !stuck_;
  if (stuck_) {
    if (window.end() != kForever) partition_.scheduler().schedule(stuck_change_, window.end());
    if (draining_) {
      left_to_drain_ = drain_done_.time() - now;
      partition_.scheduler().cancel(drain_done_);
    }
  } else {
    if (++next_stuck_ < stuck_windows_.size()) {
      partition_.scheduler().schedule(stuck_change_, stuck_windows_[next_stuck_].at);
    }
    if (draining_) partition_.scheduler().schedule(drain_done_, now + left_to_drain_);
  }
  update_wait(now);
  drain_next();
}

void ReceiveBuffer::level_changed(Time now) {
  level_.set(buffered_, now);
  level_probe_.set(buffered_, now);
  pfc_.watch(buffered_);
  update_wait(now);
}

// Who fills the buffer waits for the receiver when it is told to pause, or nothing is taken.
void ReceiveBuffer::update_wait(Time now) {
  const bool waits = pfc_.xoff() || (stuck_ && buffered_ != 0);
  if (waits == waits_) return;
  waits_ = waits;
  for (unsigned p = 0; p < host_waits_.size(); ++p) {
    if (!waits) {
      host_waits_[p].end();
    } else if ((pfc_.priorities() >> p & 1U) != 0) {
      host_waits_[p].begin(now);
    }
  }
}

}  // namespace railyard
