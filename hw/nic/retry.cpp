#include "hw/nic/retry.h"

#include <algorithm>
#include <array>

namespace railyard::nic {

Time ack_timeout(std::uint8_t exponent) {
  constexpr Time kUnit = 4096 * kNanosecond;
  return exponent == 0 ? kForever : kUnit << (exponent & 31U);
}

Time rnr_delay(std::uint8_t code) {
  // In units of 10 us.
  static constexpr std::array<std::int32_t, 32> kDelays = {
      65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
      48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
      2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return kDelays[code & 31U] * (10 * kMicrosecond);
}

SlotTimers::SlotTimers(Partition& partition, const std::string& name, std::uint32_t slots,
                       SlotTimerClient& client)
    : partition_(partition),
      client_(client),
      event_(Event::of<&SlotTimers::fire>(*this, partition.endpoint(name), Phase::kTimer)),
      timers_(slots) {}

void SlotTimers::arm(std::uint32_t slot, Time at) {
  Timer& timer = timers_[slot];
  if (timer.due == kForever) ++armed_;
  if (at == kForever) --armed_;
  timer.due = at;
  if (at < timer.look) push(slot, at);
  plan();
}

void SlotTimers::push(std::uint32_t slot, Time look) {
  timers_[slot].look = look;
  heap_.push_back({look, slot});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void SlotTimers::plan() {
  Scheduler& scheduler = partition_.scheduler();
  if (armed_ == 0) {
    scheduler.cancel(event_);
    return;
  }
  // Entries that nobody waits for any more: their timers are off, or were armed for earlier.
  const Time now = partition_.now();
  const Time due = std::max(now, heap_.front().look);
  if (event_.time() != due) scheduler.schedule(event_, due);
}

void SlotTimers::fire() {
  const Time now = partition_.now();
  while (!heap_.empty() && heap_.front().look <= now) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    Timer& timer = timers_[entry.slot];
    if (timer.look != entry.look) continue;
    timer.look = kForever;
    if (timer.due == kForever) continue;
    if (timer.due > now) {
      push(entry.slot, timer.due);
      continue;
    }
    disarm(entry.slot);
    client_.timer_ran_out(entry.slot);
  }
  if (armed_ != 0) plan();
}

}  // namespace railyard::nic
