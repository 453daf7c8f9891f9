// A PauseReceiver of a device: the frames wait for their response time, then pfc_rx (rtl/pfc) keeps
// the timers. A frame is given to the block at the last clock edge from which a pause takes effect
// no later than the response time allows, so a pause begins up to one cycle before that and lasts
// as many cycles as its quanta, rounded. A response time that is shorter than the block's own takes
// as long as that: up to a cycle to the next edge, and PfcRx::kLatency more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hw/congestion/block_clock.h"
#include "hw/congestion/blocks.h"
#include "hw/congestion/pause_receiver.h"
#include "tlm/base/ring.h"

namespace railyard {

class ClockedPauseReceiver final : public PauseReceiver, private Clocked {
 public:
  /// The shortest response time of a block with this clock period.
  static constexpr Time shortest_response(Time clock) {
    return clock * (1 + Time{rtl::PfcRx::kLatency});
  }

  /// Whether the block can count a quantum of the rate: less than 1,024 cycles.
  static bool counts(const Rate& rate, Time clock);

  /// std::logic_error if it cannot.
  ClockedPauseReceiver(Partition& partition, const std::string& name, Rate rate,
                       std::uint64_t response_quanta, Time clock, Blocks& blocks,
                       PauseListener& listener);

  void start() { clock_.start(); }

 private:
  struct Waiting {
    std::uint64_t cycle = 0;
    std::uint8_t enable = 0;
    std::array<std::uint16_t, rtl::kPriorities> quanta{};
  };

  void take(const net::Frame& frame) override;
  void drop_all() override;
  bool edge(std::uint64_t cycle) override;
  void show() override { set_paused(out_.paused); }

  std::string name_;
  Blocks& blocks_;
  std::unique_ptr<rtl::PfcRx> block_;
  rtl::PfcRxIn in_;
  rtl::PfcRxOut out_;
  Ring<Waiting> waiting_;
  bool forgotten_ = false;  // the link went down, which the next edge will see
  BlockClock clock_;
};

}  // namespace railyard
