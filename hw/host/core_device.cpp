// What a core does with devices: registers, configuration space, write combining, interrupts, and
// the memory that it polls for them.
#include <algorithm>

#include "hw/host/core.h"
#include "tlm/observe/checker.h"

namespace railyard::host {

void HostCore::port_answer(pcie::Status status, std::uint64_t value) {
  answer_status_ = status;
  answer_ = value;
  wake_at(now());
}

void HostCore::port_room() { wake_at(now()); }

std::uint64_t HostCore::wait_for_answer(Address address, unsigned bytes, bool log) {
  const Time asked = now();
  sleep_for(Waiting::kAnswer, address);
  device_reads_.record(static_cast<std::uint64_t>(now() - asked));
  if (log && answer_status_ != pcie::Status::kSuccess) log_answer(address, bytes);
  return answer_ & word_mask(bytes);
}

// The dwords that the bytes lie in, one after another. A function that is not there is no error:
// that is how the host finds those that are.
std::uint64_t HostCore::config_load(Address address, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned got = 0; got < bytes;) {
    const Address at = address + got;
    const auto within = static_cast<unsigned>(at & 3U);
    const unsigned some = std::min(4 - within, bytes - got);
    const AddressMap::ConfigRegister where = *around_.map.config_register(at);
    around_.port.config_read(*this, where.id, where.offset & ~3U);
    const std::uint64_t dword = wait_for_answer(at, 4, false);
    value |= (dword >> (8 * within) & word_mask(some)) << (8 * got);
    got += some;
  }
  return value;
}

void HostCore::config_store(Address address, std::uint64_t value, unsigned bytes) {
  if (address % 4 != 0 || bytes % 4 != 0) {
    break_invariant(name(), now(), "configuration space is stored to in whole dwords");
  }
  for (unsigned sent = 0; sent < bytes; sent += 4) {
    const AddressMap::ConfigRegister where = *around_.map.config_register(address + sent);
    around_.port.config_write(*this, where.id, where.offset,
                              static_cast<std::uint32_t>(value >> (8 * sent)));
    (void)wait_for_answer(address + sent, 4, false);
  }
}

void HostCore::post(Address address, const std::uint8_t* data, std::uint32_t bytes) {
  spend(config_.mmio_store);
  const Time ready = now();
  while (!around_.port.write(*this, address, data, bytes)) sleep_for(Waiting::kRoom, address);
  room_wait_.add(static_cast<std::uint64_t>(now() - ready));
  device_writes_.add();
}

void HostCore::send(const CombiningLine& line) {
  for_each_run(line, [this](Address address, const std::uint8_t* data, unsigned bytes) {
    post(address, data, bytes);
  });
}

void HostCore::drain() {
  while (!combining_.empty()) send(combining_.take_oldest());
}

void HostCore::store_combining(Address address, const std::uint8_t* from, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t some = std::min<std::size_t>(bytes, kLineBytes - address % kLineBytes);
    if (memory_.covers(address, some)) {
      write(address, from, some);
    } else if (around_.port.is_device(address)) {
      combine(address, from, some);
    } else {
      spend(config_.cache_load);
      log_nobody("a store", address, some);
    }
    address += some;
    from += some;
    bytes -= some;
  }
}

void HostCore::combine(Address address, const std::uint8_t* from, std::size_t bytes) {
  spend(config_.cache_load);
  if (combining_.needs_eviction(address)) send(combining_.take_oldest());
  if (combining_.put(address, from, bytes)) send(combining_.take(address));
}

void HostCore::fence() {
  drain();
  spend(config_.fence);
}

std::uint64_t HostCore::poll(Address address, unsigned bytes,
                             const std::function<bool(std::uint64_t)>& done) {
  std::uint64_t value = 0;
  (void)spin(address, bytes, done, kForever, value);
  return value;
}

bool HostCore::poll_until(Address address, unsigned bytes,
                          const std::function<bool(std::uint64_t)>& done, Time deadline,
                          std::uint64_t& value) {
  return spin(address, bytes, done, deadline, value);
}

Time HostCore::next_look(Time earliest) const {
  const Time interval = config_.poll_interval;
  return grid_start_ + (earliest - grid_start_ + interval - 1) / interval * interval;
}

// The look that is due sees this write too.
void HostCore::memory_written() {
  if (look_at_ != kForever) return;
  look_at_ = next_look(now() + config_.invalidate);
  wake_at(look_at_);
}

bool HostCore::spin(Address address, unsigned bytes, const std::function<bool(std::uint64_t)>& done,
                    Time deadline, std::uint64_t& value) {
  check_word("a poll", address, bytes);
  if (!memory_.covers(address, bytes)) break_invariant(name(), now(), "only memory is polled");
  grid_start_ = now();
  look_deadline_ = deadline;
  Time first = 0;
  {
    const LazyScheduler::Visit visit(memory_.lazy());
    first = memory_.reserve(node_, line_of(address), kLineBytes, false);
  }
  sleep_until(first);
  std::optional<Watch> watch;
  for (;;) {
    {
      const LazyScheduler::Visit visit(memory_.lazy());
      looks_.add();
      value = peek(address, bytes);
      if (done(value)) {
        found_line_ = line_of(address);
        found_at_ = now();
        return true;
      }
      look_at_ = kForever;
      if (!watch) watch.emplace(*this, address, bytes);
    }
    if (!sleep_for_look(address)) return false;
  }
}

// True at a look, false at the deadline if it comes first.
bool HostCore::sleep_for_look(Address address) {
  Scheduler& scheduler = partition_.scheduler();
  if (look_deadline_ > now()) {
    if (look_deadline_ != kForever) scheduler.schedule(deadline_, look_deadline_);
    sleep_for(Waiting::kChange, address);
  }
  // Who came second, if it was both at once or not yet due.
  scheduler.cancel(deadline_);
  scheduler.cancel(wake_);
  return look_at_ <= now();
}

void HostCore::interrupt_raised() {
  if (waiting_ != Waiting::kInterrupt) return;
  const Time raised = around_.interrupts.raised(static_cast<std::uint32_t>(waiting_detail_));
  if (raised != kForever) wake_at(raised + config_.interrupt_latency);
}

void HostCore::wait_interrupt(unsigned vector) {
  InterruptController& interrupts = around_.interrupts;
  if (interrupts.target(vector) == nullptr) take_interrupt(vector);
  if (interrupts.target(vector) != this) {
    break_invariant(name(), now(),
                    "interrupt " + std::to_string(vector) + " belongs to another core");
  }
  if (interrupts.raised(vector) == kForever) sleep_for(Waiting::kInterrupt, vector);
  const Time raised = interrupts.raised(vector);
  sleep_until(raised + config_.interrupt_latency);
  interrupts.take(vector);
  interrupt_wait_.record(static_cast<std::uint64_t>(now() - raised));
}

}  // namespace railyard::host
