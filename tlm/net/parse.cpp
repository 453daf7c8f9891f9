#include <algorithm>

#include "tlm/net/bytes.h"
#include "tlm/net/codec.h"
#include "tlm/net/crc32.h"

namespace railyard::net {

namespace {

bool all_zero(const std::uint8_t* data, std::size_t size) {
  return std::all_of(data, data + size, [](std::uint8_t byte) { return byte == 0; });
}

/// Walks up the headers. Every step returns false after it has put an error into the result.
class HeaderParser {
 public:
  HeaderParser(const std::uint8_t* bytes, std::size_t size, bool whole, ParseResult& result)
      : bytes_(bytes), size_(size), whole_(whole), in_(bytes, size), end_(size), result_(result) {}

  bool run() {
    if (!ethernet()) return false;
    switch (frame_.ethernet.type) {
      case EtherType::kIpv4:
        return ipv4() && above_ip(frame_.ipv4.protocol);
      case EtherType::kIpv6:
        return ipv6() && above_ip(frame_.ipv6.next_header);
      case EtherType::kMacControl:
        return mac_control();
      default:
        return opaque();
    }
  }

  std::size_t ip_offset() const { return ip_; }
  /// Where the packet ends by its length fields: behind the ICRC, before the padding.
  std::size_t end() const { return end_; }

 private:
  bool fail(ParseError error, const char* field, std::size_t offset) {
    result_.error = error;
    result_.field = field;
    result_.error_offset = offset;
    return false;
  }
  bool need(std::size_t bytes, const char* field) {
    const bool there = in_.has(bytes) && in_.offset() + bytes <= end_;
    return there || fail(ParseError::kTruncated, field, in_.offset());
  }

  bool ethernet() {
    if (!need(kEthernetBytes, "Ethernet header")) return false;
    Ethernet& h = frame_.ethernet;
    std::copy_n(in_.skip(6), 6, h.destination.bytes.begin());
    std::copy_n(in_.skip(6), 6, h.source.bytes.begin());
    h.type = static_cast<EtherType>(in_.u16());
    if (h.type != EtherType::kVlan) return true;
    if (!need(kVlanBytes, "VLAN tag")) return false;
    const std::uint16_t tag = in_.u16();
    h.has_vlan = true;
    h.pcp = static_cast<std::uint8_t>(tag >> 13);
    h.dei = (tag & 0x1000) != 0;
    h.vid = tag & 0xFFF;
    h.type = static_cast<EtherType>(in_.u16());
    return true;
  }

  bool opaque() {
    frame_.payload_bytes = static_cast<std::uint32_t>(end_ - in_.offset());
    result_.payload_offset = in_.offset();
    return true;
  }

  bool mac_control() {
    if (!need(2, "MAC control opcode")) return false;
    MacControl& h = frame_.mac_control;
    h.opcode = static_cast<MacControlOpcode>(in_.u16());
    if (h.opcode == MacControlOpcode::kPause) {
      if (!need(2, "PAUSE quanta")) return false;
      h.quanta[0] = in_.u16();
    } else if (h.opcode == MacControlOpcode::kPfc) {
      if (!need(18, "PFC class vector and quanta")) return false;
      h.enable_vector = in_.u16();
      for (std::uint16_t& quanta : h.quanta) quanta = in_.u16();
    } else {
      return opaque();
    }
    end_ = in_.offset();
    return opaque();
  }

  /// Ends the packet `length` bytes behind the IP header's first.
  bool set_ip_length(std::size_t length, std::size_t header, std::size_t field_offset) {
    if (length < header || (whole_ && length > size_ - ip_)) {
      return fail(ParseError::kIpLength, "IP length", field_offset);
    }
    end_ = ip_ + length;
    return true;
  }

  bool ipv4() {
    ip_ = in_.offset();
    if (!need(kIpv4Bytes, "IPv4 header")) return false;
    Ipv4& h = frame_.ipv4;
    const std::uint8_t version_length = in_.u8();
    if (version_length >> 4 != 4) return fail(ParseError::kIpVersion, "IPv4 version", ip_);
    if ((version_length & 0xF) != 5) {
      return fail(ParseError::kIpv4HeaderLength, "IPv4 header length", ip_);
    }
    read_traffic_class(in_.u8(), h.dscp, h.ecn);
    const std::uint16_t length = in_.u16();
    h.identification = in_.u16();
    const std::uint16_t flags = in_.u16();
    h.reserved_flag = (flags & 0x8000) != 0;
    h.dont_fragment = (flags & 0x4000) != 0;
    h.ttl = in_.u8();
    h.protocol = in_.u8();
    const std::uint16_t checksum = in_.u16();
    h.source.value = in_.u32();
    h.destination.value = in_.u32();
    if (checksum != ipv4_checksum(bytes_ + ip_)) {
      return fail(ParseError::kIpv4Checksum, "IPv4 header checksum", ip_ + 10);
    }
    if ((flags & 0x3FFF) != 0) {
      return fail(ParseError::kIpv4Fragment, "IPv4 flags and fragment offset", ip_ + 6);
    }
    return set_ip_length(length, kIpv4Bytes, ip_ + 2);
  }

