// What crosses links: a frame with what a model knows about it beyond its bytes. Packets and
// payloads come from a partition's pools; a payload may be shared by packets (a multicast, a
// retransmission), so who holds it by a packet does not write to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/base/pool.h"
#include "tlm/base/time.h"
#include "tlm/net/frame.h"

namespace railyard::net {

/// Payload bytes that are carried. The buffer only ever grows, so recycled payloads allocate
/// nothing.
struct Payload : Pooled<Payload> {
  /// New bytes are undefined.
  void resize(std::size_t size) {
    if (size > buffer_.size()) buffer_.resize(size);
    size_ = size;
  }
  std::size_t size() const { return size_; }
  std::uint8_t* data() { return buffer_.data(); }
  const std::uint8_t* data() const { return buffer_.data(); }
  void reset() { size_ = 0; }

 private:
  std::vector<std::uint8_t> buffer_;
  std::size_t size_ = 0;
};

/// Packet kinds beside Ethernet frames get their headers beside `frame`; all else is common.
struct Packet : Pooled<Packet> {
  std::uint64_t id = 0;          // given by the sender, unique at that endpoint
  Time created = 0;              // ps
  std::uint32_t wire_bytes = 0;  // frame_bytes(frame), once sealed
  bool bad_fcs = false;          // stomped or corrupted: the next store-and-forward hop drops it
  Ref<Payload> payload;          // none: the frame has no payload, or it is elided
  Frame frame;

  /// Called when the frame is complete, and after any change of its headers' sizes.
  void seal() { wire_bytes = frame_bytes(frame); }
  /// The frame has payload bytes that exist as a length only.
  bool elided() const { return frame.payload_bytes != 0 && !payload; }

  void reset() {
    id = 0;
    created = 0;
    wire_bytes = 0;
    bad_fcs = false;
    payload = Ref<Payload>();
    frame = Frame{};
  }
};

struct PacketPool {
  // Payloads outlive the packets that refer to them.
  Pool<Payload> payloads;
  Pool<Packet> packets;
};

/// An equal packet, whose payload is shared. For who must change one that others hold too.
Ref<Packet> clone(const Packet& packet, PacketPool& pool);

/// The flat form that crosses partitions: version 1, little endian around the headers, which are as
/// on the wire; with the payload if it is carried, its length if not. Appends to `out`.
/// Throws std::invalid_argument if the frame cannot be encoded (see encode()) or if a carried
/// payload is not frame.payload_bytes long.
void serialise(const Packet& packet, std::vector<std::uint8_t>& out);

/// The packet that serialise() wrote, equal in every respect. Throws std::invalid_argument on
/// anything else, and then the pool is as before.
Ref<Packet> deserialise(const std::uint8_t* bytes, std::size_t size, PacketPool& pool);

}  // namespace railyard::net
