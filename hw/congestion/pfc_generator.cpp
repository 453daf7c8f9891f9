#include "hw/congestion/pfc_generator.h"

#include <algorithm>
#include <array>

#include "hw/congestion/pause_timers.h"
#include "tlm/observe/checker.h"

namespace railyard {

PfcGenerator::PfcGenerator(Partition& partition, const std::string& name, Rate rate,
                           const Config& config, Blocks& blocks, const PfcLevelSource& levels,
                           PfcTransmitter& transmitter)
    : partition_(partition),
      name_(name + ".pfc_gen"),
      blocks_(blocks),
      levels_(levels),
      transmitter_(transmitter),
      config_(config),
      block_(blocks.pfc_gen(name_)),
      clock_(partition, name_, config.clock, blocks.free_running(), *this) {
  const Time pause = rate.time_of(PauseTimers::kBytesAQuantum * config.quanta);
  in_.refresh = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(pause / 2 / config.clock));
  in_.enable = config.priorities;
}

bool PfcGenerator::edge(std::uint64_t cycle) {
  in_.now = cycle & rtl::kTimeMask;
  for (unsigned left = in_.enable; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    sample(p, levels_.pfc_levels(p));
  }
  // A line that is free takes the frame in the cycle in which it hears of it.
  const bool told_now = announce_at_ == cycle;
  if (told_now) {
    announce_at_ = kNever;
    taken_ = transmitter_.reserve_line();
    announced_ = !taken_;
    if (taken_) reserved_ = out_;
  }
  in_.tx_ready = taken_;
  in_.clear = forgotten_;
  const bool was_due = out_.tx_valid && !taken_ && !forgotten_;
  taken_ = forgotten_ = false;
  const Time now = partition_.now();
  out_ = blocks_.clock(*block_, BlockKind::kPfcGen, name_, in_, now);
  if (out_.wake_valid) clock_.request_wake(out_.wake, cycle);
  if (out_.tx_xoff != levels_.pfc_wanted()) {
    break_invariant(name_, now,
                    "pauses priorities " + std::to_string(out_.tx_xoff) + ", the buffer " +
                        std::to_string(levels_.pfc_wanted()) + " (bit n: priority n)");
  }
  if (out_.tx_valid != was_due) change_due(out_.tx_valid, cycle);
  if (announce_at_ != kNever) clock_.request_at(announce_at_);
  return due() && (told_now || config_.latency == 0);
}

// A frame has become due or is no longer.
void PfcGenerator::change_due(bool due, std::uint64_t cycle) {
  announced_ = due && config_.latency == 0;
  announce_at_ = due && config_.latency != 0 ? cycle + config_.latency : kNever;
}

// A group may cross a threshold and come back, between two edges, to where the block would keep its
// state. Its buffer has acted on the crossing, so the block is shown the threshold that was
// crossed.
void PfcGenerator::sample(unsigned priority, const PfcLevels& levels) {
  in_.depth[priority] = levels.depth;
  in_.xoff_th[priority] = levels.xoff;
  in_.xon_th[priority] = levels.xon;
  const bool is = (out_.tx_xoff >> priority & 1U) != 0;
  const bool wanted = (levels_.pfc_wanted() >> priority & 1U) != 0;
  if (wanted && !is && levels.depth <= levels.xoff) in_.xoff_th[priority] = levels.xon;
  if (!wanted && is && levels.depth > levels.xon) in_.xon_th[priority] = levels.xoff;
}

PfcGenerator::Sent PfcGenerator::form(net::Frame& frame, const net::MacAddress& source) {
  rtl::PfcGenOut said = out_;
  if (reserved_) {
    said = *reserved_;
    reserved_.reset();
  } else {
    taken_ = true;
    announced_ = false;
    clock_.request();
  }
  Sent sent;
  sent.xoff = said.tx_xoff;
  sent.xon = static_cast<std::uint8_t>(said.tx_enable & ~said.tx_xoff);
  sent.refresh = said.tx_refresh;
  std::array<std::uint16_t, rtl::kPriorities> quanta{};
  for (unsigned p = 0; p < quanta.size(); ++p) {
    if ((sent.xoff >> p & 1U) != 0) quanta[p] = config_.quanta;
  }
  frame = net::pfc_frame(source, said.tx_enable, quanta);
  return sent;
}

void PfcGenerator::forget() {
  reserved_.reset();
  forgotten_ = true;
  announced_ = false;
  announce_at_ = kNever;
  clock_.request();
}

}  // namespace railyard
