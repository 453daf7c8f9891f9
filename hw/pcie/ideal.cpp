#include "hw/pcie/ideal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

IdealPcie::IdealPcie(sc_core::sc_module_name name, Hierarchy& hierarchy, const IdealConfig& config,
                     InterruptSink& interrupts, std::vector<Window> windows)
    : sc_module(name),
      hierarchy_(hierarchy),
      scheduler_(hierarchy.scheduler()),
      interrupts_(interrupts),
      windows_(std::move(windows)),
      refused_(hierarchy, std::string(this->name()) + ".refused", 2 * config.latency,
               [this](Answer answer) { this->answer(answer); }) {
  StatisticsRegistry& statistics = hierarchy.partition().statistics();
  const std::string p = std::string(this->name()) + ".";
  statistics.add(interrupts_taken_, {p + "interrupts", "interrupts", "Interrupts that arrived"});
  statistics.add(cpu_writes_, {p + "cpu_writes", "writes", "Cores' writes to functions"});
  statistics.add(cpu_reads_, {p + "cpu_reads", "reads", "Cores' reads from functions"});
}

DeviceId IdealPcie::add(IdealFunction& function) {
  functions_.push_back(&function);
  hierarchy_.add_function(function);
  return DeviceId::of(static_cast<unsigned>(functions_.size()), 0);
}

void IdealPcie::place(IdealFunction& function, unsigned bar) {
  const auto number = static_cast<int>(function.id().bus() - 1);
  const ConfigSpace::Bar placed = function.config_space().bar(bar);
  bars_.add(function.function_name() + " BAR " + std::to_string(bar), placed.base, placed.size,
            number * static_cast<int>(config::kBars) + static_cast<int>(bar));
}

bool IdealPcie::route(IdealMove& move) const {
  const int target = bars_.find(move.address, std::max(move.bytes, 1U));
  if (target == AddressRoute::kNone) return false;
  const auto place = static_cast<unsigned>(target);
  move.to = functions_[place / config::kBars];
  move.bar = place % config::kBars;
  move.offset = move.address - move.to->config_space_.bar(move.bar).base;
  move.memory = move.to->behind_[move.bar];
  return true;
}

bool IdealPcie::is_device(std::uint64_t address) const {
  return bars_.find(address) != AddressRoute::kNone ||
         std::any_of(windows_.begin(), windows_.end(), [address](const Window& window) {
           return address - window.base < window.bytes;
         });
}

MoveRef IdealPcie::core_move(MoveKind kind, std::uint64_t address, std::uint32_t bytes) {
  MoveRef move = moves_.acquire();
  move->kind = kind;
  move->last = true;
  move->address = address;
  move->bytes = bytes;
  move->payload = hierarchy_.payloads().acquire();
  move->payload->resize(std::max<std::size_t>(bytes, sizeof(std::uint64_t)));
  return move;
}

bool IdealPcie::cpu_write(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) {
  const LazyScheduler::Visit visit(scheduler_);
  cpu_writes_.add();
  MoveRef move = core_move(MoveKind::kCoreWrite, address, bytes);
  if (!route(*move)) {
    hierarchy_.report(name(), "unsupported request: a core's write of " + std::to_string(bytes) +
                                  " B at " + format_hex(address) + " (nobody) was lost");
    return true;
  }
  std::memcpy(move->payload->data(), data, bytes);
  move->transfer = hierarchy_.tlps().acquire();
  move->transfer->address = address;
  move->transfer->bytes = move->transfer->bytes_left = bytes;
  hierarchy_.write_starts(*move->transfer);
  IdealFunction& to = *move->to;
  to.down_.push(std::move(move), bytes, scheduler_.now());
  return true;
}

void IdealPcie::cpu_read(std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) {
  const LazyScheduler::Visit visit(scheduler_);
  cpu_reads_.add();
  MoveRef move = core_move(MoveKind::kCoreRead, address, bytes);
  move->ticket = ticket;
  if (!route(*move)) {
    hierarchy_.report(name(), "unsupported request: a core's read of " + std::to_string(bytes) +
                                  " B at " + format_hex(address) + " (nobody)");
    refuse(ticket);
    return;
  }
  scheduler_.attend();
  IdealFunction& to = *move->to;
  to.down_.push(std::move(move), 0, scheduler_.now());
}

void IdealPcie::config_read(DeviceId /*id*/, unsigned /*register_offset*/, std::uint64_t ticket) {
  const LazyScheduler::Visit visit(scheduler_);
  refuse(ticket);
}

void IdealPcie::config_write(DeviceId /*id*/, unsigned /*register_offset*/, std::uint32_t /*value*/,
                             std::uint64_t ticket) {
  const LazyScheduler::Visit visit(scheduler_);
  refuse(ticket);
}

void IdealPcie::refuse(std::uint64_t ticket) {
  scheduler_.attend();
  refused_.push({ticket, Status::kUnsupportedRequest, ~std::uint64_t{0}});
}

void IdealPcie::answer(const Answer& answer) {
  scheduler_.relax();
  scheduler_.on_time(name());
  if (listener_ != nullptr) listener_->cpu_read_done(answer.ticket, answer.status, answer.value);
}

void IdealPcie::show(IdealMove& move) {
  if (move.kind == MoveKind::kInterrupt) {
    interrupts_taken_.add();
    scheduler_.relax();
    scheduler_.on_time(name());
    interrupts_.interrupt(static_cast<std::uint32_t>(move.ticket));
    return;
  }
  if (move.kind == MoveKind::kCoreRead) {
    std::uint64_t value = ~std::uint64_t{0};
    if (move.status == Status::kSuccess) {
      value = 0;
      std::memcpy(&value, move.data(), std::min<std::size_t>(move.bytes, sizeof value));
    }
    answer({move.ticket, move.status, value});
    return;
  }
  if (move.memory == nullptr) {
    move.to->write_registers(move);
  } else if (move.access->failed) {
    hierarchy_.report(name(), "the memory refused a write of " + std::to_string(move.bytes) +
                                  " B at " + format_hex(move.address));
  }
  move.transfer->bytes_left -= move.bytes;
  if (move.transfer->bytes_left == 0) hierarchy_.write_ends(*move.transfer);
}

}  // namespace railyard::pcie
