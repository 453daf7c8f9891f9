// The receiving side of queue pairs: requests are checked, carried out and acknowledged.
#pragma once

#include <cstdint>

#include "hw/nic/receive_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class Responder : public PacketConsumer {
 public:
  explicit Responder(Units& units);
  ~Responder() override;

  /// The queue pair is in RTR now.
  void ready(Qp& qp);
  /// It is in the error state: receive WQEs that were posted, and will be, complete flushed.
  void flush(Qp& qp);
  /// It is in the reset state, or goes: all of it is forgotten.
  void reset(Qp& qp);

  void take(ReceivedPacket packet) override;
};

}  // namespace railyard::nic
