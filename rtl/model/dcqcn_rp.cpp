#include "rtl/model/dcqcn_rp.h"

namespace railyard::rtl {

void DcqcnRpModel::reset() {
  valid_ = 0;
  waiting_ = 0;
  passed_ = false;
  answer_ = {};
}

DcqcnRpOut DcqcnRpModel::outputs(const DcqcnRpIn& in) const {
  DcqcnRpOut out = answer_;
  out.tx_ready = !passed_;
  out.cnp_ready = waiting_ != cnps_.size();
  out.valid = in_stage(kLatency);
  out.wake_valid = busy();
  out.wake = in.now;
  out.quiet = !out.wake_valid && !in.tx_valid && !in.cnp_valid && !in.cfg_valid;
  return out;
}

void DcqcnRpModel::configure(const DcqcnRpIn& in) {
  DcqcnClass& k = classes_[in.cfg_class];
  if (in.cfg_addr >= kDcqcnDecayTable) {
    k.decay[in.cfg_addr - kDcqcnDecayTable] = in.cfg_data;
  } else if (in.cfg_addr < kDcqcnRegisters) {
    k.registers[in.cfg_addr] = in.cfg_data;
  }
}

// Each memory is written in the stage in which the RTL writes it. What an event needs of its class
// it takes there too, since the class's registers stand while its events are on their way.
void DcqcnRpModel::run_stages(const DcqcnRpIn& in) {
  if (in_stage(11)) {
    const Slot& s = slot(11);
    answer_.qp = s.event.qp;
    answer_.rate = s.rate;
    answer_.target = s.target;
    answer_.alpha = s.alpha;
    answer_.interval = dcqcn_interval(s.rate, in.pace_factor);
  }
  if (in_stage(7)) {
    Slot& s = slot(7);
    DcqcnContext& c = contexts_[s.event.qp];
    dcqcn_rate(s.event, s.work, s.factor, classes_[s.traffic_class], c);
    s.target = c.target;
    s.rate = c.rate;
  }
  if (in_stage(5)) {
    Slot& s = slot(5);
    DcqcnContext& c = contexts_[s.event.qp];
    s.factor = dcqcn_alpha(s.event, s.work, classes_[s.traffic_class], c);
    s.alpha = c.alpha;
  }
  if (in_stage(1)) {
    Slot& s = slot(1);
    DcqcnContext& c = contexts_[s.event.qp];
    s.traffic_class = s.event.open ? s.event.open_class : c.traffic_class;
    s.work = dcqcn_timers(s.event, classes_[s.traffic_class], c);
  }
}

bool DcqcnRpModel::arbitrate(const DcqcnRpIn& in, DcqcnEvent& event) {
  const bool push = in.cnp_valid && waiting_ != cnps_.size();
  const bool take_tx = in.tx_valid && !passed_;
  const bool take_cnp = waiting_ != 0 && !take_tx;
  passed_ = waiting_ != 0 && take_tx;
  if (take_tx) {
    event = {in.now, in.tx_qp, in.tx_bytes, in.tx_class, in.tx_open, false};
  } else if (take_cnp) {
    event = {in.now, cnps_[0], 0, 0, false, true};
    cnps_ = {cnps_[1], cnps_[2], cnps_[3], 0};
    --waiting_;
  }
  if (push) cnps_[waiting_++] = in.cnp_qp;
  return take_tx || take_cnp;
}

DcqcnRpOut DcqcnRpModel::clock(const DcqcnRpIn& in) {
  if (valid_ != 0) run_stages(in);
  if (in.cfg_valid) configure(in);
  DcqcnEvent event;
  const bool enters = arbitrate(in, event);
  valid_ = (valid_ << 1 | (enters ? 1U : 0U)) & ((1U << kLatency) - 1);
  if (enters) slots_[head_ % slots_.size()].event = event;
  ++head_;
  return outputs(in);
}

DcqcnRpState DcqcnRpModel::state() const {
  DcqcnRpState state;
  for (unsigned i = 0; i < waiting_; ++i) state.cnps[i] = cnps_[i];
  state.waiting = static_cast<std::uint8_t>(waiting_);
  state.passed = passed_;
  state.valid = static_cast<std::uint16_t>(valid_);
  for (unsigned n = 1; n <= kLatency; ++n) {
    if (in_stage(n)) state.qps[n - 1] = slot(n).event.qp;
  }
  return state;
}

}  // namespace railyard::rtl
