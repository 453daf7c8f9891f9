// Acknowledgements: made in the stage `acknowledge`, behind the READ responses before them.
//
// An ACK says how far requests were carried out when it is made, so a later one takes the place of
// one that is not made yet: one waits for `ack_delay`, for READ responses to be on the line, or for
// the queue pair's ACK before it to be. A NAK waits for READ responses alone.
#pragma once

#include <cstdint>

#include "hw/nic/qp.h"
#include "hw/nic/stage.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

class AcknowledgerClient {
 public:
  virtual ~AcknowledgerClient() = default;
  /// The NAK that breaks the queue pair is made.
  virtual void broken(Qp& qp) = 0;
};

class Acknowledger : private TransmitClient {
 public:
  Acknowledger(Units& units, AcknowledgerClient& client);

  /// The requester is to hear how far requests were carried out.
  void acknowledge(Qp& qp);
  /// A NAK of the request `psn`; `fatal`: the queue pair breaks by it.
  void refuse(Qp& qp, std::uint8_t syndrome, std::uint32_t psn, bool fatal);
  /// READ responses no longer stand before it.
  void go_on(Qp& qp) { respond(qp); }
  /// Makes no more, but what is made goes out.
  void stop(Qp& qp);
  void reset(Qp& qp);

 private:
  struct Delay {
    Time until = 0;
    Qp* qp = nullptr;  // null: forgotten
  };

  void respond(Qp& qp);
  void send(Qp& qp, std::uint8_t syndrome, std::uint32_t psn, std::uint64_t ticket);
  void hold(Qp& qp, bool held);
  void delay_over();
  void count_nak(std::uint8_t syndrome);
  void sent(std::uint64_t ticket, const net::Packet& packet) override;
  void read_failed(std::uint64_t /*ticket*/) override {}

  Units& units_;
  AcknowledgerClient& client_;
  Stage stage_;
  Event delay_over_;
  Ring<Delay> delays_;
  std::uint32_t held_ = 0;  // queue pairs whose acknowledgement waits for the line
  net::Frame headers_;
  Counter acks_;
  Counter merged_;
  Counter nak_sequence_;
  Counter nak_invalid_;
  Counter nak_access_;
  Counter nak_operation_;
  Counter rnr_naks_;
};

}  // namespace railyard::nic
