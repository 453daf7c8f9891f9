#include <algorithm>
#include <stdexcept>

#include "tlm/net/bytes.h"
#include "tlm/net/codec.h"
#include "tlm/net/crc32.h"

namespace railyard::net {

namespace {

constexpr std::size_t kIpv4ChecksumOffset = 10;
constexpr std::size_t kMaxIpLength = 65535;

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

/// Bytes above the IP header.
std::size_t ip_payload_bytes(const Frame& frame) {
  const std::size_t below = kEthernetBytes + (frame.ethernet.has_vlan ? kVlanBytes : 0) +
                            (frame.is_ipv4() ? kIpv4Bytes : kIpv6Bytes);
  return unpadded_bytes(frame) - below;
}

void require_encodable(const Frame& frame) {
  require(frame.ethernet.has_vlan || frame.ethernet.type != EtherType::kVlan,
          "a VLAN Ethernet type without a VLAN tag");
  if (frame.is_pfc() || frame.is_pause()) {
    require(frame.payload_bytes == 0, "a PFC or PAUSE frame with payload");
  }
  if (!frame.is_ip()) return;
  require(frame.payload_bytes <= kMaxIpLength &&
              ip_payload_bytes(frame) + (frame.is_ipv4() ? kIpv4Bytes : 0) <= kMaxIpLength,
          "an IP packet above 65,535 bytes");
  require(!frame.is_ipv6() || !is_ipv6_extension(frame.ipv6.next_header),
          "an IPv6 extension header");
  if (!frame.is_roce()) return;
  require(is_known(frame.bth.opcode), "an unknown BTH opcode");
  require(frame.payload_bytes == 0 || has_payload(frame.bth.opcode),
          "payload behind a BTH opcode that takes none");
}

void write_ethernet(const Ethernet& h, ByteWriter& out) {
  out.bytes(h.destination.bytes.data(), h.destination.bytes.size());
  out.bytes(h.source.bytes.data(), h.source.bytes.size());
  if (h.has_vlan) {
    out.u16(static_cast<std::uint16_t>(EtherType::kVlan));
    out.u16((h.pcp & 7u) << 13 | (h.dei ? 1u << 12 : 0) | (h.vid & 0xFFFu));
  }
  out.u16(static_cast<std::uint16_t>(h.type));
}

std::uint32_t traffic_class(std::uint8_t dscp, Ecn ecn) {
  return (dscp & 0x3Fu) << 2 | (static_cast<std::uint32_t>(ecn) & 3);
}

void write_ipv4(const Ipv4& h, std::size_t payload_bytes, ByteWriter& out) {
  std::uint8_t* start = out.at();
  out.u8(0x45);  // version 4, five words
  out.u8(traffic_class(h.dscp, h.ecn));
  out.u16(static_cast<std::uint32_t>(kIpv4Bytes + payload_bytes));
  out.u16(h.identification);
  out.u16((h.reserved_flag ? 0x8000u : 0) | (h.dont_fragment ? 0x4000u : 0));
  out.u8(h.ttl);
  out.u8(h.protocol);
  out.u16(0);
  out.u32(h.source.value);
  out.u32(h.destination.value);
  ByteWriter(start + kIpv4ChecksumOffset).u16(ipv4_checksum(start));
}

void write_ipv6(const Ipv6& h, std::size_t payload_bytes, ByteWriter& out) {
  out.u32(6u << 28 | traffic_class(h.dscp, h.ecn) << 20 | (h.flow_label & 0xFFFFF));
  out.u16(static_cast<std::uint32_t>(payload_bytes));
  out.u8(h.next_header);
  out.u8(h.hop_limit);
  out.bytes(h.source.bytes.data(), h.source.bytes.size());
  out.bytes(h.destination.bytes.data(), h.destination.bytes.size());
}

void write_bth(const Bth& h, std::uint32_t pad, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(h.opcode));
  out.u8((h.solicited_event ? 0x80u : 0) | (h.migration ? 0x40u : 0) | pad << 4 |
         (h.version & 0xFu));
  out.u16(h.p_key);
  out.u8((h.fecn ? 0x80u : 0) | (h.becn ? 0x40u : 0) | (h.reserved6 & 0x3Fu));
  out.u24(h.destination_qp);
  out.u8((h.ack_request ? 0x80u : 0) | (h.reserved7 & 0x7Fu));
  out.u24(h.psn);
}

void write_extensions(const Frame& f, ByteWriter& out) {
  const std::uint8_t bits = extension_headers(f.bth.opcode);
  if ((bits & extension::kDeth) != 0) {
    out.u32(f.deth.q_key);
    out.u8(f.deth.reserved);
    out.u24(f.deth.source_qp);
  }
  if ((bits & extension::kReth) != 0) {
    out.u64(f.reth.virtual_address);
    out.u32(f.reth.rkey);
    out.u32(f.reth.dma_length);
  }
  if ((bits & extension::kAtomicEth) != 0) {
    out.u64(f.atomic.virtual_address);
    out.u32(f.atomic.rkey);
    out.u64(f.atomic.swap_or_add);
    out.u64(f.atomic.compare);
  }
  if ((bits & extension::kAeth) != 0) {
    out.u8(f.aeth.syndrome);
    out.u24(f.aeth.msn);
  }
  if ((bits & extension::kAtomicAckEth) != 0) out.u64(f.atomic_ack.original);
  if ((bits & extension::kImmDt) != 0) out.u32(f.immediate.value);
  if ((bits & extension::kIeth) != 0) out.u32(f.ieth.rkey);
  if ((bits & extension::kCnpReserved) != 0) {
    out.bytes(f.cnp_reserved.bytes.data(), f.cnp_reserved.bytes.size());
  }
}

void write_mac_control(const MacControl& h, ByteWriter& out) {
  out.u16(static_cast<std::uint16_t>(h.opcode));
  if (h.opcode == MacControlOpcode::kPause) out.u16(h.quanta[0]);
  if (h.opcode == MacControlOpcode::kPfc) {
    out.u16(h.enable_vector);
    for (const std::uint16_t quanta : h.quanta) out.u16(quanta);
  }
}

void write_headers(const Frame& frame, ByteWriter& out) {
  write_ethernet(frame.ethernet, out);
  if (frame.is_mac_control()) write_mac_control(frame.mac_control, out);
  if (!frame.is_ip()) return;
  const std::size_t ip_payload = ip_payload_bytes(frame);
  if (frame.is_ipv4()) {
    write_ipv4(frame.ipv4, ip_payload, out);
  } else {
    write_ipv6(frame.ipv6, ip_payload, out);
  }
  if (!frame.is_udp()) return;
  out.u16(frame.udp.source_port);
  out.u16(frame.udp.destination_port);
  out.u16(static_cast<std::uint32_t>(ip_payload));
  out.u16(frame.udp.checksum);
  if (!frame.is_roce()) return;
  write_bth(frame.bth, roce_pad(frame.payload_bytes), out);
  write_extensions(frame, out);
}

}  // namespace

