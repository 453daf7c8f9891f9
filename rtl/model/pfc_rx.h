// Twin of rtl/pfc/pfc_rx.sv: the same registers and outputs in every cycle. What the block does is
// told there.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/model/block.h"
#include "rtl/model/cycles.h"

namespace railyard::rtl {

struct PfcRxIn {
  std::uint64_t now = 0;      // cycles
  std::uint32_t quantum = 0;  // cycles of 512 bit times, UQ10.16
  bool clear = false;
  bool frame_valid = false;
  std::uint8_t enable = 0;  // class-enable vector
  std::array<std::uint16_t, kPriorities> quanta{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("now_i", self.now, kTimeBits);
    visit("quantum_i", self.quantum, 26);
    visit("clear_i", self.clear, 1);
    visit("frame_valid_i", self.frame_valid, 1);
    visit("enable_i", self.enable, 8);
    visit("quanta_i", self.quanta, 16);
  }
};

struct PfcRxOut {
  std::uint8_t paused = 0;
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;

  bool operator==(const PfcRxOut& o) const {
    return paused == o.paused && quiet == o.quiet && wake_valid == o.wake_valid && wake == o.wake;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("paused_o", self.paused, 8);
    visit("quiet_o", self.quiet, 1);
    visit("wake_valid_o", self.wake_valid, 1);
    visit("wake_o", self.wake, kTimeBits);
  }
};

struct PfcRxState {
  std::uint8_t set = 0;
  std::uint8_t paused = 0;
  std::array<std::uint32_t, kPriorities> cycles{};
  std::array<std::uint64_t, kPriorities> until{};

  bool operator==(const PfcRxState& o) const {
    return set == o.set && paused == o.paused && cycles == o.cycles && until == o.until;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("set_q", self.set, 8);
    visit("paused_q", self.paused, 8);
    visit("cycles_q", self.cycles, 26);
    visit("until_q", self.until, kTimeBits);
  }
};

/// The block, whoever computes it.
class PfcRx : public ClockedBlock<PfcRxIn, PfcRxOut, PfcRxState> {
 public:
  static constexpr unsigned kQuantumIntBits = 10;
  static constexpr unsigned kQuantumFracBits = 16;
  static constexpr std::uint64_t kQuantumMask =
      (std::uint64_t{1} << (kQuantumIntBits + kQuantumFracBits)) - 1;
  /// Cycles from the edge that takes a frame to the edge from which paused_o tells it.
  static constexpr unsigned kLatency = 1;
};

class PfcRxModel final : public PfcRx {
 public:
  void reset() override { state_ = {}; }
  PfcRxOut settle(const PfcRxIn& in) override { return outputs(in); }
  PfcRxOut clock(const PfcRxIn& in) override;
  PfcRxState state() const override { return state_; }

 private:
  PfcRxOut outputs(const PfcRxIn& in) const;
  std::uint8_t expired(std::uint64_t now) const;

  PfcRxState state_;
};

}  // namespace railyard::rtl
