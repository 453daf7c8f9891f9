// Frames to bytes and back. The encoder derives every length, checksum, Pad, ICRC and FCS; the
// parser takes any bytes at all, reads nothing outside them and never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/net/frame.h"

namespace railyard::net {

struct EncodeOptions {
  bool with_fcs = true;
  /// Zeros up to the minimum frame. Captures at a sender are often taken before they are added.
  bool with_padding = true;
};

/// What encode() writes.
std::size_t encoded_bytes(const Frame& frame, const EncodeOptions& options = {});

/// Writes `frame` with its `payload_size` bytes of payload to `out` and returns their number. A
/// value wider than its field is cut. Throws std::invalid_argument if `capacity` is too small, if
/// `payload_size` is not the frame's payload_bytes, or if no parser could read the frame: unknown
/// opcode, payload where the opcode takes none, an IP packet above 65,535 bytes, IPv6 extension
/// headers, a VLAN type without a tag.
std::size_t encode(const Frame& frame, const std::uint8_t* payload, std::size_t payload_size,
                   std::uint8_t* out, std::size_t capacity, const EncodeOptions& options = {});
/// The same into a vector, which becomes exactly the frame; no allocation if its capacity does.
void encode(const Frame& frame, const std::uint8_t* payload, std::size_t payload_size,
            std::vector<std::uint8_t>& out, const EncodeOptions& options = {});

/// The headers alone, header_bytes(frame) of them, for an elided payload: the length fields, Pad
/// and checksum are those of the whole frame. Throws as encode() does.
std::size_t encode_headers(const Frame& frame, std::uint8_t* out, std::size_t capacity);
void encode_headers(const Frame& frame, std::vector<std::uint8_t>& out);

/// The invariant CRC of a RoCE v2 packet (IBTA annex A17.3.3): `packet` runs from the first byte of
/// the IPv4 or IPv6 header, which has no options, to the last of the pad. What routers change is
/// masked. Sent least significant byte first. Throws std::invalid_argument if the headers do not
/// fit.
std::uint32_t icrc(const std::uint8_t* packet, std::size_t size);

enum class ParseError : std::uint8_t {
  kNone,
  kTruncated,          // the frame, or the IP packet, ends inside the field
  kRunt,               // with FCS and below 64 bytes
  kIpVersion,          // not what the Ethernet type says
  kIpv4HeaderLength,   // options, or less than a header
  kIpv4Checksum,       // not what a sender writes
  kIpv4Fragment,       // a fragment has no UDP header to go by
  kIpLength,           // less than the header, or past the end of the frame
  kIpv6Extension,      // extension headers would have to be walked to find UDP
  kUdpLength,          // not that of the IP payload
  kUnknownOpcode,      // BTH
  kMisaligned,         // payload and pad are not a multiple of four
  kPadBeyondPayload,   // Pad says more than there is
  kUnexpectedPayload,  // payload behind an opcode that takes none
};

struct ParseResult {
  ParseError error = ParseError::kNone;
  const char* field = "";        // where the error is
  std::size_t error_offset = 0;  // of that field, from the destination address

  // Valid only without an error:
  Frame frame;
  std::size_t payload_offset = 0;  // frame.payload_bytes bytes from here
  std::size_t padding_bytes = 0;   // between the packet and the FCS
  std::uint32_t icrc = 0;          // as received; of RoCE only
  std::uint32_t fcs = 0;           // as received; if there is one
  bool icrc_ok = true;             // true if there is none
  bool fcs_ok = true;              // true if there is none
  /// encode(frame, payload, {has_fcs, padding_bytes > 0}) gives back exactly these bytes: ICRC and
  /// FCS are right, pad and padding are zeros, padding is no longer than needed.
  bool canonical = false;

  bool ok() const { return error == ParseError::kNone; }
};

/// `bytes` is one frame from its destination address, with or without FCS at the end. A wrong ICRC
/// or FCS is not an error but a finding. Unknown Ethernet types, IP protocols and MAC control
/// opcodes have an opaque payload; without an IP length that includes the padding.
ParseResult parse(const std::uint8_t* bytes, std::size_t size, bool has_fcs);

/// What encode_headers() wrote, or a capture that was cut behind the headers: lengths are taken
/// from the length fields, the payload need not be there, ICRC and FCS are not looked at. Where no
/// length field tells, payload_bytes is what is left of `bytes`.
ParseResult parse_headers(const std::uint8_t* bytes, std::size_t size);

/// One line for a person: what is wrong, in which field, at which byte.
std::string describe(const ParseResult& result);

/// Next-header values of RFC 8200 extension headers, which neither direction supports.
constexpr bool is_ipv6_extension(std::uint8_t next_header) {
  return next_header == 0 || next_header == 43 || next_header == 44 || next_header == 51 ||
         next_header == 60 || next_header == 135 || next_header == 139 || next_header == 140;
}

/// The checksum field of a 20-byte IPv4 header (RFC 791); the field's own bytes do not count.
std::uint16_t ipv4_checksum(const std::uint8_t* header);

}  // namespace railyard::net
