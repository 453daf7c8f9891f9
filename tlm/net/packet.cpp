#include "tlm/net/packet.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/net/bytes.h"
#include "tlm/net/codec.h"

namespace railyard::net {

namespace {

// version 8 | kind 8 | flags 8 | header length 8 | id 64 | created 64 | wire bytes 32 |
// payload bytes 32 | headers | payload if carried
constexpr std::size_t kFixedBytes = 28;
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kKindEthernet = 1;
constexpr std::uint8_t kFlagBadFcs = 1;
constexpr std::uint8_t kFlagCarried = 2;

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument("serialised packet: " + message);
}

/// Text is only made of a message that is thrown: this runs a packet.
void require_serial(bool condition, const char* message) {
  if (!condition) refuse(message);
}

}  // namespace

Ref<Packet> clone(const Packet& packet, PacketPool& pool) {
  Ref<Packet> copy = pool.packets.acquire();
  copy->id = packet.id;
  copy->created = packet.created;
  copy->wire_bytes = packet.wire_bytes;
  copy->bad_fcs = packet.bad_fcs;
  copy->payload = packet.payload;
  copy->frame = packet.frame;
  return copy;
}

void serialise(const Packet& packet, std::vector<std::uint8_t>& out) {
  const Frame& frame = packet.frame;
  const Payload* payload = packet.payload.get();
  require_serial(payload == nullptr || payload->size() == frame.payload_bytes,
                 "the payload is not as long as the frame says");
  const std::size_t headers = header_bytes(frame);
  const std::size_t carried = payload == nullptr ? 0 : payload->size();
  const std::size_t start = out.size();
  out.resize(start + kFixedBytes + headers + carried);
  ByteWriter writer(out.data() + start);
  writer.u8(kVersion);
  writer.u8(kKindEthernet);
  writer.u8((packet.bad_fcs ? kFlagBadFcs : 0u) | (payload != nullptr ? kFlagCarried : 0u));
  writer.u8(static_cast<std::uint32_t>(headers));
  writer.le64(packet.id);
  writer.le64(static_cast<std::uint64_t>(packet.created));
  writer.le32(packet.wire_bytes);
  writer.le32(frame.payload_bytes);
  encode_headers(frame, writer.at(), headers);
  if (carried != 0) std::copy_n(payload->data(), carried, writer.at() + headers);
}

Ref<Packet> deserialise(const std::uint8_t* bytes, std::size_t size, PacketPool& pool) {
  require_serial(size >= kFixedBytes, "cut short");
  ByteReader in(bytes, size);
  const unsigned version = in.u8();
  if (version != kVersion) refuse("version " + std::to_string(version) + ", not 1");
  require_serial(in.u8() == kKindEthernet, "of unknown kind");
  const std::uint8_t flags = in.u8();
  require_serial((flags & ~(kFlagBadFcs | kFlagCarried)) == 0, "unknown flags");
  const std::size_t headers = in.u8();
  const std::uint64_t id = in.le64();
  const std::uint64_t created = in.le64();
  const std::uint32_t wire_bytes = in.le32();
  const std::uint32_t payload_bytes = in.le32();
  const std::size_t carried = (flags & kFlagCarried) != 0 ? payload_bytes : 0;
  require_serial(in.left() >= headers && in.left() - headers == carried,
                 "not of the length that it says");

  ParseResult parsed = parse_headers(in.skip(headers), headers);
  if (!parsed.ok()) refuse(describe(parsed));
  require_serial(parsed.payload_offset == headers, "the headers end before their length");
  const bool has_length_field = parsed.frame.is_ip();
  require_serial(!has_length_field || parsed.frame.payload_bytes == payload_bytes,
                 "two payload lengths");
  require_serial(!(parsed.frame.is_pfc() || parsed.frame.is_pause()) || payload_bytes == 0,
                 "a PFC or PAUSE frame with payload");

  Ref<Packet> packet = pool.packets.acquire();
  packet->id = id;
  packet->created = static_cast<Time>(created);
  packet->wire_bytes = wire_bytes;
  packet->bad_fcs = (flags & kFlagBadFcs) != 0;
  packet->frame = parsed.frame;
  packet->frame.payload_bytes = payload_bytes;
  if ((flags & kFlagCarried) != 0) {
    packet->payload = pool.payloads.acquire();
    packet->payload->resize(carried);
    std::copy_n(in.skip(carried), carried, packet->payload->data());
  }
  return packet;
}

}  // namespace railyard::net