std::uint16_t ipv4_checksum(const std::uint8_t* header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kIpv4Bytes; i += 2) {
    if (i != kIpv4ChecksumOffset) sum += get16(header + i);
  }
  sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~(sum + (sum >> 16)));
}

std::uint32_t icrc(const std::uint8_t* packet, std::size_t size) {
  const bool is_ipv4 = size > 0 && packet[0] >> 4 == 4;
  const std::size_t udp = is_ipv4 ? kIpv4Bytes : kIpv6Bytes;
  const std::size_t bth = udp + kUdpBytes;
  const std::size_t headers = bth + kBthBytes;
  require(size >= headers, "an ICRC over less than IP, UDP and BTH headers");
  std::uint8_t masked[kIpv6Bytes + kUdpBytes + kBthBytes];
  std::copy_n(packet, headers, masked);
  if (is_ipv4) {
    masked[1] = 0xFF;                                    // DSCP and ECN
    masked[8] = 0xFF;                                    // TTL
    std::fill_n(masked + kIpv4ChecksumOffset, 2, 0xFF);  // header checksum
  } else {
    masked[0] |= 0x0F;  // traffic class and flow label
    std::fill_n(masked + 1, 3, 0xFF);
    masked[7] = 0xFF;  // hop limit
  }
  std::fill_n(masked + udp + 6, 2, 0xFF);  // UDP checksum
  masked[bth + 4] = 0xFF;                  // FECN, BECN, reserved
  // The register after the eight bytes of ones that stand for InfiniBand's local route header.
  constexpr std::uint32_t kAfterEightOnes = 0xDEBB20E3;
  Crc32 crc(kAfterEightOnes);
  crc.update(masked, headers);
  crc.update(packet + headers, size - headers);
  return crc.value();
}

std::size_t encoded_bytes(const Frame& frame, const EncodeOptions& options) {
  std::size_t bytes = unpadded_bytes(frame);
  if (options.with_padding) bytes = std::max<std::size_t>(bytes, kMinFrameBytes - kFcsBytes);
  return bytes + (options.with_fcs ? kFcsBytes : 0);
}

std::size_t encode(const Frame& frame, const std::uint8_t* payload, std::size_t payload_size,
                   std::uint8_t* out, std::size_t capacity, const EncodeOptions& options) {
  require_encodable(frame);
  const std::size_t total = encoded_bytes(frame, options);
  require(payload_size == frame.payload_bytes, "payload of another size than the frame's");
  require(total <= capacity, "a frame larger than the buffer");
  ByteWriter writer(out);
  write_headers(frame, writer);
  writer.bytes(payload, payload_size);
  if (frame.is_roce()) {
    writer.zeros(roce_pad(frame.payload_bytes));
    const std::uint8_t* ip = out + kEthernetBytes + (frame.ethernet.has_vlan ? kVlanBytes : 0);
    writer.le32(icrc(ip, static_cast<std::size_t>(writer.at() - ip)));
  }
  const std::size_t without_fcs = total - (options.with_fcs ? kFcsBytes : 0);
  writer.zeros(without_fcs - static_cast<std::size_t>(writer.at() - out));
  if (options.with_fcs) writer.le32(crc32(out, without_fcs));
  return total;
}

void encode(const Frame& frame, const std::uint8_t* payload, std::size_t payload_size,
            std::vector<std::uint8_t>& out, const EncodeOptions& options) {
  require_encodable(frame);  // before a nonsense length makes the vector grow
  out.resize(encoded_bytes(frame, options));
  encode(frame, payload, payload_size, out.data(), out.size(), options);
}

std::size_t encode_headers(const Frame& frame, std::uint8_t* out, std::size_t capacity) {
  require_encodable(frame);
  const std::size_t size = header_bytes(frame);
  require(size <= capacity, "headers larger than the buffer");
  ByteWriter writer(out);
  write_headers(frame, writer);
  return size;
}

void encode_headers(const Frame& frame, std::vector<std::uint8_t>& out) {
  out.resize(header_bytes(frame));
  encode_headers(frame, out.data(), out.size());
}

}  // namespace railyard::net
