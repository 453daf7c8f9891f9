#include "waveforms/capture_file.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "tlm/net/codec.h"
#include "tlm/net/packet.h"

namespace railyard {

namespace {

constexpr char kPcapFlag[] = "--pcap";

// Block types and option codes, draft-ietf-opsawg-pcapng sections 4.1 to 4.3.
constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::uint32_t kLinkTypeEthernet = 1;
constexpr std::uint32_t kNoSnapLength = 0;

enum Option : std::uint32_t {
  kEnd = 0,
  kHardware = 2,
  kOs = 3,
  kApplication = 4,
  kIfName = 2,
  kIfDescription = 3,
  kIfSpeed = 8,
  kIfTsresol = 9,
  kIfFcslen = 13,
  kPacketFlags = 2,
};

constexpr std::uint32_t kFcsLengthShift = 5;
constexpr std::uint32_t kCrcError = 1U << 24;
// Nanoseconds: Wireshark 4.0 computes fraction * 10^9 in 64 bits, which overflows from 10^-11 on.
constexpr char kResolution[] = {9};

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value);
  out += static_cast<char>(value >> 8);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value);
  put16(out, value >> 16);
}

void put_padded(std::string& out, std::string_view bytes) {
  out += bytes;
  out.append(-bytes.size() & 3, '\0');
}

void put_option(std::string& out, Option code, std::string_view value) {
  put16(out, code);
  put16(out, static_cast<std::uint32_t>(value.size()));
  put_padded(out, value);
}

void begin_block(std::string& out, std::uint32_t type) {
  out.clear();
  put32(out, type);
  put32(out, 0);  // the length, when it is known
}

void end_block(std::string& out) {
  put_option(out, kEnd, {});
  const auto length = static_cast<std::uint32_t>(out.size() + 4);
  for (unsigned i = 0; i < 4; ++i) out[4 + i] = static_cast<char>(length >> (8 * i));
  put32(out, length);
}

std::string section_header() {
  std::string block;
  begin_block(block, kSectionHeader);
  put32(block, kByteOrderMagic);
  put16(block, 1);  // version 1.0
  put16(block, 0);
  put32(block, 0xffffffff);  // section length: unknown
  put32(block, 0xffffffff);
  put_option(block, kHardware, "simulated");
  put_option(block, kOs, "SystemC");
  put_option(block, kApplication, "railyard");
  end_block(block);
  return block;
}

std::string interface_description(const TapInfo& info) {
  std::string block;
  begin_block(block, kInterfaceDescription);
  put16(block, kLinkTypeEthernet);
  put16(block, 0);
  put32(block, kNoSnapLength);
  put_option(block, kIfName, info.name);
  if (!info.doc.empty()) put_option(block, kIfDescription, info.doc);
  if (info.bits_per_second != 0) {
    std::string speed;
    put32(speed, static_cast<std::uint32_t>(info.bits_per_second));
    put32(speed, static_cast<std::uint32_t>(info.bits_per_second >> 32));
    put_option(block, kIfSpeed, speed);
  }
  put_option(block, kIfTsresol, {kResolution, 1});
  const char fcs_length = net::kFcsBytes;
  put_option(block, kIfFcslen, {&fcs_length, 1});
  end_block(block);
  return block;
}

// The frame as far as its bytes exist.
void encode_packet(const net::Packet& packet, std::vector<std::uint8_t>& bytes) {
  if (packet.elided()) {
    net::encode_headers(packet.frame, bytes);
    return;
  }
  const bool has_payload = static_cast<bool>(packet.payload);
  net::encode(packet.frame, has_payload ? packet.payload->data() : nullptr,
              has_payload ? packet.payload->size() : 0, bytes);
  if (!packet.bad_fcs) return;
  for (auto it = bytes.end() - net::kFcsBytes; it != bytes.end(); ++it) {
    *it = static_cast<std::uint8_t>(~*it);
  }
}

const std::string& checked_capture(const std::string& path) {
  check_suffix(kPcapFlag, path, {".pcapng"});
  return path;
}

}  // namespace

CaptureFile::CaptureFile(const std::string& path, std::function<Time()> clock)
    : file_(kPcapFlag, checked_capture(path)), clock_(std::move(clock)) {
  file_.append(section_header());
}

void CaptureFile::connect(ProbeRegistry& registry) {
  for (auto& entry : registry.taps()) {
    file_.append(interface_description(entry.info));
    entry.point->connect(this, static_cast<std::uint32_t>(sequences_.size()));
    sequences_.push_back(0);
  }
}

void CaptureFile::frame(std::uint32_t interface, Direction direction, const net::Packet& packet,
                        Time end) {
  if (closed_) return;
  write_until(clock_() - 1);
  encode_packet(packet, bytes_);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();

  std::string& block = blocks_[slot];
  begin_block(block, kEnhancedPacket);
  put32(block, interface);
  const auto stamp = static_cast<std::uint64_t>(end / kNanosecond);
  put32(block, static_cast<std::uint32_t>(stamp >> 32));
  put32(block, static_cast<std::uint32_t>(stamp));
  put32(block, static_cast<std::uint32_t>(bytes_.size()));
  put32(block, packet.wire_bytes);
  put_padded(block, {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
  std::string flags;
  put32(flags, static_cast<std::uint32_t>(direction) | net::kFcsBytes << kFcsLengthShift |
                   (packet.bad_fcs ? kCrcError : 0));
  put_option(block, kPacketFlags, flags);
  end_block(block);

  heap_.push_back({end, sequences_[interface]++, interface, slot});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void CaptureFile::cut(std::uint32_t interface, Time now) {
  const auto alive = std::partition(heap_.begin(), heap_.end(), [&](const Held& held) {
    return held.interface != interface || held.end <= now;
  });
  for (auto it = alive; it != heap_.end(); ++it) free_slots_.push_back(it->slot);
  heap_.erase(alive, heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), later);
}

void CaptureFile::flush() {
  write_until(clock_() - 1);
  file_.flush();
}

void CaptureFile::close(Time now) {
  if (std::exchange(closed_, true)) return;
  write_until(now);
  file_.close();
}

bool CaptureFile::later(const Held& a, const Held& b) {
  return std::tie(a.end, a.interface, a.sequence) > std::tie(b.end, b.interface, b.sequence);
}

void CaptureFile::write_until(Time end) {
  while (!heap_.empty() && heap_.front().end <= end) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const std::uint32_t slot = heap_.back().slot;
    heap_.pop_back();
    free_slots_.push_back(slot);
    file_.append(blocks_[slot]);
  }
}

}  // namespace railyard
