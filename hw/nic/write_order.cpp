#include "hw/nic/write_order.h"

#include <algorithm>

namespace railyard::nic {

WriteOrder::WriteOrder(Units& units, OrderedStepClient& client)
    : units_(units),
      client_(client),
      stage_(units.partition->statistics(), units.name + ".dma_write",
             units.config->stages.dma_write, units.config->clock, units.classes(), {Cause::kMemory},
             "Writes of payload"),
      due_(Event::of<&WriteOrder::due>(*this, units.partition->endpoint(units.name + ".dma_write"),
                                       Phase::kAct)),
      room_(units.config->dma.write_bytes) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".dma_write.";
  statistics.add(writes_, {p + "writes", "writes", "Writes of payload given to PCIe"});
  statistics.add(bytes_, {p + "bytes", "bytes", "Bytes of these"});
  statistics.add(level_, {p + "outstanding", "bytes", "Of writes that are not on PCIe's line"});
}

void WriteOrder::push(const OrderedStep& step) {
  steps_.push(step);
  enter();
}

void WriteOrder::written(std::uint32_t bytes) {
  outstanding_ -= bytes;
  level_.set(outstanding_, units_.partition->now());
  enter();
}

void WriteOrder::enter() {
  const Time now = units_.partition->now();
  while (entered_ < steps_.size()) {
    OrderedStep& step = steps_[entered_];
    step.at = std::max(step.at, now);
    if (step.write) {
      if (outstanding_ != 0 && outstanding_ + step.bytes > room_) {
        stage_.block(Cause::kMemory, step.cls, now);
        break;
      }
      outstanding_ += step.bytes;
      level_.set(outstanding_, now);
      step.at = stage_.pass(step.at, step.cls, units_.config->moving(step.bytes));
    }
    last_ = step.at = std::max(step.at, last_);
    ++entered_;
  }
  if (entered_ != 0 && !in_due_ && !due_.pending()) {
    units_.partition->scheduler().schedule(due_, steps_.front().at);
  }
}

void WriteOrder::due() {
  const Time now = units_.partition->now();
  in_due_ = true;
  while (entered_ != 0 && steps_.front().at <= now) {
    const OrderedStep step = steps_.pop();
    --entered_;
    if (step.write) {
      writes_.add();
      bytes_.add(step.bytes);
    }
    client_.carry_out(step);
  }
  in_due_ = false;
  if (entered_ != 0) units_.partition->scheduler().schedule(due_, steps_.front().at);
}

}  // namespace railyard::nic
