// The receiving side of a port.
#include <algorithm>
#include <utility>

#include "hw/pcie/port.h"

namespace railyard::pcie {

void Port::fly(InFlight&& flying) {
  in_flight_.push(std::move(flying));
  if (!arrival_.pending()) scheduler_.schedule(arrival_, in_flight_.front().at);
}

void Port::arrive() {
  InFlight arrived = in_flight_.pop();
  if (!in_flight_.empty()) scheduler_.schedule(arrival_, in_flight_.front().at);
  take(arrived, scheduler_.now());
}

void Port::take(InFlight& arrived, Time now) {
  if (arrived.kind == Arrival::kTlp) {
    arrive_tlp(arrived, now);
    return;
  }
  if (in_ != nullptr) {
    const bool update = arrived.kind == Arrival::kUpdate;
    const Dllp::Kind kind = update                          ? Dllp::Kind::kUpdate
                            : arrived.kind == Arrival::kAck ? Dllp::Kind::kAck
                                                            : Dllp::Kind::kNak;
    in_->arrived(Dllp{kind, arrived.flow_class, update ? 0 : arrived.sequence,
                      update ? arrived.sequence : 0, arrived.data},
                 arrived.good, now);
  }
  if (!arrived.good) {
    corrupted_.add();
    return;
  }
  if (arrived.kind == Arrival::kUpdate) {
    credits_.update(arrived.flow_class, arrived.sequence, arrived.data, now);
    kick();
    return;
  }
  acknowledged(arrived.sequence, now);
  if (arrived.kind == Arrival::kNak) replay(now);
}

void Port::arrive_tlp(InFlight& arrived, Time now) {
  if (in_ != nullptr) in_->arrived(*arrived.tlp, arrived.sequence, arrived.good, now);
  if (!arrived.good) corrupted_.add();
  if (arrived.good && arrived.sequence == expected_) {
    accept(std::move(arrived.tlp), now);
    return;
  }
  if (arrived.good && arrived.sequence < expected_) {
    duplicates_.add();
    ack_due_ = true;
    kick();
    return;
  }
  // Broken, or one before it was: one NAK until the right one comes.
  if (nak_scheduled_ || !up_) return;
  nak_scheduled_ = true;
  nak_due_ = true;
  kick();
}

void Port::accept(TlpRef&& tlp, Time now) {
  ++expected_;
  nak_scheduled_ = false;
  rx_tlps_.add();
  if (!acknowledge_.pending() && !ack_due_) scheduler_.schedule(acknowledge_, now + ack_delay_);
  Buffer& buffer = buffers_[static_cast<std::size_t>(tlp->flow_class())];
  ++buffer.headers_taken;
  buffer.data_taken += tlp->data_credits;
  if (buffer.finite && (buffer.headers_taken > buffer.headers_allocated ||
                        buffer.data_taken > buffer.data_allocated)) {
    break_invariant(name_, now, "a TLP came for which there were no credits");
  }
  tlp->held_at = this;
  tlp->spend(Stage::kLine, now);
  if (in_ != nullptr) in_->accepted(*tlp, now);
  if (config_.receive_stall.probability == 0) {
    client_.received(*this, std::move(tlp));
    return;
  }
  stalled_.push(std::move(tlp));
  serve();
}

void Port::serve() {
  while (stalled_.ready()) client_.received(*this, stalled_.pop());
}

void Port::acknowledge() {
  ack_due_ = true;
  kick();
}

void Port::release(const Tlp& tlp) {
  const FlowClass flow_class = tlp.flow_class();
  const auto i = static_cast<std::size_t>(flow_class);
  const Time now = scheduler_.now();
  Buffer& buffer = buffers_[i];
  if (in_ != nullptr) in_->released(flow_class, tlp.data_credits, now);
  if (!buffer.finite) return;
  ++buffer.headers_allocated;
  buffer.data_allocated += tlp.data_credits;
  const Time at = now + update_delay_;
  if ((update_due_ >> i & 1U) == 0 && update_[i].time() > at) scheduler_.schedule(update_[i], at);
}

void Port::update(FlowClass flow_class) {
  const auto i = static_cast<std::size_t>(flow_class);
  if (peer_->credits_.header_limit(flow_class) == buffers_[i].headers_allocated) return;
  update_due_ |= static_cast<std::uint8_t>(1U << i);
  kick();
}

}  // namespace railyard::pcie
