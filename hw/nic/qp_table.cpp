#include "hw/nic/qp_table.h"

namespace railyard::nic {

namespace {

constexpr unsigned kNumberBits = 24;

}  // namespace

QpTable::QpTable(std::uint32_t limit) : limit_(limit) {
  while ((kFirst + limit - 1) >> generation_shift_ != 0) ++generation_shift_;
}

Qp* QpTable::create() {
  std::uint32_t index = 0;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else if (slots_.size() < limit_) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    return nullptr;
  }
  Slot& slot = slots_[index];
  slot.qp = std::make_unique<Qp>();
  slot.exists = true;
  slot.qp->slot = index;
  const std::uint32_t generations = 1U << (kNumberBits - generation_shift_);
  slot.qp->number = (slot.generation % generations) << generation_shift_ | (kFirst + index);
  ++count_;
  return slot.qp.get();
}

void QpTable::destroy(Qp& qp) {
  Slot& slot = slots_[qp.slot];
  slot.exists = false;
  ++slot.generation;
  free_.push_back(qp.slot);
  --count_;
}

Qp* QpTable::find(std::uint32_t number) {
  const std::uint32_t index = (number & ((1U << generation_shift_) - 1)) - kFirst;
  if (index >= slots_.size()) return nullptr;
  const Slot& slot = slots_[index];
  return slot.exists && slot.qp->number == number ? slot.qp.get() : nullptr;
}

void QpTable::for_each(const std::function<void(Qp&)>& call) {
  for (Slot& slot : slots_) {
    if (slot.exists) call(*slot.qp);
  }
}

Objects::Objects(const LimitsConfig& limits)
    : qps(limits.qps),
      cqs(0, limits.cqs),
      eqs(0, limits.eqs),
      pds(kFirstPd, limits.pds),
      uars(0, abi::kUars) {}

void Objects::clear() {
  qps.for_each([this](Qp& qp) { qps.destroy(qp); });
  cqs.clear();
  eqs.clear();
  pds.clear();
  uars.clear();
  keys.clear();
}

}  // namespace railyard::nic
