// The sending side of queue pairs: what software posted becomes request packets, and what comes
// back completes it.
#pragma once

#include <cstdint>

#include "hw/nic/receive_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class Requester : public PacketConsumer {
 public:
  explicit Requester(Units& units);
  ~Requester() override;

  /// A doorbell says that `posted` WQEs (16 bits) were ever posted to the send queue; it leaves its
  /// stage at `at`. `number` is of a queue pair that exists.
  void doorbell(std::uint32_t number, std::uint16_t posted, Time at);
  /// A BlueField write brought a WQE of `bytes` (a multiple of 16), which stands alone.
  void blue_field(std::uint32_t number, const std::uint8_t* wqe, std::uint32_t bytes, Time at);

  /// The queue pair is in RTS now.
  void ready(Qp& qp);
  /// It is in the error state: what was posted, and what will be, completes flushed.
  void flush(Qp& qp);
  /// It is in the reset state, or goes: all of it is forgotten, nothing completes.
  void reset(Qp& qp);

  void take(ReceivedPacket packet) override;
};

}  // namespace railyard::nic
