// From the line to the two sides of a queue pair. Packets are in the receive buffer until their
// consumer has written what they carry.
#pragma once

#include <cstdint>

#include "hw/nic/qp.h"
#include "tlm/base/time.h"
#include "tlm/net/packet.h"

namespace railyard::nic {

/// A packet whose queue pair was found and whose context is there.
struct ReceivedPacket {
  Ref<net::Packet> packet;
  Qp* qp = nullptr;
  Time at = 0;  // when it leaves the stage `context`: not before now
};

class PacketConsumer {
 public:
  virtual ~PacketConsumer() = default;
  /// Takes a packet of the queue pair, in the order of arrival. Its place in the buffer is the
  /// consumer's until it gives it back by ReceiveBuffer::release.
  virtual void take(ReceivedPacket packet) = 0;
};

class ReceiveBuffer {
 public:
  virtual ~ReceiveBuffer() = default;
  /// The packet's place is free again, from now on. To be called once a packet.
  virtual void release(const net::Packet& packet) = 0;
};

}  // namespace railyard::nic
