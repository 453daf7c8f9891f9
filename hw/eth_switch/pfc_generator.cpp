#include "hw/eth_switch/pfc_generator.h"

#include "hw/congestion/pause_timers.h"

namespace railyard {

PfcGenerator::PfcGenerator(Partition& partition, const std::string& name, Rate rate,
                           const Timing& timing, PfcTransmitter& transmitter)
    : partition_(partition),
      transmitter_(transmitter),
      timing_(timing),
      refresh_after_(rate.time_of(PauseTimers::kBytesAQuantum * timing.quanta) / 2),
      decide_(Event::of<&PfcGenerator::decide>(*this, partition.endpoint(name + ".pfc_decide"),
                                               Phase::kTimer)),
      refresh_(Event::of<&PfcGenerator::refresh>(*this, partition.endpoint(name + ".pfc_refresh"),
                                                 Phase::kTimer)) {}

void PfcGenerator::want(unsigned priority, bool xoff) {
  const std::uint8_t bit = static_cast<std::uint8_t>(1U << priority);
  wanted_ = static_cast<std::uint8_t>(xoff ? wanted_ | bit : wanted_ & ~bit);
  const Time edge = (partition_.now() + timing_.clock - 1) / timing_.clock * timing_.clock;
  const Time due = edge + timing_.clock * static_cast<Time>(timing_.latency);
  if (!decisions_.empty() && decisions_.back().due == due) {
    decisions_.back().wanted = wanted_;
    return;
  }
  decisions_.push({due, wanted_});
  if (decisions_.size() == 1) partition_.scheduler().schedule(decide_, due);
}

void PfcGenerator::decide() {
  decided_ = decisions_.pop().wanted;
  if (!decisions_.empty()) partition_.scheduler().schedule(decide_, decisions_.front().due);
  if (due()) transmitter_.pfc_due();
}

void PfcGenerator::refresh() {
  refresh_due_ = true;
  transmitter_.pfc_due();
}

PfcGenerator::Sent PfcGenerator::form(net::Frame& frame, const net::MacAddress& source) {
  Sent sent;
  sent.xoff = decided_;
  sent.xon = static_cast<std::uint8_t>(told_ & ~decided_);
  sent.refresh = decided_ == told_;
  std::array<std::uint16_t, 8> quanta{};
  for (unsigned p = 0; p < quanta.size(); ++p) {
    if ((sent.xoff >> p & 1U) != 0) quanta[p] = timing_.quanta;
  }
  frame = net::pfc_frame(source, static_cast<std::uint8_t>(sent.xoff | sent.xon), quanta);
  told_ = decided_;
  refresh_due_ = false;
  if (told_ != 0) {
    partition_.scheduler().schedule_in(refresh_, refresh_after_);
  } else {
    partition_.scheduler().cancel(refresh_);
  }
  return sent;
}

void PfcGenerator::forget() {
  told_ = 0;
  refresh_due_ = false;
  partition_.scheduler().cancel(refresh_);
}

}  // namespace railyard
