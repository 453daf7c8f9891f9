// How much a transmitter takes, whom it refuses, and what it measures.
#include <algorithm>
#include <string>

#include "hw/nic/transmitter.h"

namespace railyard::nic {

bool Transmitter::room(std::uint8_t priority, std::uint32_t payload_bytes) const {
  if (fits(priority, payload_bytes)) return true;
  Refusal& refusal = refusals_[priority];
  const bool anew = refusal.clients == 0;
  refusal.bytes = anew ? payload_bytes : std::min(refusal.bytes, payload_bytes);
  refusal.clients = (std::uint32_t{1} << room_clients_.size()) - 1;  // nobody says who asks
  refused_ = static_cast<std::uint8_t>(refused_ | 1U << priority);
  dma_read_.block(egress_fits(priority, payload_bytes) ? Cause::kReads : Cause::kEgress,
                  units_.class_of(priority), partition_.now());
  return false;
}

bool Transmitter::refused_for_reads() const {
  for (unsigned left = refused_; left != 0; left &= left - 1) {
    const auto priority = static_cast<std::uint8_t>(__builtin_ctz(left));
    if (egress_fits(priority, refusals_[priority].bytes)) return true;
  }
  return false;
}

// A packet that is larger than the buffer is taken by an empty one.
bool Transmitter::egress_fits(std::uint8_t priority, std::uint32_t payload_bytes) const {
  const std::uint64_t held = bytes_of_[priority];
  return held == 0 || held + payload_bytes <= egress_buffer_;
}

bool Transmitter::fits(std::uint8_t priority, std::uint32_t payload_bytes) const {
  if (payload_bytes == 0) return true;
  const auto asked = static_cast<std::uint32_t>(asking_bytes_ + payload_bytes);
  return egress_fits(priority, payload_bytes) && units_.dma->payload_room(asked);
}

void Transmitter::tell_room() {
  for (unsigned left = refused_; left != 0; left &= left - 1) {
    tell_room_of(static_cast<std::uint8_t>(__builtin_ctz(left)));
  }
}

// Clients are told in turn: the next one when more room appears, so that one that takes it within
// the call leaves some to one that takes it later. All are told when nothing is left to leave.
void Transmitter::tell_room_of(std::uint8_t priority) {
  Refusal& refusal = refusals_[priority];
  for (std::size_t i = 0; i < room_clients_.size(); ++i) {
    if (refusal.clients == 0 || !fits(priority, refusal.bytes)) return;
    std::size_t client = refusal.last;
    do {
      client = (client + 1) % room_clients_.size();
    } while ((refusal.clients >> client & 1U) == 0);
    refusal.last = client;
    refusal.clients &= ~(1U << client);
    if (refusal.clients == 0) refused_ = static_cast<std::uint8_t>(refused_ & ~(1U << priority));
    if (refused_ == 0) dma_read_.unblock(partition_.now());
    room_clients_[client]->transmit_room(priority);
    if (bytes_of_[priority] != 0) return;
  }
}

void Transmitter::count_bytes(std::uint8_t priority, std::int64_t change) {
  if (change == 0) return;
  const Time now = partition_.now();
  const unsigned cls = units_.class_of(priority);
  const auto bytes = static_cast<std::uint64_t>(change);
  bytes_of_[priority] += bytes;
  bytes_ += bytes;
  class_bytes_[cls] += bytes;
  egress_level_.set(bytes_, now);
  egress_probe_.set(bytes_, now);
  class_levels_[cls].set(class_bytes_[cls], now);
}

// While reads are under way the packetiser waits for memory.
void Transmitter::attribute_packetiser() {
  const auto* const first =
      std::find_if(reading_.begin(), reading_.end(), [](std::uint32_t n) { return n != 0; });
  if (first == reading_.end()) {
    packetiser_.unblock(partition_.now());
  } else {
    packetiser_.block(Cause::kMemory, static_cast<unsigned>(first - reading_.begin()),
                      partition_.now());
  }
}

void Transmitter::register_all() {
  const std::string prefix = units_.name + ".transmitter.";
  StatisticsRegistry& s = partition_.statistics();
  constexpr auto kPerNs = static_cast<double>(kNanosecond);
  s.add(read_latency_,
        {prefix + "payload_read_ns", "ns",
         "From the first read's of a packet's payload being asked for to its last byte"},
        kPerNs);
  s.add(reads_failed_,
        {prefix + "reads_failed", "packets", "Packets not sent for their payload was not read"});
  s.add(egress_level_, {prefix + "egress_bytes", "bytes",
                        "Payload of packets taken and not yet on the line, reads included"});
  for (unsigned c = 0; units_.classes() > 1 && c < units_.classes(); ++c) {
    s.add(class_levels_[c], {prefix + "class" + std::to_string(c) + ".egress_bytes", "bytes",
                             "The same of that traffic class"});
  }
  constexpr std::uint32_t kWidth = 32;
  partition_.probes().add(egress_probe_, {prefix + "egress_bytes",
                                          ProbeKind::kUnsigned,
                                          kWidth,
                                          "bytes",
                                          "Payload of packets taken and not yet on the line",
                                          {}});
}

}  // namespace railyard::nic
