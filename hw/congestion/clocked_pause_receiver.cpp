#include "hw/congestion/clocked_pause_receiver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace railyard {

namespace {

/// Cycles of 512 bit times, in the block's fixed point.
double quantum_of(const Rate& rate, Time clock) {
  constexpr double kPicosecondsASecond = 1e12;
  const double bits = 8.0 * PauseTimers::kBytesAQuantum;
  const double cycles =
      bits * kPicosecondsASecond / rate.bits_per_second() / static_cast<double>(clock);
  return std::round(cycles * (1U << rtl::PfcRx::kQuantumFracBits));
}

}  // namespace

bool ClockedPauseReceiver::counts(const Rate& rate, Time clock) {
  return quantum_of(rate, clock) <= static_cast<double>(rtl::PfcRx::kQuantumMask);
}

ClockedPauseReceiver::ClockedPauseReceiver(Partition& partition, const std::string& name, Rate rate,
                                           std::uint64_t response_quanta, Time clock,
                                           Blocks& blocks, PauseListener& listener)
    : PauseReceiver(partition, name, rate, response_quanta, false, listener),
      name_(name + ".pfc_rx"),
      blocks_(blocks),
      block_(blocks.pfc_rx(name_)),
      clock_(partition, name_, clock, blocks.free_running(), *this) {
  if (!counts(rate, clock)) {
    throw std::logic_error(name_ + ": the clock is too fast for the rate");
  }
  in_.quantum = static_cast<std::uint32_t>(quantum_of(rate, clock));
}

void ClockedPauseReceiver::take(const net::Frame& frame) {
  Waiting w;
  const net::MacControl& control = frame.mac_control;
  w.enable = frame.is_pause() ? 0xFF : static_cast<std::uint8_t>(control.enable_vector);
  for (unsigned p = 0; p < kPriorities; ++p) {
    w.quanta[p] = control.quanta[frame.is_pause() ? 0 : p];
  }
  const std::uint64_t effect = clock_.cycle_at(partition().now() + response_delay());
  w.cycle = std::max(effect, clock_.next_cycle() + rtl::PfcRx::kLatency) - rtl::PfcRx::kLatency;
  clock_.request_at(w.cycle);
  if (waiting_.empty() || waiting_.back().cycle != w.cycle) {
    waiting_.push(w);
    return;
  }
  // The block takes a frame a cycle; of two the later one's words stand.
  Waiting& last = waiting_.back();
  for (unsigned left = w.enable; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(__builtin_ctz(left));
    last.quanta[p] = w.quanta[p];
  }
  last.enable |= w.enable;
}

void ClockedPauseReceiver::drop_all() {
  while (!waiting_.empty()) waiting_.pop();
  forgotten_ = true;
  clock_.request();
}

bool ClockedPauseReceiver::edge(std::uint64_t cycle) {
  in_.now = cycle & rtl::kTimeMask;
  in_.frame_valid = !waiting_.empty() && waiting_.front().cycle == cycle;
  if (in_.frame_valid) {
    const Waiting w = waiting_.pop();
    in_.enable = w.enable;
    in_.quanta = w.quanta;
  }
  in_.clear = forgotten_;
  forgotten_ = false;
  const std::uint8_t before = out_.paused;
  out_ = blocks_.clock(*block_, BlockKind::kPfcRx, name_, in_, partition().now());
  if (out_.wake_valid) clock_.request_wake(out_.wake, cycle);
  if (!waiting_.empty()) clock_.request_at(waiting_.front().cycle);
  return out_.paused != before;
}

}  // namespace railyard
