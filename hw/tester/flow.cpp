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

net::Opcode opcode_of(const FlowConfig::Slice& slice) {
  if (slice.first && slice.last) return net::Opcode::kUcRdmaWriteOnly;
  if (slice.first) return net::Opcode::kUcRdmaWriteFirst;
  return slice.last ? net::Opcode::kUcRdmaWriteLast : net::Opcode::kUcRdmaWriteMiddle;
}

}  // namespace

FlowConfig::Slice FlowConfig::slice(std::uint64_t index) const {
  const std::uint64_t each = packets_a_message();
  const std::uint64_t part = index % each;
  const std::uint64_t offset = part * traffic.path_mtu;
  const std::uint64_t bytes = std::min<std::uint64_t>(traffic.path_mtu, message_bytes() - offset);
  return {index / each, offset, static_cast<std::uint32_t>(bytes), part == 0, part + 1 == each};
}

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

FlowSource::FlowSource(const FlowConfig& config) : config_(config) {
  net::Frame& f = template_;
  f.ethernet.source = config.source_mac;
  f.ethernet.destination = config.destination_mac;
  f.ethernet.has_vlan = config.traffic.vlan.has_value();
  f.ethernet.vid = config.traffic.vlan.value_or(0);
  f.ethernet.pcp = f.ethernet.has_vlan ? config.traffic.priority : std::uint8_t{0};
  if (std::holds_alternative<net::Ipv4Address>(config.source_ip)) {
    f.ethernet.type = net::EtherType::kIpv4;
    f.ipv4.dscp = config.traffic.dscp;
    f.ipv4.ecn = net::Ecn::kEct0;
    f.ipv4.source = std::get<net::Ipv4Address>(config.source_ip);
    f.ipv4.destination = std::get<net::Ipv4Address>(config.destination_ip);
  } else {
    f.ethernet.type = net::EtherType::kIpv6;
    f.ipv6.dscp = config.traffic.dscp;
    f.ipv6.ecn = net::Ecn::kEct0;
    f.ipv6.source = std::get<net::Ipv6Address>(config.source_ip);
    f.ipv6.destination = std::get<net::Ipv6Address>(config.destination_ip);
  }
  f.udp.source_port = net::udp_source_port(config.source_qp, config.destination_qp);
  f.bth.destination_qp = config.destination_qp;
}

Ref<net::Packet> FlowSource::make(net::PacketPool& pool, Time now) {
  const FlowConfig::Slice slice = config_.slice(next_);
  const std::uint64_t address = config_.address + slice.message * config_.message_bytes();
  Ref<net::Packet> packet = pool.packets.acquire();
  packet->id = next_;
  packet->created = now;
  net::Frame& f = packet->frame;
  f = template_;
  f.bth.opcode = opcode_of(slice);
  f.bth.psn = static_cast<std::uint32_t>(next_) & kPsnMask;
  f.payload_bytes = slice.bytes;
  if (slice.first) {
    f.reth = {address, config_.rkey, static_cast<std::uint32_t>(config_.message_bytes())};
  }
  if (config_.data == DataMode::kCarried) {
    packet->payload = pool.payloads.acquire();
    packet->payload->resize(slice.bytes);
    fill_pattern(address + slice.offset, packet->payload->data(), slice.bytes);
  }
  packet->seal();
  ++next_;
  return packet;
}

FlowSink::Verdict FlowSink::take(const net::Packet& packet) {
  const net::Frame& f = packet.frame;
  if (!f.is_roce() || f.bth.destination_qp != config_.destination_qp) return Verdict::kStray;
  // The full packet number: the PSN's 24 bits nearest at or after the one expected.
  const std::uint64_t ahead =
      (f.bth.psn - static_cast<std::uint32_t>(next_)) & std::uint64_t{kPsnMask};
  const std::uint64_t index = next_ + ahead;
  if (index >= config_.packets()) return Verdict::kStray;
  const FlowConfig::Slice slice = config_.slice(index);
  if (!as_sent(packet, slice)) return Verdict::kWrong;
  lost_ += ahead;
  next_ = index + 1;
  ++packets_;
  bytes_ += slice.bytes;
  return ahead == 0 ? Verdict::kInOrder : Verdict::kAfterLoss;
}

bool FlowSink::as_sent(const net::Packet& packet, const FlowConfig::Slice& slice) const {
  const net::Frame& f = packet.frame;
  if (f.bth.opcode != opcode_of(slice) || f.payload_bytes != slice.bytes) return false;
  const std::uint64_t address = config_.address + slice.message * config_.message_bytes();
  if (slice.first && f.reth.virtual_address != address) return false;
  if (!packet.payload) return config_.data == DataMode::kElided;
  return packet.payload->size() == slice.bytes &&
         matches_pattern(address + slice.offset, packet.payload->data(), slice.bytes);
}

}  // namespace railyard
