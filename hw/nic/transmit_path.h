// From a decision to send a packet to the line: its payload is read, headers are put before it, it
// waits for its priority's turn. Requester and responder decide; the path keeps their order within
// a priority.
#pragma once

#include <array>
#include <cstdint>

#include "hw/nic/address_translation.h"
#include "tlm/net/packet.h"

namespace railyard::nic {

class TransmitClient;

/// A packet to send. `headers` are complete but for what the packetiser derives.
struct TransmitJob {
  const net::Frame* headers = nullptr;  // read during the call
  std::uint8_t priority = 0;
  unsigned cls = 0;      // traffic class of the scheduler
  std::uint32_t qp = 0;  // number of this NIC's queue pair, for who looks
  /// The payload on the bus, gathered in order (headers->payload_bytes in all); none if `inlined`
  /// is given, or if there is no payload.
  const BusSegment* segments = nullptr;
  std::uint32_t count = 0;
  Ref<net::Payload> inlined;  // of payload_bytes
  Time at = 0;                // when it comes to the stage dma_read: not before now
  TransmitClient* client = nullptr;
  std::uint64_t ticket = 0;
};

class TransmitClient {
 public:
  virtual ~TransmitClient() = default;
  /// The packet begins to leave for the line: congestion control and timers count from here.
  virtual void sent(std::uint64_t ticket, const net::Packet& packet) = 0;
  /// Its payload could not be read: it was not sent; later ones of its priority are, unless they
  /// are dropped by their client.
  virtual void read_failed(std::uint64_t ticket) = 0;
};

/// Told when there is room again for whom it was refused.
class RoomClient {
 public:
  virtual ~RoomClient() = default;
  virtual void transmit_room(std::uint8_t priority) = 0;
};

class TransmitPath {
 public:
  virtual ~TransmitPath() = default;
  /// A packet with so much payload would be taken: egress buffer and payload reads have room. If
  /// not, the room clients are told when to ask again.
  virtual bool room(std::uint8_t priority, std::uint32_t payload_bytes) const = 0;
  /// Somebody was refused room, and the buffer has it: it is payload reads that are too many.
  virtual bool refused_for_reads() const { return false; }
  virtual void add_room_client(RoomClient& client) = 0;
  /// Takes a packet, whether there is room or not (acknowledgements are never refused).
  virtual void take(const TransmitJob& job) = 0;
  /// Packets of this client with this ticket that are not on the line yet are not to be sent; their
  /// reads may still be under way.
  virtual void drop(TransmitClient& client, std::uint64_t ticket) = 0;
};

}  // namespace railyard::nic
