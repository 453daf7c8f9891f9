// The headers of an Ethernet, IP, UDP and RoCE v2 frame as plain structs, one member a field, in
// host order. Lengths, checksums, Pad, ICRC and FCS are not members: the codec derives them.
// Reserved bits are members where a receiver must ignore them, so that a received frame can be
// rebuilt to its bytes. Sources: IEEE 802.3 and 802.1Q; RFC 791, 8200, 768; IBTA Vol 1 chapter 9
// and annex A17 (RoCE v2); IEEE 802.1Qbb (PFC), IEEE 802.3 annex 31B (PAUSE).
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "tlm/net/address.h"
#include "tlm/net/opcode.h"

namespace railyard::net {

constexpr std::uint32_t kEthernetBytes = 14;
constexpr std::uint32_t kVlanBytes = 4;
constexpr std::uint32_t kIpv4Bytes = 20;
constexpr std::uint32_t kIpv6Bytes = 40;
constexpr std::uint32_t kUdpBytes = 8;
constexpr std::uint32_t kBthBytes = 12;
constexpr std::uint32_t kRethBytes = 16;
constexpr std::uint32_t kAtomicEthBytes = 28;
constexpr std::uint32_t kAethBytes = 4;
constexpr std::uint32_t kAtomicAckEthBytes = 8;
constexpr std::uint32_t kImmDtBytes = 4;
constexpr std::uint32_t kIethBytes = 4;
constexpr std::uint32_t kDethBytes = 8;
constexpr std::uint32_t kCnpReservedBytes = 16;
constexpr std::uint32_t kIcrcBytes = 4;

constexpr std::uint8_t kProtocolUdp = 17;
constexpr std::uint16_t kRoceUdpPort = 4791;

/// Other values are legal and carried as they are (their payload is opaque).
enum class EtherType : std::uint16_t {
  kNone = 0,
  kIpv4 = 0x0800,
  kVlan = 0x8100,
  kIpv6 = 0x86DD,
  kMacControl = 0x8808,
};

struct Ethernet {
  MacAddress destination;
  MacAddress source;
  EtherType type = EtherType::kNone;  // behind the VLAN tag if there is one
  bool has_vlan = false;
  std::uint8_t pcp = 0;   // 3 bits: the priority
  bool dei = false;       // drop eligible
  std::uint16_t vid = 0;  // 12 bits
};

/// RFC 3168.
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

/// Without options and never a fragment: the codec refuses those.
struct Ipv4 {
  std::uint8_t dscp = 0;  // 6 bits
  Ecn ecn = Ecn::kNotEct;
  std::uint16_t identification = 0;
  bool reserved_flag = false;
  bool dont_fragment = true;
  std::uint8_t ttl = 64;
  std::uint8_t protocol = kProtocolUdp;
  Ipv4Address source;
  Ipv4Address destination;
};

/// Without extension headers. DSCP and ECN are the traffic class.
struct Ipv6 {
  std::uint8_t dscp = 0;  // 6 bits
  Ecn ecn = Ecn::kNotEct;
  std::uint8_t hop_limit = 64;
  std::uint8_t next_header = kProtocolUdp;
  std::uint32_t flow_label = 0;  // 20 bits
  Ipv6Address source;
  Ipv6Address destination;
};

/// `checksum` is carried as it is, 0 for "none". RoCE v2 senders write 0 over IPv6 as well: the
/// ICRC protects more than the checksum would, and it is computed with this field masked.
struct Udp {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = kRoceUdpPort;
  std::uint16_t checksum = 0;
};

/// Base Transport Header. Its Pad field is not here: it follows from Frame::payload_bytes.
struct Bth {
  Opcode opcode = Opcode::kRcSendOnly;
  bool solicited_event = false;
  bool migration = false;
  std::uint8_t version = 0;  // TVer, 4 bits
  std::uint16_t p_key = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  std::uint8_t reserved6 = 0;  // after BECN
  bool ack_request = false;
  std::uint8_t reserved7 = 0;        // after AckReq
  std::uint32_t destination_qp = 0;  // 24 bits
  std::uint32_t psn = 0;             // 24 bits
};

/// RDMA extended transport header.
struct Reth {
  std::uint64_t virtual_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t dma_length = 0;
};

struct AtomicEth {
  std::uint64_t virtual_address = 0;
  std::uint32_t rkey = 0;
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;
};

/// Syndrome: 000ccccc ACK (0x1F: no credit limit), 001ttttt RNR NAK, 011ccccc NAK (9.7.5.2.1).
struct Aeth {
  std::uint8_t syndrome = 0;
  std::uint32_t msn = 0;  // 24 bits
};

struct AtomicAckEth {
  std::uint64_t original = 0;
};

struct ImmDt {
  std::uint32_t value = 0;
};

struct Ieth {
  std::uint32_t rkey = 0;
};

struct Deth {
  std::uint32_t q_key = 0;
  std::uint8_t reserved = 0;
  std::uint32_t source_qp = 0;  // 24 bits
};

/// The sixteen reserved bytes of a CNP.
struct CnpReserved {
  std::array<std::uint8_t, kCnpReservedBytes> bytes{};
};

enum class MacControlOpcode : std::uint16_t { kPause = 0x0001, kPfc = 0x0101 };

/// A quantum is 512 bit times. kPause uses quanta[0] alone. Of another opcode only the opcode is a
/// header; what follows is opaque payload.
struct MacControl {
  MacControlOpcode opcode = MacControlOpcode::kPfc;
  std::uint16_t enable_vector = 0;        // bit n: quanta[n] is for class n; bits 8-15 reserved
  std::array<std::uint16_t, 8> quanta{};  // 0: XON
};

inline auto fields(const Ethernet& h) {
  return std::tie(h.destination, h.source, h.type, h.has_vlan, h.pcp, h.dei, h.vid);
}
inline auto fields(const Ipv4& h) {
  return std::tie(h.dscp, h.ecn, h.identification, h.reserved_flag, h.dont_fragment, h.ttl,
                  h.protocol, h.source, h.destination);
}
inline auto fields(const Ipv6& h) {
  return std::tie(h.dscp, h.ecn, h.hop_limit, h.next_header, h.flow_label, h.source, h.destination);
}
inline auto fields(const Udp& h) { return std::tie(h.source_port, h.destination_port, h.checksum); }
inline auto fields(const Bth& h) {
  return std::tie(h.opcode, h.solicited_event, h.migration, h.version, h.p_key, h.fecn, h.becn,
                  h.reserved6, h.ack_request, h.reserved7, h.destination_qp, h.psn);
}
inline auto fields(const Reth& h) { return std::tie(h.virtual_address, h.rkey, h.dma_length); }
inline auto fields(const AtomicEth& h) {
  return std::tie(h.virtual_address, h.rkey, h.swap_or_add, h.compare);
}
inline auto fields(const Aeth& h) { return std::tie(h.syndrome, h.msn); }
inline auto fields(const AtomicAckEth& h) { return std::tie(h.original); }
inline auto fields(const ImmDt& h) { return std::tie(h.value); }
inline auto fields(const Ieth& h) { return std::tie(h.rkey); }
inline auto fields(const Deth& h) { return std::tie(h.q_key, h.reserved, h.source_qp); }
inline auto fields(const CnpReserved& h) { return std::tie(h.bytes); }
inline auto fields(const MacControl& h) { return std::tie(h.opcode, h.enable_vector, h.quanta); }

/// Header structs are equal when all of their fields are.
template <class Header>
auto operator==(const Header& a, const Header& b) -> decltype(fields(a) == fields(b)) {
  return fields(a) == fields(b);
}

}  // namespace railyard::net