  bool ipv6() {
    ip_ = in_.offset();
    if (!need(kIpv6Bytes, "IPv6 header")) return false;
    Ipv6& h = frame_.ipv6;
    const std::uint32_t word = in_.u32();
    if (word >> 28 != 6) return fail(ParseError::kIpVersion, "IPv6 version", ip_);
    read_traffic_class(word >> 20 & 0xFF, h.dscp, h.ecn);
    h.flow_label = word & 0xFFFFF;
    const std::size_t payload = in_.u16();
    h.next_header = in_.u8();
    h.hop_limit = in_.u8();
    std::copy_n(in_.skip(16), 16, h.source.bytes.begin());
    std::copy_n(in_.skip(16), 16, h.destination.bytes.begin());
    if (is_ipv6_extension(h.next_header)) {
      return fail(ParseError::kIpv6Extension, "IPv6 next header", ip_ + 6);
    }
    return set_ip_length(kIpv6Bytes + payload, kIpv6Bytes, ip_ + 4);
  }

  static void read_traffic_class(std::uint32_t byte, std::uint8_t& dscp, Ecn& ecn) {
    dscp = static_cast<std::uint8_t>(byte >> 2);
    ecn = static_cast<Ecn>(byte & 3);
  }

  bool above_ip(std::uint8_t protocol) {
    if (protocol != kProtocolUdp) return opaque();
    const std::size_t start = in_.offset();
    if (!need(kUdpBytes, "UDP header")) return false;
    frame_.udp.source_port = in_.u16();
    frame_.udp.destination_port = in_.u16();
    const std::size_t length = in_.u16();
    frame_.udp.checksum = in_.u16();
    if (length != end_ - start) return fail(ParseError::kUdpLength, "UDP length", start + 4);
    return frame_.udp.destination_port == kRoceUdpPort ? roce() : opaque();
  }

  bool roce() {
    const std::size_t start = in_.offset();
    if (!need(kBthBytes, "BTH")) return false;
    Bth& h = frame_.bth;
    h.opcode = static_cast<Opcode>(in_.u8());
    const std::uint8_t flags = in_.u8();
    h.solicited_event = (flags & 0x80) != 0;
    h.migration = (flags & 0x40) != 0;
    const std::size_t pad = flags >> 4 & 3;
    h.version = flags & 0xF;
    h.p_key = in_.u16();
    const std::uint8_t congestion = in_.u8();
    h.fecn = (congestion & 0x80) != 0;
    h.becn = (congestion & 0x40) != 0;
    h.reserved6 = congestion & 0x3F;
    h.destination_qp = in_.u24();
    const std::uint8_t ack = in_.u8();
    h.ack_request = (ack & 0x80) != 0;
    h.reserved7 = ack & 0x7F;
    h.psn = in_.u24();
    if (!is_known(h.opcode)) return fail(ParseError::kUnknownOpcode, "BTH opcode", start);
    return need(extension_bytes(h.opcode), "extension headers") && extensions() &&
           roce_payload(start, pad);
  }

  bool extensions() {
    const std::uint8_t bits = extension_headers(frame_.bth.opcode);
    if ((bits & extension::kDeth) != 0) {
      frame_.deth.q_key = in_.u32();
      frame_.deth.reserved = in_.u8();
      frame_.deth.source_qp = in_.u24();
    }
    if ((bits & extension::kReth) != 0) {
      frame_.reth.virtual_address = in_.u64();
      frame_.reth.rkey = in_.u32();
      frame_.reth.dma_length = in_.u32();
    }
    if ((bits & extension::kAtomicEth) != 0) {
      frame_.atomic.virtual_address = in_.u64();
      frame_.atomic.rkey = in_.u32();
      frame_.atomic.swap_or_add = in_.u64();
      frame_.atomic.compare = in_.u64();
    }
    if ((bits & extension::kAeth) != 0) {
      frame_.aeth.syndrome = in_.u8();
      frame_.aeth.msn = in_.u24();
    }
    if ((bits & extension::kAtomicAckEth) != 0) frame_.atomic_ack.original = in_.u64();
    if ((bits & extension::kImmDt) != 0) frame_.immediate.value = in_.u32();
    if ((bits & extension::kIeth) != 0) frame_.ieth.rkey = in_.u32();
    if ((bits & extension::kCnpReserved) != 0) {
      std::copy_n(in_.skip(kCnpReservedBytes), kCnpReservedBytes,
                  frame_.cnp_reserved.bytes.begin());
    }
    return true;
  }

