#include "hw/host/core.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tlm/base/format.h"
#include "tlm/observe/checker.h"

namespace railyard::host {

namespace {

std::array<std::uint8_t, 8> little_endian(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
  return bytes;
}

const char* text_of(pcie::Status status) {
  switch (status) {
    case pcie::Status::kUnsupportedRequest:
      return "unsupported request";
    case pcie::Status::kConfigRetry:
      return "configuration request retry";
    case pcie::Status::kCompleterAbort:
      return "completer abort";
    case pcie::Status::kTimeout:
      return "completion timeout";
    default:
      return "success";
  }
}

}  // namespace

HostCore::HostCore(sc_core::sc_module_name name, const CoreConfig& config,
                   const CoreSurroundings& surroundings, unsigned node)
    : sc_module(name),
      partition_(surroundings.memory.lazy().partition()),
      config_(config),
      around_(surroundings),
      memory_(surroundings.memory),
      node_(node),
      wake_(Event::of<&HostCore::wake>(*this, partition_.endpoint(this->name() + ".wake"),
                                       Phase::kAct)),
      deadline_(Event::of<&HostCore::wake>(*this, partition_.endpoint(this->name() + ".deadline"),
                                           Phase::kAct)),
      context_{this, nullptr, {}},
      context_attribute_(*this, context_),
      combining_(config.combining_buffers),
      thread_(
          "program", [this] { run(); }, [this] { call(); }, config.stack_bytes) {
  if (node >= memory_.config().nodes) {
    throw std::out_of_range(this->name() + " is at a NUMA node that the memory does not have");
  }
  partition_.waits().add_source([this](std::vector<Wait>& waits) { append_wait(waits); });
  add_metrics();
}

void HostCore::add_metrics() {
  StatisticsRegistry& statistics = partition_.statistics();
  const auto ns = static_cast<double>(kNanosecond);
  statistics.add(looks_, {name() + ".looks", "looks",
                          "Looks at polled memory, but those that would see nothing new"});
  statistics.add(device_writes_, {name() + ".device_writes", "writes", "Posted writes to devices"});
  statistics.add(room_wait_, {name() + ".room_wait", "ps", "Time without room for posted writes"});
  statistics.add(device_reads_,
                 {name() + ".device_read", "ns", "From a read of a device to its answer"}, ns);
  statistics.add(
      interrupt_wait_,
      {name() + ".interrupt", "ns", "From an interrupt's arrival to the program that takes it"},
      ns);
}

void HostCore::set_program(std::function<void(Core&)> program) {
  if (sc_core::sc_is_running()) throw std::logic_error(name() + " gets a program within a run");
  program_ = std::move(program);
}

void HostCore::set_background() {
  background_ = true;
  deadline_.set_background();
}

void HostCore::start_of_simulation() {
  if (program_ && !background_) partition_.open_work();
}

void HostCore::call() {
  if (program_) wake_at(now());
}

void HostCore::run() {
  program_(*this);
  drain();
  finished_ = true;
  if (!background_) partition_.close_work();
}

void HostCore::sleep_until(Time at) {
  if (at <= now()) return;
  wake_at(at);
  sleep();
}

void HostCore::sleep_for(Waiting what, std::uint64_t detail) {
  waiting_ = what;
  waiting_detail_ = detail;
  waiting_since_ = now();
  sleep();
  waiting_ = Waiting::kNothing;
}

void HostCore::append_wait(std::vector<Wait>& waits) const {
  const auto add = [&](const std::string& holder, const std::string& what) {
    waits.push_back({{name(), holder, what}, waiting_since_});
  };
  switch (waiting_) {
    case Waiting::kAnswer:
      return add(around_.port.name(), "the answer to a read of " + format_hex(waiting_detail_));
    case Waiting::kRoom:
      return add(around_.port.name(), "room for a posted write to " + format_hex(waiting_detail_));
    case Waiting::kChange:
      return add(memory_.name(), "what it polls at " + format_hex(waiting_detail_) + " to change");
    case Waiting::kInterrupt:
      return add(around_.interrupts.name(), "interrupt " + std::to_string(waiting_detail_));
    default:
      return;
  }
}

void HostCore::check_word(const char* what, Address address, unsigned bytes) const {
  if (bytes >= 1 && bytes <= 8 && address % 8 + bytes <= 8) return;
  break_invariant(name(), now(),
                  std::string(what) + " of " + std::to_string(bytes) + " B at " +
                      format_hex(address) + " is not of 1 to 8 B within 8");
}

void HostCore::log_answer(Address address, unsigned bytes) {
  around_.errors.add(now(), name(),
                     "a load of " + std::to_string(bytes) + " B at " + format_hex(address) + ": " +
                         text_of(answer_status_));
}

void HostCore::log_nobody(const char* what, Address address, std::size_t bytes) {
  around_.errors.add(now(), name(),
                     std::string(what) + " of " + std::to_string(bytes) + " B at " +
                         format_hex(address) + ": nobody is there");
}

void HostCore::spend(Time time) {
  if (time < 0) break_invariant(name(), now(), "a time below zero is spent");
  sleep_until(now() + time);
}

std::uint64_t HostCore::peek(Address address, unsigned bytes) const {
  std::array<std::uint8_t, 8> data{};
  memory_.read(address, data.data(), bytes);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{data[i]} << (8 * i);
  return value;
}

std::uint64_t HostCore::load(Address address, unsigned bytes) {
  check_word("a load", address, bytes);
  drain();
  if (memory_.covers(address, bytes)) {
    Time done = 0;
    {
      const LazyScheduler::Visit visit(memory_.lazy());
      done = memory_.reserve(node_, line_of(address), kLineBytes, false);
    }
    sleep_until(done);
    const LazyScheduler::Visit visit(memory_.lazy());
    return peek(address, bytes);
  }
  if (around_.map.config_register(address)) return config_load(address, bytes);
  if (around_.port.is_device(address)) {
    around_.port.read(*this, address, bytes);
    return wait_for_answer(address, bytes, true);
  }
  spend(memory_.config().latency);
  log_nobody("a load", address, bytes);
  return word_mask(bytes);
}

void HostCore::store(Address address, std::uint64_t value, unsigned bytes) {
  check_word("a store", address, bytes);
  const std::array<std::uint8_t, 8> data = little_endian(value);
  if (memory_.covers(address, bytes)) {
    spend(config_.cache_load);
    const LazyScheduler::Visit visit(memory_.lazy());
    memory_.write(address, data.data(), bytes);
    return;
  }
  drain();
  if (around_.map.config_register(address)) {
    config_store(address, value, bytes);
  } else if (around_.port.is_device(address)) {
    post(address, data.data(), bytes);
  } else {
    spend(memory_.config().latency);
    log_nobody("a store", address, bytes);
  }
}

// The line is in the core's cache: it was fetched at this very time.
bool HostCore::just_polled(Address address, std::size_t bytes) const {
  return found_at_ == now() && line_of(address) == found_line_ &&
         line_of(address + bytes - 1) == found_line_;
}

// A copy is bound by what the core can do, or by the memory.
void HostCore::pay_copy(Time from_memory, std::size_t bytes) {
  sleep_until(std::max(from_memory, now() + config_.copy_rate.time_of(bytes)));
}

void HostCore::read(Address address, std::uint8_t* to, std::size_t bytes) {
  if (bytes == 0) return;
  if (!memory_.covers(address, bytes)) {
    spend(memory_.config().latency);
    log_nobody("a copy", address, bytes);
    std::fill(to, to + bytes, std::uint8_t{0xFF});
    return;
  }
  Time done = now() + config_.cache_load;
  if (!just_polled(address, bytes)) {
    const LazyScheduler::Visit visit(memory_.lazy());
    done = memory_.reserve(node_, address, bytes, false);
  }
  pay_copy(done, bytes);
  const LazyScheduler::Visit visit(memory_.lazy());
  memory_.read(address, to, bytes);
}

void HostCore::write(Address address, const std::uint8_t* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (!memory_.covers(address, bytes)) {
    spend(memory_.config().latency);
    log_nobody("a copy", address, bytes);
    return;
  }
  pay_copy(now() + config_.cache_load, bytes);
  const LazyScheduler::Visit visit(memory_.lazy());
  memory_.write(address, from, bytes);
}

}  // namespace railyard::host
