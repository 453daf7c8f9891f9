// What the requester knows of a queue pair while something that was posted is not complete: its
// WQEs, its PSNs, its turn. Plain C++.
//
//   wqes:   [ 0 .. acknowledged | .. cursor | .. begun | .. ]
//             PSNs all answered    sent       once sent  parsed
//
// A retransmission sets the cursor back; new packets are made where it meets `begun`.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/nic/address_translation.h"
#include "hw/nic/wqe_queue.h"

namespace railyard::nic {

/// What a queue pair's sending does at the moment.
enum class SendState : std::uint8_t {
  kIdle,         // nothing to send: it waits for a doorbell, or for acknowledgements alone
  kReady,        // in the scheduler
  kTurn,         // it is its turn, or its turn goes on later
  kContext,      // its turn waits for the context
  kWqe,          // for WQEs
  kTranslation,  // for a key or a translation
  kWindow,       // too much is outstanding; or an error stands behind what is
  kRate,         // congestion control holds it
  kRnr,          // the peer said receiver not ready
};

class SendQueue {
 public:
  static constexpr std::uint32_t kWindow = 1U << 23;  // PSNs (IBTA Vol 1 9.7.1)

  Qp* qp = nullptr;
  std::uint32_t id = 0;  // of this time of being active
  unsigned cls = 0;
  std::uint8_t priority = 0;
  SendState state = SendState::kIdle;
  bool flushing = false;
  bool unreadable = false;  // a read of WQEs failed
  Time waiting_since = 0;   // for acknowledgements

  WqeQueue fetched;
  Ring<Ref<SendWqe>> wqes;
  std::uint32_t acknowledged = 0;  // places in `wqes`
  std::uint32_t cursor = 0;
  std::uint32_t begun = 0;
  std::uint32_t offset = 0;      // of the packet that is next, in the WQE at the cursor
  std::uint32_t oldest_psn = 0;  // not acknowledged
  std::uint32_t line_psn = 0;    // next that was never on the line
  std::uint32_t reads = 0;       // READs begun and not complete

  // The turn.
  std::int64_t turn_left = 0;  // bytes
  Time lead = 0;               // from a decision to its coming to the stage wqe
  Time came_at = 0;            // the latest packet came to the stage translation
  Time last_at = 0;            // the packet before came to dma_read
  bool entered = false;        // the WQE at the cursor has passed the stage wqe

  // The packet of which a translation is awaited.
  std::vector<BusSegment> segments;
  std::uint32_t gathered = 0;  // bytes of it; of a READ: segments checked
  Time gathered_at = 0;
  bool abandoned = false;  // it is not to be sent any more

  // Retries.
  std::uint8_t retries = 0;      // without progress
  std::uint8_t rnr_retries = 0;  // likewise
  bool rnr = false;              // the timer is RNR's
  bool gap_seen = false;         // a missing response was asked for again, nothing came since
  // One packet at a time tells the round trip.
  bool sampling = false;
  std::uint32_t sample_psn = 0;
  Time sample_at = 0;
  Time round_trip = 0;

  void start(Qp& of, std::uint32_t new_id);

  std::uint32_t next_psn() const { return qp->requester.next_psn; }
  std::uint32_t outstanding() const { return (next_psn() - oldest_psn) & psn::kMask; }
  /// How far a PSN lies behind the oldest that is not acknowledged; kNone: it is not outstanding.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t place_of(std::uint32_t psn) const;

  bool has_wqe() const { return cursor < wqes.size(); }
  SendWqe& at_cursor() { return *wqes[cursor]; }
  /// The oldest that waits for acknowledgements or responses; there is one if PSNs are outstanding.
  SendWqe& oldest() { return *wqes[acknowledged]; }
  /// It has failed, and completes when what is before it has.
  bool broken() const {
    return acknowledged < begun && wqes[acknowledged]->error != abi::Syndrome::kNone;
  }
  /// All that was posted is in `wqes`, and sent.
  bool all_sent() const;
  bool done() const { return wqes.empty() && qp->requester.open_blocks() == 0; }

  /// The WQE at the cursor is sent for the first time: it gets its PSNs.
  void begin_wqe();
  /// The packet at the cursor is sent.
  void step();
  /// `count` PSNs from the oldest on are acknowledged, up to a READ, whose responses alone do so;
  /// false: that stopped it.
  bool acknowledge(std::uint32_t count);
  /// The response of the READ at oldest() that was awaited has come.
  void respond();
  /// Sends from the oldest PSN on again.
  void go_back();
  /// The oldest WQE is complete: all its PSNs are answered and what they brought is written.
  bool front_complete() const;
  Ref<SendWqe> pop_front();

 private:
  void skip_answered();
};

}  // namespace railyard::nic
