// Twin of rtl/dcqcn/dcqcn_np.sv: the same registers, contexts and outputs in every cycle. What the
// block does is told there.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/model/block.h"
#include "rtl/model/cycles.h"

namespace railyard::rtl {

struct DcqcnNpIn {
  std::uint64_t now = 0;       // cycles
  std::uint32_t interval = 0;  // cycles, < 2^30
  std::uint32_t delay = 0;     // cycles, < 2^20
  bool ce_valid = false;
  std::uint16_t ce_index = 0;
  bool cnp_ready = false;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("now_i", self.now, kTimeBits);
    visit("interval_i", self.interval, 30);
    visit("delay_i", self.delay, 20);
    visit("ce_valid_i", self.ce_valid, 1);
    visit("ce_index_i", self.ce_index, 12);
    visit("cnp_ready_i", self.cnp_ready, 1);
  }
};

struct DcqcnNpOut {
  bool ce_ready = false;
  bool cnp_valid = false;
  std::uint16_t cnp_index = 0;  // zero here while cnp_valid is not set; the RTL's is then any
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;

  bool operator==(const DcqcnNpOut& o) const {
    return ce_ready == o.ce_ready && cnp_valid == o.cnp_valid && cnp_index == o.cnp_index &&
           quiet == o.quiet && wake_valid == o.wake_valid && wake == o.wake;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("ce_ready_o", self.ce_ready, 1);
    visit("cnp_valid_o", self.cnp_valid, 1);
    visit("cnp_index_o", self.cnp_index, 12);
    visit("quiet_o", self.quiet, 1);
    visit("wake_valid_o", self.wake_valid, 1);
    visit("wake_o", self.wake, kTimeBits);
  }
};

/// Without the memories, and without what the bypass holds: the contexts that it leads to are
/// compared. The head is zero while it is not valid.
struct DcqcnNpState {
  std::uint16_t init = 0;
  std::uint16_t fresh = 0;
  bool s1_valid = false;
  bool s1_scan = false;
  std::uint16_t s1_index = 0;
  std::uint16_t write_at = 0;
  std::uint16_t read_at = 0;
  std::uint16_t count = 0;
  bool head_valid = false;
  std::uint16_t head_index = 0;
  std::uint64_t head_at = 0;

  bool operator==(const DcqcnNpState& o) const {
    return init == o.init && fresh == o.fresh && s1_valid == o.s1_valid && s1_scan == o.s1_scan &&
           s1_index == o.s1_index && write_at == o.write_at && read_at == o.read_at &&
           count == o.count && head_valid == o.head_valid && head_index == o.head_index &&
           head_at == o.head_at;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("init_q", self.init, 13);
    visit("fresh_q", self.fresh, 13);
    visit("s1_valid_q", self.s1_valid, 1);
    visit("s1_scan_q", self.s1_scan, 1);
    visit("s1_index_q", self.s1_index, 12);
    visit("write_at_q", self.write_at, 12);
    visit("read_at_q", self.read_at, 12);
    visit("count_q", self.count, 13);
    visit("head_valid_q", self.head_valid, 1);
    visit("head_index", self.head_index, 12);
    visit("head_at", self.head_at, kTimeBits);
  }
};

/// The block, whoever computes it. A context is {valid, stamp}.
class DcqcnNp : public ContextBlock<DcqcnNpIn, DcqcnNpOut, DcqcnNpState, std::uint64_t> {
 public:
  static constexpr unsigned kStampBits = 32;
  static constexpr std::uint32_t kMostInterval = (std::uint32_t{1} << (kStampBits - 2)) - 1;
  static constexpr std::uint32_t kMostDelay = (std::uint32_t{1} << 20) - 1;
  /// A CNP is offered max(delay, 2) + 1 cycles after the clock that takes its packet.
  static constexpr unsigned kLeastLatency = 3;
};

class DcqcnNpModel final : public DcqcnNp {
 public:
  /// Size class: 16, 256 or 4,096.
  explicit DcqcnNpModel(unsigned contexts = 16);

  void reset() override;
  DcqcnNpOut settle(const DcqcnNpIn& in) override { return outputs(in); }
  DcqcnNpOut clock(const DcqcnNpIn& in) override;
  DcqcnNpState state() const override { return state_; }
  unsigned contexts() const override { return static_cast<unsigned>(contexts_.size()); }
  std::uint64_t context(unsigned index) const override { return contexts_[index]; }

 private:
  struct Entry {
    std::uint64_t at;
    std::uint16_t index;
  };
  /// What this cycle does, a function of registers and inputs.
  struct Moves {
    bool initialised;
    bool scan;
    bool ready;
    bool take;
    bool cnp_valid;
    bool pop;
    bool load;
  };

  Moves moves(const DcqcnNpIn& in) const;
  DcqcnNpOut outputs(const DcqcnNpIn& in) const;
  /// Stage 1; true if a CNP is due.
  bool judge(const DcqcnNpIn& in);
  void load(bool due, const Moves& m);

  DcqcnNpState state_;
  std::vector<std::uint64_t> contexts_;
  std::vector<Entry> waiting_;
  unsigned scan_bits_;  // log2 of the cycles from scan to scan
};

}  // namespace railyard::rtl
