// The receiving side of queue pairs: requests are checked, carried out and acknowledged (IBTA Vol 1
// 9.7.3 to 9.7.5, 9.9.3).
//
// A request packet is checked when it passes the stage `<nic>.responder.transport`; one that needs
// a receive WQE or a translation that is not there waits, and those of its queue pair behind it.
// What it does then happens in order (write_order.h): payload is written, READ responses are made
// (read_engine.h), acknowledgements (acknowledger.h) and completions follow. An ACK is made when
// the last write before it was given to PCIe, as hardware does it: PCIe's order stands for it that
// the peer's next write does not overtake.
//
// - PSN behind the expected one: a SEND or WRITE is acknowledged again, a READ answered again by
//   its own RETH. PSN ahead: one NAK for a gap, then silence until the expected packet comes.
// - A request that is refused with invalid request, remote access or remote operational error
//   breaks the queue pair when its NAK is made. So do atomics and SEND with invalidate, which this
//   NIC does not offer: it answers them with invalid request.
// - A SEND needs its receive WQE with its first packet, a WRITE with immediate with its last. If
//   there is none that packet is not carried out, and the requester is told to come again (RNR).
// - The key of a WRITE or READ is checked for its whole length first. Of no bytes it is not looked
//   at (IBTA Vol 1 9.7.4.1.5).
// - A SEND longer than its receive WQE: NAK invalid request, completion with local length error; a
//   receive WQE's bad lkey: NAK remote operational error, completion with local protection error.
//
// A packet's place in the receive buffer is free again when its payload is on PCIe's line.
#pragma once

#include <array>
#include <cstdint>

#include "hw/nic/acknowledger.h"
#include "hw/nic/address_translation.h"
#include "hw/nic/completion_sink.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/read_engine.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/receive_queue.h"
#include "hw/nic/record_pool.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "hw/nic/write_order.h"
#include "tlm/observe/probe.h"

namespace railyard::nic {

class Responder : public PacketConsumer,
                  private DmaClient,
                  private TranslationClient,
                  private OrderedStepClient,
                  private ReceiveQueueClient,
                  private ReadEngineClient,
                  private AcknowledgerClient {
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

 private:
  static constexpr std::uint32_t kProbed = 16;  // slots

  enum class Phase : std::uint8_t { kArrived, kCheckKey, kPlace, kOrdered };
  enum class Act : std::uint8_t { kNothing, kData, kAcknowledge, kRefuse, kBreak, kRead };
  enum class Stall : std::uint8_t { kNone, kReceiveQueue, kKeyMiss };

  /// A packet from its arrival until its place is free.
  struct Request {
    std::uint32_t next = 0;
    // In the queue pair's list, translations, steps and writes under way.
    std::uint32_t users = 0;
    Ref<net::Packet> packet;
    Qp* qp = nullptr;  // null: it was reset, or broke
    Time at = 0;
    Phase phase = Phase::kArrived;
    Act act = Act::kNothing;
    std::uint8_t cls = 0;
    bool answered = false;   // `mapping` is what was asked for
    bool again = false;      // a duplicate
    bool completes = false;  // a receive WQE
    std::uint8_t syndrome = 0;
    Failure failure;
    std::uint16_t wqe = 0;
    std::uint32_t placed = 0;      // payload bytes whose place is known
    std::uint32_t psn = 0;         // up to which it acknowledges
    std::uint32_t msn = 0;         // when it is carried out
    std::uint32_t byte_count = 0;  // of the message
    Mapping mapping;
  };

  // Checks: responder.cpp.
  void run(Qp& qp);
  /// Whether all its steps are ordered.
  bool advance(std::uint32_t index);
  bool arrive(std::uint32_t index);
  bool take_expected(std::uint32_t index);
  bool supply_wqe(std::uint32_t index);
  void take_duplicate(std::uint32_t index);
  void take_ahead(std::uint32_t index);
  void begin_send(std::uint32_t index);
  void begin_write(std::uint32_t index);
  void begin_read(std::uint32_t index);
  void count(const net::Frame& frame);
  void expect_next(Request& request);
  void pass(Request& request);

  // Places and steps: responder_place.cpp.
  bool check_key(std::uint32_t index);
  bool place(std::uint32_t index);
  KeyedRange next_range(const Request& request) const;
  bool translate(std::uint32_t index, const KeyedRange& range);
  void conclude(Request& request);
  void order_writes(std::uint32_t index, std::uint32_t bytes);
  void order(std::uint32_t index, Act act);
  void refuse(std::uint32_t index, std::uint8_t syndrome, std::uint32_t psn);
  void break_off(std::uint32_t index, std::uint8_t syndrome, Failure failure);
  void carry_out(const OrderedStep& step) override;
  void finish(const Request& request);
  void finish_data(const Request& request);
  void drop_user(std::uint32_t index);
  void forget(Qp& qp);
  void update_stall(Qp& qp);
  void block();

  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;
  void translated(std::uint64_t ticket, const Mapping& mapping) override;
  void receive_queue_ready(Qp& qp) override { run(qp); }
  void receive_queue_failed(Qp& qp) override;
  void reads_done(Qp& qp) override { acknowledger_.go_on(qp); }
  void read_broken(Qp& qp, std::uint8_t syndrome, std::uint32_t psn) override;
  void broken(Qp& qp) override;

  Units& units_;
  Stage transport_;
  RecordPool<Request> requests_;
  WriteOrder steps_;
  ReceiveQueues receive_queues_;
  ReadEngine reads_;
  Acknowledger acknowledger_;
  std::array<std::uint32_t, 3> stalled_{};  // queue pairs, by Stall
  std::uint8_t stalled_class_ = 0;
  std::array<Probe, kProbed> expected_psn_;
  Counter sends_;
  Counter writes_;
  Counter read_requests_;
  Counter payload_bytes_;
  Counter duplicates_;
  Counter out_of_sequence_;
  Counter dropped_;
};

}  // namespace railyard::nic
