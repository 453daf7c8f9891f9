// One Ethernet frame as a model moves it: headers as fields, the payload as a length. Plain data
// without a heap, so it is copied and reset for the price of a few cache lines.
//
// What a frame is follows from its fields as it does on the wire, so there is no second truth:
// Ethernet type -> IPv4, IPv6, MAC control or opaque; IP protocol -> UDP or opaque; UDP destination
// port 4791 -> RoCE; BTH opcode -> extension headers. Members that do not apply are ignored.
#pragma once

#include <array>
#include <cstdint>

#include "tlm/net/headers.h"

namespace railyard::net {

constexpr std::uint32_t kPreambleBytes = 8;
constexpr std::uint32_t kInterFrameGapBytes = 12;
constexpr std::uint32_t kFcsBytes = 4;
constexpr std::uint32_t kMinFrameBytes = 64;  // destination address to FCS

struct Frame {
  // What every hop reads comes first, to stay within two cache lines.
  Ethernet ethernet;
  Ipv4 ipv4;
  Udp udp;
  Bth bth;
  /// Bytes above the last header: of RoCE without pad and ICRC, of Ethernet without padding.
  std::uint32_t payload_bytes = 0;

  Reth reth;
  Aeth aeth;
  ImmDt immediate;
  Ieth ieth;
  Deth deth;
  Ipv6 ipv6;
  MacControl mac_control;
  CnpReserved cnp_reserved;
  AtomicAckEth atomic_ack;
  AtomicEth atomic;

  bool is_ipv4() const { return ethernet.type == EtherType::kIpv4; }
  bool is_ipv6() const { return ethernet.type == EtherType::kIpv6; }
  bool is_ip() const { return is_ipv4() || is_ipv6(); }
  bool is_udp() const {
    return (is_ipv4() && ipv4.protocol == kProtocolUdp) ||
           (is_ipv6() && ipv6.next_header == kProtocolUdp);
  }
  bool is_roce() const { return udp.destination_port == kRoceUdpPort && is_udp(); }
  bool is_mac_control() const { return ethernet.type == EtherType::kMacControl; }
  bool is_pfc() const { return is_mac_control() && mac_control.opcode == MacControlOpcode::kPfc; }
  bool is_pause() const {
    return is_mac_control() && mac_control.opcode == MacControlOpcode::kPause;
  }
  bool has_extension(std::uint8_t bit) const {
    return is_roce() && (extension_headers(bth.opcode) & bit) != 0;
  }

  /// Of an IP frame; 0 and kNotEct of another.
  std::uint8_t dscp() const { return is_ipv4() ? ipv4.dscp : is_ipv6() ? ipv6.dscp : 0; }
  Ecn ecn() const { return is_ipv4() ? ipv4.ecn : is_ipv6() ? ipv6.ecn : Ecn::kNotEct; }
  /// Of an IP frame; nothing happens to another.
  void set_ecn(Ecn ecn) {
    if (is_ipv4()) ipv4.ecn = ecn;
    if (is_ipv6()) ipv6.ecn = ecn;
  }
};

/// Equal headers, of those that the frames have, and equal payload length.
bool operator==(const Frame& a, const Frame& b);
inline bool operator!=(const Frame& a, const Frame& b) { return !(a == b); }

/// Pad bytes that bring a RoCE payload to a multiple of four (IBTA Vol 1 9.2.5).
constexpr std::uint32_t roce_pad(std::uint32_t payload_bytes) { return -payload_bytes & 3; }

inline std::uint32_t mac_control_bytes(MacControlOpcode opcode) {
  if (opcode == MacControlOpcode::kPfc) return 20;
  return opcode == MacControlOpcode::kPause ? 4 : 2;
}

/// From the destination address up to the payload.
inline std::uint32_t header_bytes(const Frame& frame) {
  std::uint32_t bytes = kEthernetBytes + (frame.ethernet.has_vlan ? kVlanBytes : 0);
  std::uint8_t protocol = 0;
  switch (frame.ethernet.type) {
    case EtherType::kIpv4:
      bytes += kIpv4Bytes;
      protocol = frame.ipv4.protocol;
      break;
    case EtherType::kIpv6:
      bytes += kIpv6Bytes;
      protocol = frame.ipv6.next_header;
      break;
    case EtherType::kMacControl:
      return bytes + mac_control_bytes(frame.mac_control.opcode);
    default:
      return bytes;
  }
  if (protocol != kProtocolUdp) return bytes;
  bytes += kUdpBytes;
  if (frame.udp.destination_port != kRoceUdpPort) return bytes;
  return bytes + kBthBytes + extension_bytes(frame.bth.opcode);
}

/// From the destination address to the end of the payload, pad and ICRC: no padding, no FCS.
inline std::uint32_t unpadded_bytes(const Frame& frame) {
  const std::uint32_t trailer = frame.is_roce() ? roce_pad(frame.payload_bytes) + kIcrcBytes : 0;
  return header_bytes(frame) + frame.payload_bytes + trailer;
}

/// From the destination address to the FCS inclusive, padded to the minimum.
inline std::uint32_t frame_bytes(const Frame& frame) {
  const std::uint32_t bytes = unpadded_bytes(frame) + kFcsBytes;
  return bytes < kMinFrameBytes ? kMinFrameBytes : bytes;
}

/// What a frame of `frame_bytes` takes of the line: with preamble and inter-frame gap.
constexpr std::uint32_t line_bytes(std::uint32_t frame_bytes) {
  return kPreambleBytes + frame_bytes + kInterFrameGapBytes;
}

/// Priority flow control (IEEE 802.1Qbb): class n with bit n of `enable_vector` is paused for
/// `quanta[n]`; 0 ends its pause.
Frame pfc_frame(const MacAddress& source, std::uint8_t enable_vector,
                const std::array<std::uint16_t, 8>& quanta);
/// Link-level PAUSE (IEEE 802.3 annex 31B).
Frame pause_frame(const MacAddress& source, std::uint16_t quanta);

/// How a CNP is marked. The defaults are those of ConnectX NICs: DSCP 48, priority 6, ECT(0).
struct CnpMarking {
  std::uint8_t dscp = 48;
  Ecn ecn = Ecn::kEct0;
  std::uint8_t pcp = 6;  // used if the marked packet has a VLAN tag
};
/// The CNP that goes back to the sender of `marked`, an IP frame that came with CE (annex A17.9.3):
/// addresses exchanged, to `sender_qpn`; UDP source port 0 and P_Key 0xFFFF, as hardware sends.
Frame cnp_frame(const Frame& marked, std::uint32_t sender_qpn, const CnpMarking& marking = {});

/// The UDP source port of a connected QP, which spreads QPs over equal-cost paths: 0xC000-0xFFFF
/// (Linux include/rdma/ib_verbs.h, rdma_calc_flow_label and rdma_flow_label_to_udp_sport).
std::uint16_t udp_source_port(std::uint32_t local_qpn, std::uint32_t remote_qpn);

/// The largest payload of a RoCE packet on an interface of that MTU, both in bytes: the largest of
/// 256, 512, 1024, 2048, 4096 not above interface_mtu - 96 (Linux: iboe_get_mtu); 0 if none is.
std::uint32_t path_mtu(std::uint32_t interface_mtu);

}  // namespace railyard::net
