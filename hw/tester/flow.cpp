#include "hw/tester/flow.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace railyard {

namespace {

constexpr std::uint32_t kPsnMask = 0xFFFFFF;
constexpr std::size_t kWord = 8;
constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio

constexpr std::uint64_t word_at(std::uint64_t word_index) { return (word_index + 1) * kMix; }

net::Opcode opcode_of(bool first, bool last) {
  if (first && last) return net::Opcode::kUcRdmaWriteOnly;
  if (first) return net::Opcode::kUcRdmaWriteFirst;
  return last ? net::Opcode::kUcRdmaWriteLast : net::Opcode::kUcRdmaWriteMiddle;
}

template <class Header, class Address>
void address_ip(Header& header, const FlowConfig& config) {
  header.dscp = config.dscp;
  header.ecn = config.ecn ? net::Ecn::kEct0 : net::Ecn::kNotEct;
  header.source = std::get<Address>(config.source.ip);
  header.destination = std::get<Address>(config.destination.ip);
}

}  // namespace

// A slice need not begin or end on a word.
void fill_pattern(std::uint64_t address, std::uint8_t* bytes, std::size_t size) {
  std::uint8_t* const end = bytes + size;
  const std::size_t skip = address % kWord;
  std::uint64_t word = word_at(address / kWord);
  if (skip != 0) {
    const std::size_t n = std::min(kWord - skip, size);
    std::memcpy(bytes, reinterpret_cast<const char*>(&word) + skip, n);
    bytes += n;
    word += kMix;
  }
  for (; end - bytes >= static_cast<std::ptrdiff_t>(kWord); bytes += kWord, word += kMix) {
    std::memcpy(bytes, &word, kWord);
  }
  std::memcpy(bytes, &word, static_cast<std::size_t>(end - bytes));
}

bool matches_pattern(std::uint64_t address, const std::uint8_t* bytes, std::size_t size) {
  std::array<std::uint8_t, 512> expected;
  for (std::size_t done = 0; done < size; done += expected.size()) {
    const std::size_t n = std::min(expected.size(), size - done);
    fill_pattern(address + done, expected.data(), n);
    if (std::memcmp(bytes + done, expected.data(), n) != 0) return false;
  }
  return true;
}

FlowSource::FlowSource(const FlowConfig& config)
    : left_(config.packets()),
      message_address_(config.address),
      message_bytes_(static_cast<std::uint32_t>(config.message_size)),
      path_mtu_(config.path_mtu),
      rkey_(config.rkey),
      priority_(config.priority),
      data_(config.data) {
  net::Frame& f = template_;
  f.ethernet.source = config.source.mac;
  f.ethernet.destination = config.destination.mac;
  f.ethernet.has_vlan = config.vlan.has_value();
  f.ethernet.vid = config.vlan.value_or(0);
  f.ethernet.pcp = f.ethernet.has_vlan ? config.priority : std::uint8_t{0};
  if (std::holds_alternative<net::Ipv4Address>(config.source.ip)) {
    f.ethernet.type = net::EtherType::kIpv4;
    address_ip<net::Ipv4, net::Ipv4Address>(f.ipv4, config);
  } else {
    f.ethernet.type = net::EtherType::kIpv6;
    address_ip<net::Ipv6, net::Ipv6Address>(f.ipv6, config);
  }
  f.udp.source_port = net::udp_source_port(config.source_qp, config.destination_qp);
  f.bth.destination_qp = config.destination_qp;
}

Ref<net::Packet> FlowSource::make(net::PacketPool& pool, Time now) {
  const bool first = offset_ == 0;
  const auto left = static_cast<std::uint32_t>(message_bytes_ - offset_);
  const std::uint32_t bytes = std::min(path_mtu_, left);
  Ref<net::Packet> packet = pool.packets.acquire();
  packet->id = next_;
  packet->created = now;
  net::Frame& f = packet->frame;
  f = template_;
  f.bth.opcode = opcode_of(first, bytes == left);
  f.bth.psn = static_cast<std::uint32_t>(next_) & kPsnMask;
  f.payload_bytes = bytes;
  if (first) f.reth = {message_address_, rkey_, message_bytes_};
  if (data_ == DataMode::kCarried) {
    packet->payload = pool.payloads.acquire();
    packet->payload->resize(bytes);
    fill_pattern(message_address_ + offset_, packet->payload->data(), bytes);
  }
  packet->seal();
  ++next_;
  --left_;
  offset_ += bytes;
  if (bytes == left) {
    offset_ = 0;
    message_address_ += message_bytes_;
  }
  return packet;
}

