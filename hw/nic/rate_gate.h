// When a queue pair may send, as congestion control has it, for the two sides of a queue pair that
// are paced: the requester's requests and the read engine's READ responses. Both are the queue
// pair's traffic and count against its one rate; while both wait for it they take turns, a packet
// each. Acknowledgements and CNPs are not paced.
//
// A packet counts from the decision to send it, so packets are spaced when they are decided; what
// was decided and is taken back (a retransmission begins before it was on the line) has counted.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/congestion/congestion_control.h"
#include "hw/nic/retry.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class RateGateClient {
 public:
  virtual ~RateGateClient() = default;
  /// The queue pair's side may send now, as far as is known: it asks allows() again when it does.
  virtual void may_send(std::uint32_t slot) = 0;
  /// The queue pair's window may have grown.
  virtual void window_grew(std::uint32_t /*slot*/) {}
};

class RateGate : public CongestionListener, private SlotTimerClient {
 public:
  enum Side : std::uint8_t { kRequests, kResponses };

  /// `units` have congestion control.
  explicit RateGate(Units& units);
  ~RateGate() override;

  /// Before the run.
  void set_client(Side side, RateGateClient& client) { clients_[side] = &client; }

  /// The side may send a packet now. False: it is told when to ask again.
  bool allows(std::uint32_t slot, Side side);
  /// It has decided to send one, of so many bytes on the line.
  void sent(std::uint32_t slot, Side side, std::uint32_t line_bytes);
  /// It does not want to send, or cannot for other reasons: the other side need not wait for it.
  void leave(std::uint32_t slot, Side side);

  /// Congestion control lets the queue pair send earlier than it said.
  void may_send(std::uint32_t slot) override;

 private:
  // A set of sides has bit 1 << side.
  struct State {
    std::uint8_t waiting = 0;  // to be told
    std::uint8_t told = 0;     // and has not sent since
    Side last = kResponses;    // who sent last
  };

  static constexpr std::uint8_t bit(Side side) { return static_cast<std::uint8_t>(1U << side); }
  static constexpr Side other(Side side) { return side == kRequests ? kResponses : kRequests; }
  void timer_ran_out(std::uint32_t slot) override;
  /// One side that waits.
  void tell(std::uint32_t slot);
  void plan(std::uint32_t slot);

  Units& units_;
  SlotTimers timers_;
  std::array<RateGateClient*, 2> clients_{};
  std::vector<State> states_;  // by slot
};

}  // namespace railyard::nic
