// Twin of rtl/pfc/pfc_gen.sv: the same registers and outputs in every cycle. What the block does is
// told there.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/model/block.h"
#include "rtl/model/cycles.h"

namespace railyard::rtl {

struct PfcGenIn {
  std::uint64_t now = 0;      // cycles
  std::uint64_t refresh = 0;  // cycles, less than 2^47
  std::uint8_t enable = 0;    // lossless priorities
  // Cells; depth is what a group holds beyond its reserve.
  std::array<std::uint32_t, kPriorities> depth{};
  std::array<std::uint32_t, kPriorities> xoff_th{};
  std::array<std::uint32_t, kPriorities> xon_th{};
  bool clear = false;
  bool tx_ready = false;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("now_i", self.now, kTimeBits);
    visit("refresh_i", self.refresh, kTimeBits);
    visit("enable_i", self.enable, 8);
    visit("depth_i", self.depth, 32);
    visit("xoff_th_i", self.xoff_th, 32);
    visit("xon_th_i", self.xon_th, 32);
    visit("clear_i", self.clear, 1);
    visit("tx_ready_i", self.tx_ready, 1);
  }
};

struct PfcGenOut {
  bool tx_valid = false;
  std::uint8_t tx_enable = 0;
  std::uint8_t tx_xoff = 0;
  bool tx_refresh = false;
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;

  bool operator==(const PfcGenOut& o) const {
    return tx_valid == o.tx_valid && tx_enable == o.tx_enable && tx_xoff == o.tx_xoff &&
           tx_refresh == o.tx_refresh && quiet == o.quiet && wake_valid == o.wake_valid &&
           wake == o.wake;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("tx_valid_o", self.tx_valid, 1);
    visit("tx_enable_o", self.tx_enable, 8);
    visit("tx_xoff_o", self.tx_xoff, 8);
    visit("tx_refresh_o", self.tx_refresh, 1);
    visit("quiet_o", self.quiet, 1);
    visit("wake_valid_o", self.wake_valid, 1);
    visit("wake_o", self.wake, kTimeBits);
  }
};

struct PfcGenState {
  std::uint8_t want = 0;
  std::uint8_t told = 0;
  bool again = false;
  std::uint64_t refresh_at = 0;

  bool operator==(const PfcGenState& o) const {
    return want == o.want && told == o.told && again == o.again && refresh_at == o.refresh_at;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("want_q", self.want, 8);
    visit("told_q", self.told, 8);
    visit("again_q", self.again, 1);
    visit("refresh_at_q", self.refresh_at, kTimeBits);
  }
};

/// The block, whoever computes it.
class PfcGen : public ClockedBlock<PfcGenIn, PfcGenOut, PfcGenState> {};

class PfcGenModel final : public PfcGen {
 public:
  void reset() override { state_ = {}; }
  PfcGenOut settle(const PfcGenIn& in) override { return outputs(in); }
  PfcGenOut clock(const PfcGenIn& in) override;
  PfcGenState state() const override { return state_; }

 private:
  std::uint8_t wanted(const PfcGenIn& in) const;
  bool frame_due() const { return state_.want != state_.told || state_.again; }
  bool runs_out(std::uint64_t now) const {
    return state_.told != 0 && !state_.again && reached(now, state_.refresh_at);
  }
  PfcGenOut outputs(const PfcGenIn& in) const;

  PfcGenState state_;
};

}  // namespace railyard::rtl