FlowSink::FlowSink(const FlowConfig& config)
    : total_(config.packets()),
      each_(config.packets_a_message()),
      message_bytes_(config.message_size),
      address_(config.address),
      path_mtu_(config.path_mtu),
      destination_qp_(config.destination_qp),
      data_(config.data) {}

FlowSink::Verdict FlowSink::take(const net::Packet& packet) {
  const net::Frame& f = packet.frame;
  if (!f.is_roce() || f.bth.destination_qp != destination_qp_) return Verdict::kStray;
  // The packet's full number is that with the PSN's 24 bits nearest to the one expected.
  constexpr std::uint32_t kHalf = (kPsnMask + 1) / 2;
  const std::uint32_t ahead = (f.bth.psn - static_cast<std::uint32_t>(edge_)) & kPsnMask;
  const bool late = ahead >= kHalf;
  const std::uint64_t behind = late ? kPsnMask + 1 - ahead : 0;
  if (behind > kReach || behind > edge_) return Verdict::kStray;
  if (behind > reach()) return reach() < kReach ? Verdict::kDuplicate : Verdict::kStray;
  const std::uint64_t index = late ? edge_ - behind : edge_ + ahead;
  if (index >= total_) return Verdict::kStray;
  const Slice part = slice(index);
  if (!as_sent(packet, part)) return Verdict::kWrong;
  if (late && seen(index)) return Verdict::kDuplicate;
  if (!late) move_edge(index + 1);
  mark(index);
  ++packets_;
  bytes_ += part.bytes;
  if (late) return Verdict::kOutOfOrder;
  return ahead == 0 ? Verdict::kInOrder : Verdict::kAfterGap;
}

// The places of the numbers up to the new edge become free. If one is still of a packet that has
// not come, there are too few of them.
void FlowSink::move_edge(std::uint64_t edge) {
  for (std::uint64_t i = edge - std::min(edge - edge_, kReach); i < edge; ++i) {
    while (i >= reach() && reach() < kReach && !seen(i - reach())) grow(i);
    seen_[word(i)] &= ~bit(i);
  }
  edge_ = edge;
}

/// Twice as many places; what is kept of the numbers before `end` moves to its new ones.
void FlowSink::grow(std::uint64_t end) {
  std::vector<std::uint64_t> old(seen_.size() * 2);
  seen_.swap(old);
  const std::uint64_t kept = old.size() * 64;
  for (std::uint64_t i = end - std::min(end, kept); i < end; ++i) {
    if ((old[i / 64 & (old.size() - 1)] & bit(i)) != 0) mark(i);
  }
}

FlowSink::Slice FlowSink::slice(std::uint64_t index) const {
  const std::uint64_t message = index / each_;
  const std::uint64_t part = index - message * each_;
  const std::uint64_t offset = part * path_mtu_;
  const std::uint64_t message_address = address_ + message * message_bytes_;
  const std::uint64_t bytes = std::min<std::uint64_t>(path_mtu_, message_bytes_ - offset);
  return {message_address + offset, message_address, static_cast<std::uint32_t>(bytes), part == 0,
          part + 1 == each_};
}

bool FlowSink::as_sent(const net::Packet& packet, const Slice& slice) const {
  const net::Frame& f = packet.frame;
  if (f.bth.opcode != opcode_of(slice.first, slice.last) || f.payload_bytes != slice.bytes) {
    return false;
  }
  if (slice.first && f.reth.virtual_address != slice.message_address) return false;
  if (!packet.payload) return data_ == DataMode::kElided;
  return packet.payload->size() == slice.bytes &&
         matches_pattern(slice.address, packet.payload->data(), slice.bytes);
}

}  // namespace railyard
