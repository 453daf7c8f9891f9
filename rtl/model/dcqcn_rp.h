// Twin of rtl/dcqcn/dcqcn_rp.sv: the same outputs, queue and contexts in every cycle. What the
// block does is told there, how it calculates in dcqcn_rules.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rtl/model/block.h"
#include "rtl/model/dcqcn_rules.h"

namespace railyard::rtl {

struct DcqcnRpIn {
  std::uint64_t now = 0;  // cycles
  bool cfg_valid = false;
  std::uint8_t cfg_class = 0;
  std::uint16_t cfg_addr = 0;
  std::uint32_t cfg_data = 0;
  std::uint32_t pace_factor = 0;
  bool tx_valid = false;
  bool tx_open = false;
  std::uint8_t tx_class = 0;
  std::uint32_t tx_qp = 0;
  std::uint32_t tx_bytes = 0;
  bool cnp_valid = false;
  std::uint32_t cnp_qp = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("now_i", self.now, kTimeBits);
    visit("cfg_valid_i", self.cfg_valid, 1);
    visit("cfg_class_i", self.cfg_class, 3);
    visit("cfg_addr_i", self.cfg_addr, 9);
    visit("cfg_data_i", self.cfg_data, 32);
    visit("pace_factor_i", self.pace_factor, 24);
    visit("tx_valid_i", self.tx_valid, 1);
    visit("tx_open_i", self.tx_open, 1);
    visit("tx_class_i", self.tx_class, 3);
    visit("tx_qp_i", self.tx_qp, 12);
    visit("tx_bytes_i", self.tx_bytes, 24);
    visit("cnp_valid_i", self.cnp_valid, 1);
    visit("cnp_qp_i", self.cnp_qp, 12);
  }
};

struct DcqcnRpOut {
  bool tx_ready = false;
  bool cnp_ready = false;
  bool valid = false;
  std::uint32_t qp = 0;
  std::uint32_t rate = 0;
  std::uint64_t target = 0;
  std::uint32_t alpha = 0;
  std::uint64_t interval = 0;
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;

  bool operator==(const DcqcnRpOut& o) const {
    return tx_ready == o.tx_ready && cnp_ready == o.cnp_ready && valid == o.valid && qp == o.qp &&
           rate == o.rate && target == o.target && alpha == o.alpha && interval == o.interval &&
           quiet == o.quiet && wake_valid == o.wake_valid && wake == o.wake;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("tx_ready_o", self.tx_ready, 1);
    visit("cnp_ready_o", self.cnp_ready, 1);
    visit("out_valid_o", self.valid, 1);
    visit("out_qp_o", self.qp, 12);
    visit("out_rate_o", self.rate, 32);
    visit("out_target_o", self.target, 34);
    visit("out_alpha_o", self.alpha, 25);
    visit("out_interval_o", self.interval, 40);
    visit("quiet_o", self.quiet, 1);
    visit("wake_valid_o", self.wake_valid, 1);
    visit("wake_o", self.wake, kTimeBits);
  }
};

/// Registers outside of the memories.
struct DcqcnRpState {
  std::array<std::uint32_t, 4> cnps{};  // the oldest first; those beyond `waiting` are zero here
  std::uint8_t waiting = 0;
  bool passed = false;
  std::uint16_t valid = 0;              // stage 1 lowest
  std::array<std::uint32_t, 12> qps{};  // of the stages; zero here without an event

  bool operator==(const DcqcnRpState& o) const {
    return cnps == o.cnps && waiting == o.waiting && passed == o.passed && valid == o.valid &&
           qps == o.qps;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("cnps_q", self.cnps, 12);
    visit("waiting_q", self.waiting, 3);
    visit("passed_q", self.passed, 1);
    visit("valid_q", self.valid, 12);
    visit("qp_q", self.qps, 12);
  }
};

/// The block, whoever computes it.
class DcqcnRp : public ContextBlock<DcqcnRpIn, DcqcnRpOut, DcqcnRpState, DcqcnContext> {
 public:
  static constexpr unsigned kClasses = 8;
  /// Cycles from the edge that takes an event to the one from which its answer stands.
  static constexpr unsigned kLatency = 12;
  /// A CNP that was taken enters the stages within as many cycles.
  static constexpr unsigned kLongestWait = 7;
};

class DcqcnRpModel final : public DcqcnRp {
 public:
  /// `qps`: 16, 256 or 4,096, as the RTL is built.
  explicit DcqcnRpModel(unsigned qps) : contexts_(qps) {}

  void reset() override;
  DcqcnRpOut settle(const DcqcnRpIn& in) override { return outputs(in); }
  DcqcnRpOut clock(const DcqcnRpIn& in) override;
  DcqcnRpState state() const override;
  unsigned contexts() const override { return static_cast<unsigned>(contexts_.size()); }
  DcqcnContext context(unsigned qp) const override { return contexts_[qp]; }

 private:
  /// An event on its way.
  struct Slot {
    DcqcnEvent event;
    std::uint8_t traffic_class = 0;
    DcqcnWork work;
    std::uint32_t factor = 0;
    std::uint32_t alpha = 0;
    std::uint64_t target = 0;
    std::uint32_t rate = 0;
  };

  DcqcnRpOut outputs(const DcqcnRpIn& in) const;
  bool busy() const { return valid_ != 0 || waiting_ != 0 || passed_; }
  bool in_stage(unsigned n) const { return (valid_ >> (n - 1) & 1U) != 0; }
  /// What is in stage n.
  Slot& slot(unsigned n) { return slots_[(head_ - n) % slots_.size()]; }
  const Slot& slot(unsigned n) const { return slots_[(head_ - n) % slots_.size()]; }
  void configure(const DcqcnRpIn& in);
  void run_stages(const DcqcnRpIn& in);
  bool arbitrate(const DcqcnRpIn& in, DcqcnEvent& event);

  std::vector<DcqcnContext> contexts_;
  std::array<DcqcnClass, kClasses> classes_;
  std::array<Slot, 16> slots_;
  unsigned head_ = 0;  // stage 1 is the slot before it
  unsigned valid_ = 0;
  std::array<std::uint32_t, 4> cnps_{};
  unsigned waiting_ = 0;
  bool passed_ = false;
  DcqcnRpOut answer_;  // of the latest event
};

}  // namespace railyard::rtl
