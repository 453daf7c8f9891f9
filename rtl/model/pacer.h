// Twin of rtl/pacer/pacer.sv: the same registers, contexts and outputs in every cycle. What the
// block does is told there.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/model/block.h"
#include "rtl/model/cycles.h"

namespace railyard::rtl {

struct PacerIn {
  std::uint64_t now = 0;    // cycles
  std::uint32_t burst = 0;  // cycles, < 2^29
  bool tx_valid = false;
  bool tx_open = false;
  std::uint16_t tx_index = 0;
  std::uint16_t tx_bytes = 0;
  std::uint64_t tx_interval = 0;  // cycles a byte, UQ14.24

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("now_i", self.now, kTimeBits);
    visit("burst_i", self.burst, 29);
    visit("tx_valid_i", self.tx_valid, 1);
    visit("tx_open_i", self.tx_open, 1);
    visit("tx_index_i", self.tx_index, 12);
    visit("tx_bytes_i", self.tx_bytes, 16);
    visit("tx_interval_i", self.tx_interval, 38);
  }
};

struct PacerOut {
  bool tx_ready = false;
  bool next_valid = false;
  std::uint16_t next_index = 0;
  std::uint64_t next_at = 0;
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;

  bool operator==(const PacerOut& o) const {
    return tx_ready == o.tx_ready && next_valid == o.next_valid && next_index == o.next_index &&
           next_at == o.next_at && quiet == o.quiet && wake_valid == o.wake_valid && wake == o.wake;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("tx_ready_o", self.tx_ready, 1);
    visit("next_valid_o", self.next_valid, 1);
    visit("next_index_o", self.next_index, 12);
    visit("next_at_o", self.next_at, kTimeBits);
    visit("quiet_o", self.quiet, 1);
    visit("wake_valid_o", self.wake_valid, 1);
    visit("wake_o", self.wake, kTimeBits);
  }
};

/// Without the memory, and without what the bypass holds: the contexts that it leads to are
/// compared.
struct PacerState {
  std::uint16_t init = 0;
  std::uint16_t fresh = 0;
  bool s1_valid = false;
  bool s1_scan = false;
  bool s1_open = false;
  std::uint16_t s1_index = 0;
  std::uint16_t s1_bytes = 0;
  std::uint64_t s1_interval = 0;
  bool s2_valid = false;
  bool s2_scan = false;
  bool s2_open = false;
  std::uint16_t s2_index = 0;
  std::uint64_t s2_product = 0;
  bool next_valid = false;
  std::uint16_t next_index = 0;
  std::uint64_t next_at = 0;

  bool operator==(const PacerState& o) const {
    return init == o.init && fresh == o.fresh && s1_valid == o.s1_valid && s1_scan == o.s1_scan &&
           s1_open == o.s1_open && s2_open == o.s2_open && s1_index == o.s1_index &&
           s1_bytes == o.s1_bytes && s1_interval == o.s1_interval && s2_valid == o.s2_valid &&
           s2_scan == o.s2_scan && s2_index == o.s2_index && s2_product == o.s2_product &&
           next_valid == o.next_valid && next_index == o.next_index && next_at == o.next_at;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("init_q", self.init, 13);
    visit("fresh_q", self.fresh, 13);
    visit("s1_valid_q", self.s1_valid, 1);
    visit("s1_scan_q", self.s1_scan, 1);
    visit("s1_open_q", self.s1_open, 1);
    visit("s1_index_q", self.s1_index, 12);
    visit("s1_bytes_q", self.s1_bytes, 16);
    visit("s1_interval_q", self.s1_interval, 38);
    visit("s2_valid_q", self.s2_valid, 1);
    visit("s2_scan_q", self.s2_scan, 1);
    visit("s2_open_q", self.s2_open, 1);
    visit("s2_index_q", self.s2_index, 12);
    visit("s2_product_q", self.s2_product, 54);
    visit("next_valid_q", self.next_valid, 1);
    visit("next_index_q", self.next_index, 12);
    visit("next_at_q", self.next_at, kTimeBits);
  }
};

/// The block, whoever computes it. A context is {valid, next}.
class Pacer : public ContextBlock<PacerIn, PacerOut, PacerState, std::uint64_t> {
 public:
  static constexpr unsigned kFracBits = 24;
  static constexpr unsigned kIntervalBits = 14 + kFracBits;
  static constexpr unsigned kStampBits = 32;
  static constexpr std::uint32_t kMostBurst = (std::uint32_t{1} << (kStampBits - 3)) - 1;
  /// The answer to a packet of clock n comes in clock n + kLatency.
  static constexpr unsigned kLatency = 3;
};

class PacerModel final : public Pacer {
 public:
  /// Size class: 16, 256 or 4,096.
  explicit PacerModel(unsigned contexts = 16);

  void reset() override;
  PacerOut settle(const PacerIn& in) override { return outputs(in); }
  PacerOut clock(const PacerIn& in) override;
  PacerState state() const override { return state_; }
  unsigned contexts() const override { return static_cast<unsigned>(contexts_.size()); }
  std::uint64_t context(unsigned index) const override { return contexts_[index]; }

 private:
  bool scans(const PacerIn& in) const;
  PacerOut outputs(const PacerIn& in) const;
  /// Stage 2.
  void charge(const PacerIn& in);
  void multiply();

  PacerState state_;
  std::vector<std::uint64_t> contexts_;
  unsigned scan_bits_;  // log2 of the cycles from scan to scan
};

}  // namespace railyard::rtl
