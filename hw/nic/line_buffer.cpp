#include "hw/nic/line_buffer.h"

#include "hw/congestion/pause_names.h"
#include "tlm/observe/checker.h"

namespace railyard::nic {

LineBuffer::LineBuffer(Partition& partition, const std::string& name, const std::string& port,
                       const ReceiveConfig& config, PauseSender& pauses)
    : partition_(partition),
      port_(port),
      pauses_(pauses),
      size_(config.buffer),
      xoff_(config.xoff),
      xon_(config.xon),
      pfc_(config.pfc) {
  for (unsigned p = 0; p < kPriorities; ++p) {
    partition.waits().add(host_waits_[p], {ingress_name(port, p), name + ".host",
                                           "memory to take what the receive buffer holds"});
  }
  StatisticsRegistry& s = partition.statistics();
  s.add(overflow_,
        {name + ".receive_overflow", "packets", "Packets dropped for want of receive buffer"});
  s.add(level_, {name + ".receive_buffer_bytes", "bytes", "Receive buffer in use"});
  constexpr std::uint32_t kWidth = 32;
  partition.probes().add(level_probe_, {name + ".receive_buffer_bytes",
                                        ProbeKind::kUnsigned,
                                        kWidth,
                                        "bytes",
                                        "Receive buffer in use",
                                        {}});
  partition.probes().add(drop_moment_,
                         {name + ".drop", "A packet was dropped for want of receive buffer"});
}

bool LineBuffer::take(const net::Packet& packet) {
  const Time now = partition_.now();
  if (bytes_ + packet.wire_bytes > size_) {
    overflow_.add();
    drop_moment_.raise(now);
    return false;
  }
  const std::uint8_t p = priority_of(packet.frame);
  bytes_ += packet.wire_bytes;
  bytes_of_[p] += packet.wire_bytes;
  holding_ = static_cast<std::uint8_t>(holding_ | 1U << p);
  level_changed(now);
  return true;
}

void LineBuffer::release(const net::Packet& packet) {
  const Time now = partition_.now();
  const std::uint8_t p = priority_of(packet.frame);
  if (bytes_of_[p] < packet.wire_bytes) {
    break_invariant(port_, now, "a packet is released that is not in the receive buffer");
  }
  bytes_ -= packet.wire_bytes;
  bytes_of_[p] -= packet.wire_bytes;
  if (bytes_of_[p] == 0) holding_ = static_cast<std::uint8_t>(holding_ & ~(1U << p));
  level_changed(now);
}

void LineBuffer::level_changed(Time now) {
  level_.set(bytes_, now);
  level_probe_.set(bytes_, now);
  if (!pfc_) return;
  above_ = bytes_ > (above_ ? xon_ : xoff_);
  // Who is paused stays so until all may go on: else it would come back with a packet at a time.
  const std::uint8_t before = pauses_.wanted();
  const auto wanted = static_cast<std::uint8_t>(above_ ? before | holding_ : 0);
  if (wanted == before) return;
  update_waits(wanted, now);
  pauses_.want(wanted);
}

void LineBuffer::update_waits(std::uint8_t wanted, Time now) {
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((wanted >> p & 1U) != 0) {
      host_waits_[p].begin(now);
    } else {
      host_waits_[p].end();
    }
  }
}

}  // namespace railyard::nic
