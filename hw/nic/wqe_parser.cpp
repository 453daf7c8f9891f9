#include "hw/nic/wqe_parser.h"

#include <algorithm>
#include <cstring>

namespace railyard::nic {

namespace {

constexpr std::uint32_t kSegmentsABlock = abi::kWqeBytes / abi::kSegmentBytes;

template <class T>
T image_at(const std::uint8_t* bytes) {
  T image;
  std::memcpy(&image, bytes, sizeof(T));
  return image;
}

bool has_remote_address(abi::Opcode opcode) {
  return opcode == abi::Opcode::kRdmaWrite || opcode == abi::Opcode::kRdmaWriteImm ||
         opcode == abi::Opcode::kRdmaRead;
}

bool is_known(abi::Opcode opcode) {
  return has_remote_address(opcode) || opcode == abi::Opcode::kNop ||
         opcode == abi::Opcode::kSend || opcode == abi::Opcode::kSendImm;
}

WqeFault parse_inline(const std::uint8_t* at, std::uint32_t segments, SendWqe& wqe) {
  const std::uint32_t bytes = image_at<abi::InlineHeader>(at).length & ~abi::kInlineFlag;
  const std::uint64_t whole = std::uint64_t{bytes} + sizeof(abi::InlineHeader);
  const std::uint64_t needed = (whole + abi::kSegmentBytes - 1) / abi::kSegmentBytes;
  if (needed != segments || wqe.is_read()) return WqeFault::kInline;
  wqe.is_inline = true;
  at += sizeof(abi::InlineHeader);
  wqe.inlined.assign(at, at + bytes);
  wqe.length = bytes;
  return WqeFault::kNone;
}

WqeFault parse_data(const std::uint8_t* at, std::uint32_t segments, SendWqe& wqe) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < segments; ++i, at += abi::kSegmentBytes) {
    const auto segment = image_at<abi::DataSegment>(at);
    const std::uint32_t length = segment.length;
    if ((length & abi::kInlineFlag) != 0) {
      return i == 0 ? parse_inline(at, segments, wqe) : WqeFault::kInline;
    }
    const auto bytes = length == 0 ? abi::kMaxMessage : length;
    wqe.data.push_back({segment.address, bytes, segment.lkey});
    sum += bytes;
  }
  if (sum > abi::kMaxMessage) return WqeFault::kLength;
  wqe.length = static_cast<std::uint32_t>(sum);
  return WqeFault::kNone;
}

}  // namespace

SendWqe::Data SendWqe::piece(std::uint32_t offset, std::uint32_t most) const {
  for (const Data& d : data) {
    if (offset < d.bytes) return {d.address + offset, std::min(most, d.bytes - offset), d.key};
    offset -= d.bytes;
  }
  return {};
}

void SendWqe::reset() {
  opcode = abi::Opcode::kNop;
  flags = 0;
  index = 0;
  blocks = 1;
  immediate = 0;
  remote_address = 0;
  rkey = 0;
  length = 0;
  data.clear();
  is_inline = false;
  inlined.clear();
  first_psn = 0;
  packets = 0;
  writes = 0;
  error = abi::Syndrome::kNone;
}

std::uint32_t wqe_blocks(const std::uint8_t* bytes) {
  const std::uint32_t segments = image_at<abi::ControlSegment>(bytes).qpn_ds & 0xFFU;
  return std::max(1U, (segments + kSegmentsABlock - 1) / kSegmentsABlock);
}

std::uint16_t wqe_index(const std::uint8_t* bytes) {
  const std::uint32_t word = image_at<abi::ControlSegment>(bytes).index_opcode;
  return static_cast<std::uint16_t>(word >> 8);
}

WqeFault parse_wqe(const std::uint8_t* bytes, std::size_t size, std::uint16_t index,
                   std::uint32_t number, SendWqe& wqe) {
  const auto control = image_at<abi::ControlSegment>(bytes);
  const std::uint32_t qpn_ds = control.qpn_ds;
  std::uint32_t segments = qpn_ds & 0xFFU;
  wqe.index = index;
  wqe.blocks = wqe_blocks(bytes);
  wqe.opcode = static_cast<abi::Opcode>(control.index_opcode & 0xFFU);
  if (segments == 0 || segments > abi::kMaxWqeSegments ||
      std::size_t{segments} * abi::kSegmentBytes > size) {
    wqe.blocks =
        std::min(wqe.blocks, std::max(1U, static_cast<std::uint32_t>(size / abi::kWqeBytes)));
    return WqeFault::kSegments;
  }
  if (wqe_index(bytes) != index) return WqeFault::kIndex;
  if (qpn_ds >> 8 != number) return WqeFault::kQueuePair;
  if (!is_known(wqe.opcode)) return WqeFault::kOpcode;
  wqe.flags = control.flags;
  wqe.immediate = control.immediate;
  if (wqe.opcode == abi::Opcode::kNop) return WqeFault::kNone;
  bytes += abi::kSegmentBytes;
  --segments;
  if (has_remote_address(wqe.opcode)) {
    if (segments == 0) return WqeFault::kTruncated;
    const auto remote = image_at<abi::RemoteAddressSegment>(bytes);
    wqe.remote_address = remote.address;
    wqe.rkey = remote.rkey;
    bytes += abi::kSegmentBytes;
    --segments;
  }
  return parse_data(bytes, segments, wqe);
}

}  // namespace railyard::nic
