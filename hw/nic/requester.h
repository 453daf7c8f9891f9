// The sending side of queue pairs: what software posted becomes request packets, and what comes
// back completes it.
//
//   doorbell -> scheduler -> context -> [WQE fetch] -> wqe -> translation -> TransmitPath
//   ACK, NAK, READ response -> response_transport -> CQE, or again; [translation -> response_write]
//
// The front end decides when the stage wqe can take what is decided, less the time to get there, so
// what is decided is as old as it is in hardware. A turn is a queue pair's for `send.quantum`
// bytes. WQEs that were read are kept until they complete: a retransmission reads none again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hw/nic/completion_sink.h"
#include "hw/nic/context_store.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/qp_scheduler.h"
#include "hw/nic/rate_gate.h"
#include "hw/nic/read_responses.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/requester_metrics.h"
#include "hw/nic/retry.h"
#include "hw/nic/send_queue.h"
#include "hw/nic/stage.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class Requester : public PacketConsumer,
                  private ContextClient,
                  private TranslationClient,
                  private DmaClient,
                  private TransmitClient,
                  private RoomClient,
                  private SlotTimerClient,
                  private RateGateClient,
                  private ReadResponseClient {
 public:
  explicit Requester(Units& units);
  ~Requester() override;

  /// A doorbell says that `posted` basic blocks (16 bits) were ever posted to the send queue; it
  /// leaves its stage at `at`. `number` is of a queue pair that exists.
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

 private:
  /// Bytes that a packet takes of a turn at least: one of packets without payload ends too.
  static constexpr std::uint32_t kLeastCharge = 64;

  struct Doorbell {
    std::uint32_t number = 0;
    std::uint16_t posted = 0;
    Time at = 0;
    Ref<SendWqe> wqe;  // of BlueField
  };
  /// A turn that goes on at a time.
  struct Resumed {
    std::uint64_t ticket = 0;
    Time at = 0;
  };
  struct WqeRead {
    std::uint64_t ticket = 0;
    std::uint32_t order = 0;
  };

  // What waits in a state, for the attribution of the stages' time.
  struct Waiting {
    std::uint32_t count = 0;
    unsigned cls = 0;  // of the latest
  };

  // requester.cpp: doorbells, states.
  void queue_doorbell(Doorbell doorbell);
  void doorbells_due();
  void apply(const Doorbell& doorbell);
  void place_pushed(SendQueue& sq, const Doorbell& doorbell, std::uint16_t before);
  SendQueue& activate(Qp& qp);
  void release(SendQueue& sq);
  void enter_flush(SendQueue& sq);
  void set_state(SendQueue& sq, SendState state);
  /// It has something to send; it gets its turn, not before `at`.
  void make_ready(SendQueue& sq, Time at);
  SendQueue* find(std::uint64_t ticket) const;
  SendQueue* in_slot(std::uint32_t slot) const { return active_[slot]; }
  static std::uint64_t ticket_of(const SendQueue& sq) {
    return static_cast<std::uint64_t>(sq.id) << 32 | sq.qp->slot;
  }
  void list_waits(std::vector<Wait>& waits) const;
  void show(const SendQueue& sq);

  // requester_turns.cpp: whose turn it is, what it may do.
  void act();
  bool step();
  void wake(Time at);
  void plan();
  void attribute();
  void begin_turn(SendQueue& sq);
  void go_on(SendQueue& sq, Time lead);
  void resume(SendQueue& sq);
  void leave(SendQueue& sq, SendState state);
  void end_turn(SendQueue& sq);
  void run(SendQueue& sq);
  bool may_go_on(SendQueue& sq);
  bool wqe_there(SendQueue& sq);
  bool window_open(SendQueue& sq);
  bool rate_allows(SendQueue& sq);
  bool room_for(SendQueue& sq);
  void see_room(const SendQueue& sq);
  void flush_turn(SendQueue& sq);
  void flush_unread(SendQueue& sq);
  void context_ready(std::uint32_t slot, std::uint64_t ticket) override;
  void transmit_room(std::uint8_t priority) override;
  void may_send(std::uint32_t slot) override;
  void window_grew(std::uint32_t slot) override;

  // requester_fetch.cpp: WQEs from memory.
  void fetch_more(SendQueue& sq);
  void parse(SendQueue& sq);
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;
  void fetch_failed(SendQueue& sq);

  // requester_packets.cpp: packets.
  Time enter_wqe(SendQueue& sq);
  void begin_wqe(SendQueue& sq);
  void send_packet(SendQueue& sq);
  bool gather(SendQueue& sq);
  bool next_piece(const SendQueue& sq, KeyedRange& range) const;
  void use(SendQueue& sq, const Mapping& mapping);
  void transmit(SendQueue& sq);
  void local_error(SendQueue& sq, abi::Syndrome syndrome);
  void translated(std::uint64_t ticket, const Mapping& mapping) override;
  void sent(std::uint64_t ticket, const net::Packet& packet) override;
  void read_failed(std::uint64_t ticket) override;

  // requester_responses.cpp: what comes back, timers, completions.
  void acknowledged(SendQueue& sq, const net::Frame& frame, Time at);
  void answered(SendQueue& sq, ReceivedPacket& packet, Time at, bool& kept);
  void progress(SendQueue& sq, std::uint32_t from_psn, const net::Frame& frame);
  void nak(SendQueue& sq, std::uint8_t code, Time at);
  void receiver_not_ready(SendQueue& sq, std::uint8_t code, Time at);
  void missing_response(SendQueue& sq, Time at);
  void retry(SendQueue& sq, Time at);
  void go_back(SendQueue& sq);
  void fail_oldest(SendQueue& sq, abi::Syndrome syndrome, Time at);
  /// Completes what is complete, in order; the queue may be released or flush then.
  void complete_fronts(SendQueue& sq, Time at);
  void complete(const SendQueue& sq, const SendWqe& wqe, abi::Syndrome syndrome, Time at);
  void restart_timer(SendQueue& sq);
  void timer_ran_out(std::uint32_t slot) override;
  void response_written(std::uint64_t ticket, SendWqe& wqe, KeyError error) override;

  Units& units_;
  Event act_;
  Event doorbells_event_;
  RequesterMetrics metrics_;
  Stage scheduler_stage_;
  Stage wqe_stage_;
  Stage transport_;
  QpScheduler scheduler_;
  SlotTimers timers_;
  ReadResponses responses_;
  Pool<SendWqe> wqes_;

  std::vector<SendQueue*> active_;  // by slot
  std::vector<std::unique_ptr<SendQueue>> queues_;
  std::vector<SendQueue*> free_queues_;
  std::uint32_t last_id_ = 0;
  std::array<Waiting, 16> waiting_;  // by state

  Ring<Doorbell> doorbells_;
  SendQueue* current_ = nullptr;  // whose turn goes on at gate_
  Ring<Resumed> fetching_;        // turns that begin to read WQEs
  Ring<Resumed> resumed_;         // turns that waited
  Time gate_ = 0;                 // before it the front end decides nothing
  bool acting_ = false;
  bool registered_ = false;  // with the transmit path, which may be made after this

  std::vector<WqeRead> wqe_reads_;
  std::vector<std::uint32_t> free_wqe_reads_;
  net::Frame frame_;  // the packet being made
};

}  // namespace railyard::nic
