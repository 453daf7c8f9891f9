// Who looks at messages on their way through a NIC: a latency breakdown, a test.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"

namespace railyard::nic {

/// Points on the way of a message, in its order.
enum class Point : std::uint8_t {
  kDoorbell,     // the doorbell's value left its stage
  kWqe,          // the WQE is parsed
  kTranslated,   // where its (next) payload is is known
  kPayload,      // the payload was read
  kPacket,       // the packet is made
  kOnLine,       // its first bit leaves
  kReceived,     // its last bit has come
  kTransport,    // the PSN was checked
  kWritten,      // the write of its payload was given to PCIe
  kAckSent,      // the ACK was made
  kAckReceived,  // it was taken
  kCompletion,   // the CQE's write was given to PCIe
  kCount
};
const char* name_of(Point point);

class Observer {
 public:
  virtual ~Observer() = default;
  /// Something of queue pair `qp` (this NIC's) passes the point at `at`, which may lie ahead.
  virtual void passed(Point point, std::uint32_t qp, Time at) = 0;
};

/// Told of the payload of SENDs and WRITEs that comes, in its order, none twice.
class DeliveryObserver {
 public:
  virtual ~DeliveryObserver() = default;
  /// So many bytes for queue pair `qp` (this NIC's) were given to PCIe.
  virtual void delivered(std::uint32_t qp, std::uint32_t bytes, Time at) = 0;
};

}  // namespace railyard::nic
