#include "tlm/net/frame.h"

#include <type_traits>

namespace railyard::net {

static_assert(std::is_trivially_copyable_v<Frame> && sizeof(Frame) <= 256,
              "frames are copied on the hot path: at most four cache lines");

namespace {

// IEEE 802.3 annex 31B: the address that bridges do not forward.
constexpr MacAddress kMacControlAddress{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}};

bool equal_extensions(const Frame& a, const Frame& b) {
  const std::uint8_t bits = extension_headers(a.bth.opcode);
  const auto absent = [bits](std::uint8_t bit) { return (bits & bit) == 0; };
  return (absent(extension::kDeth) || a.deth == b.deth) &&
         (absent(extension::kReth) || a.reth == b.reth) &&
         (absent(extension::kAtomicEth) || a.atomic == b.atomic) &&
         (absent(extension::kAeth) || a.aeth == b.aeth) &&
         (absent(extension::kAtomicAckEth) || a.atomic_ack == b.atomic_ack) &&
         (absent(extension::kImmDt) || a.immediate == b.immediate) &&
         (absent(extension::kIeth) || a.ieth == b.ieth) &&
         (absent(extension::kCnpReserved) || a.cnp_reserved == b.cnp_reserved);
}

bool equal_ethernet(const Ethernet& a, const Ethernet& b) {
  if (a.has_vlan && b.has_vlan) return a == b;
  return a.has_vlan == b.has_vlan && a.destination == b.destination && a.source == b.source &&
         a.type == b.type;
}

bool equal_mac_control(const MacControl& a, const MacControl& b) {
  if (a.opcode == MacControlOpcode::kPfc) return a == b;
  return a.opcode == b.opcode &&
         (a.opcode != MacControlOpcode::kPause || a.quanta[0] == b.quanta[0]);
}

Frame mac_control_frame(const MacAddress& source, const MacControl& control) {
  Frame frame;
  frame.ethernet.destination = kMacControlAddress;
  frame.ethernet.source = source;
  frame.ethernet.type = EtherType::kMacControl;
  frame.mac_control = control;
  return frame;
}

}  // namespace

bool operator==(const Frame& a, const Frame& b) {
  if (!equal_ethernet(a.ethernet, b.ethernet) || a.payload_bytes != b.payload_bytes) return false;
  if (a.is_mac_control()) return equal_mac_control(a.mac_control, b.mac_control);
  if (a.is_ipv4() && !(a.ipv4 == b.ipv4)) return false;
  if (a.is_ipv6() && !(a.ipv6 == b.ipv6)) return false;
  if (a.is_udp() && !(a.udp == b.udp)) return false;
  return !a.is_roce() || (a.bth == b.bth && equal_extensions(a, b));
}

Frame pfc_frame(const MacAddress& source, std::uint8_t enable_vector,
                const std::array<std::uint16_t, 8>& quanta) {
  return mac_control_frame(source, {MacControlOpcode::kPfc, enable_vector, quanta});
}

Frame pause_frame(const MacAddress& source, std::uint16_t quanta) {
  return mac_control_frame(source, {MacControlOpcode::kPause, 0, {quanta}});
}

Frame cnp_frame(const Frame& marked, std::uint32_t sender_qpn, const CnpMarking& marking) {
  Frame frame;
  frame.ethernet = marked.ethernet;
  frame.ethernet.destination = marked.ethernet.source;
  frame.ethernet.source = marked.ethernet.destination;
  frame.ethernet.pcp = marking.pcp;
  frame.ethernet.dei = false;
  if (marked.is_ipv4()) {
    frame.ipv4.dscp = marking.dscp;
    frame.ipv4.ecn = marking.ecn;
    frame.ipv4.source = marked.ipv4.destination;
    frame.ipv4.destination = marked.ipv4.source;
  } else {
    frame.ipv6.dscp = marking.dscp;
    frame.ipv6.ecn = marking.ecn;
    frame.ipv6.source = marked.ipv6.destination;
    frame.ipv6.destination = marked.ipv6.source;
  }
  frame.bth.opcode = Opcode::kCnp;
  frame.bth.becn = true;
  frame.bth.destination_qp = sender_qpn;
  return frame;
}

std::uint16_t udp_source_port(std::uint32_t local_qpn, std::uint32_t remote_qpn) {
  std::uint64_t v = std::uint64_t{local_qpn} * remote_qpn;
  v ^= v >> 20;
  v ^= v >> 40;
  const std::uint32_t flow_label = v & 0xFFFFF;
  return static_cast<std::uint16_t>(0xC000 |
                                    ((flow_label & 0x3FFF) ^ ((flow_label & 0xFC000) >> 14)));
}

std::uint32_t path_mtu(std::uint32_t interface_mtu) {
  // GRH 40 + UDP 8 + BTH 12 + XRCETH 4 + AtomicETH 28 + ICRC 4, as Linux reserves.
  constexpr std::uint32_t kReserved = 96;
  for (std::uint32_t mtu = 4096; mtu >= 256; mtu /= 2) {
    if (interface_mtu >= mtu + kReserved) return mtu;
  }
  return 0;
}

}  // namespace railyard::net