  bool roce_payload(std::size_t bth, std::size_t pad) {
    const std::size_t rest = end_ - in_.offset();
    if (rest < kIcrcBytes) return fail(ParseError::kTruncated, "ICRC", in_.offset());
    const std::size_t padded = rest - kIcrcBytes;
    if (padded % 4 != 0) return fail(ParseError::kMisaligned, "RoCE payload", in_.offset());
    if (padded < pad) return fail(ParseError::kPadBeyondPayload, "BTH Pad", bth + 1);
    if (padded != 0 && !has_payload(frame_.bth.opcode)) {
      return fail(ParseError::kUnexpectedPayload, "RoCE payload", in_.offset());
    }
    frame_.payload_bytes = static_cast<std::uint32_t>(padded - pad);
    result_.payload_offset = in_.offset();
    return true;
  }

  const std::uint8_t* bytes_;
  std::size_t size_;
  bool whole_;
  ByteReader in_;
  std::size_t end_;
  std::size_t ip_ = 0;
  ParseResult& result_;
  Frame& frame_ = result_.frame;
};

const char* problem(ParseError error) {
  switch (error) {
    case ParseError::kNone:
      return "no error";
    case ParseError::kTruncated:
      return "ends inside this field";
    case ParseError::kRunt:
      return "shorter than 64 bytes";
    case ParseError::kIpVersion:
      return "not the version that the Ethernet type says";
    case ParseError::kIpv4HeaderLength:
      return "not 20 bytes (options are not supported)";
    case ParseError::kIpv4Checksum:
      return "wrong";
    case ParseError::kIpv4Fragment:
      return "a fragment (not supported)";
    case ParseError::kIpLength:
      return "less than the header or past the end of the frame";
    case ParseError::kIpv6Extension:
      return "an extension header (not supported)";
    case ParseError::kUdpLength:
      return "not the length of the IP payload";
    case ParseError::kUnknownOpcode:
      return "unknown";
    case ParseError::kMisaligned:
      return "with its pad not a multiple of 4 bytes";
    case ParseError::kPadBeyondPayload:
      return "more than there is payload";
    case ParseError::kUnexpectedPayload:
      return "the opcode takes none";
  }
  return "unknown error";
}

}  // namespace

ParseResult parse(const std::uint8_t* bytes, std::size_t size, bool has_fcs) {
  ParseResult result;
  if (has_fcs && size < kMinFrameBytes) {
    result.error = ParseError::kRunt;
    result.field = "frame";
    return result;
  }
  const std::size_t fcs_offset = size - (has_fcs ? kFcsBytes : 0);
  HeaderParser parser(bytes, fcs_offset, true, result);
  if (!parser.run()) return result;

  const Frame& frame = result.frame;
  const std::size_t end = parser.end();
  result.padding_bytes = fcs_offset - end;
  bool zeros = all_zero(bytes + end, result.padding_bytes);
  if (frame.is_roce()) {
    const std::size_t icrc_offset = end - kIcrcBytes;
    const std::uint32_t pad = roce_pad(frame.payload_bytes);
    zeros = zeros && all_zero(bytes + icrc_offset - pad, pad);
    result.icrc = get_le32(bytes + icrc_offset);
    const std::size_t ip = parser.ip_offset();
    result.icrc_ok = result.icrc == icrc(bytes + ip, icrc_offset - ip);
  }
  if (has_fcs) {
    result.fcs = get_le32(bytes + fcs_offset);
    result.fcs_ok = result.fcs == crc32(bytes, fcs_offset);
  }
  const bool tight = result.padding_bytes == 0 || fcs_offset == kMinFrameBytes - kFcsBytes;
  result.canonical = zeros && tight && result.icrc_ok && result.fcs_ok;
  return result;
}

ParseResult parse_headers(const std::uint8_t* bytes, std::size_t size) {
  ParseResult result;
  HeaderParser(bytes, size, false, result).run();
  return result;
}

std::string describe(const ParseResult& result) {
  if (result.ok()) return problem(ParseError::kNone);
  return std::string(result.field) + " at byte " + std::to_string(result.error_offset) + ": " +
         problem(result.error);
}

}  // namespace railyard::net
