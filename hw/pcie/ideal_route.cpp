// What happens to what a function sends and is sent: at the root, and at a function that is asked.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "hw/pcie/ideal.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

void IdealFunction::at_root(MoveRef move) {
  if (move->kind == MoveKind::kCoreRead) {
    // An answer, behind what this function wrote before.
    order_.enter(move);
    order_.finish(*move);
  } else if (move->answered) {
    const std::uint32_t bytes = move->status == Status::kSuccess ? move->bytes : 0;
    const Time first = move->first + config_.latency;
    IdealFunction& asker = *move->from;
    asker.down_.push(std::move(move), bytes, first);
  } else {
    request_at_root(std::move(move));
  }
}

void IdealFunction::request_at_root(MoveRef move) {
  if (move->kind == MoveKind::kInterrupt) {
    order_.enter(move);
    order_.finish(*move);
    return;
  }
  const bool read = move->is_read();
  if (pcie_.route(*move)) {
    if (read) {
      order_.enter_read(*move);
    } else {
      order_.enter(move);
    }
    const Time first = read ? scheduler_.now() : move->first + config_.latency;
    IdealFunction& to = *move->to;
    const std::uint32_t bytes = read ? 0 : move->bytes;
    to.down_.push(std::move(move), bytes, first);
  } else if (host_memory_.covers(move->address, move->bytes)) {
    move->memory = &host_memory_;
    move->offset = move->address;
    if (read) {
      order_.enter_read(*move);
    } else {
      order_.enter(move);
    }
    order_.access(std::move(move));
  } else if (read) {
    move->status = Status::kUnsupportedRequest;
    move->answered = true;
    replies_.push(std::move(move));
  } else {
    hierarchy_.report(name(), "unsupported request: a write of " + std::to_string(move->bytes) +
                                  " B at " + format_hex(move->address) + " (" +
                                  hierarchy_.who(move->address) + ") was lost");
    move->transfer->bytes_left -= move->bytes;
    if (move->transfer->bytes_left == 0) hierarchy_.write_ends(*move->transfer);
  }
}

void IdealFunction::came_down(MoveRef move) {
  if (move->answered) {
    Read& read = reads_[move->read];
    if (--read.coming == 0 && read.all_asked) calls_.push(scheduler_.now() + config_.latency);
  }
  falling_.push(std::move(move));
}

void IdealFunction::at_function(MoveRef move) {
  if (move->answered) {
    complete(*move);
    return;
  }
  IdealOrder& order = move->from != nullptr ? move->from->order_ : cores_;
  if (move->kind == MoveKind::kCoreWrite) order.enter(move);
  if (move->kind == MoveKind::kCoreRead) order.enter_read(*move);
  if (move->memory != nullptr) {
    order.access(std::move(move));
  } else if (move->is_read()) {
    register_reads_.push(std::move(move));
  } else {
    order.finish(*move);
  }
}

void IdealFunction::answer(MoveRef move) {
  move->answered = true;
  if (move->access && move->access->failed) move->status = Status::kCompleterAbort;
  if (move->to == nullptr) {
    replies_.push(std::move(move));
    return;
  }
  IdealFunction& to = *move->to;
  if (move->memory == nullptr) to.read_registers(*move);
  const std::uint32_t bytes = move->status == Status::kSuccess ? move->bytes : 0;
  to.up_.push(std::move(move), bytes, scheduler_.now());
}

void IdealFunction::read_registers(IdealMove& move) {
  if (move.bytes == 0) return;
  std::array<std::uint8_t, sizeof(std::uint64_t)> data{};
  if (move.bytes > data.size()) {
    hierarchy_.report(name(), "completer abort: a read of " + std::to_string(move.bytes) +
                                  " B came to registers that are read by 8 B at most");
    move.status = Status::kCompleterAbort;
    return;
  }
  if (registers_ != nullptr) {
    scheduler_.on_time(name());
    move.status = registers_->register_read(move.bar, move.offset, data.data(), move.bytes);
  }
  if (move.payload) {
    std::memcpy(move.payload->data() + move.payload_offset, data.data(), move.bytes);
  }
  if (move.kind == MoveKind::kCoreRead && move.status != Status::kSuccess) {
    hierarchy_.report(name(), std::string(move.status == Status::kTimeout ? "completion timeout"
                                                                          : "completer abort") +
                                  " for a core's read of " + std::to_string(move.bytes) + " B at " +
                                  format_hex(move.address));
  }
}

void IdealFunction::write_registers(const IdealMove& move) {
  if (move.data() == nullptr) {
    hierarchy_.report(name(),
                      "a write without data came to a register at " + format_hex(move.address));
    return;
  }
  if (registers_ == nullptr) return;
  constexpr std::uint8_t kAll = 0xFF;
  scheduler_.on_time(name());
  registers_->register_write(move.bar, move.offset, move.data(), move.bytes, kAll);
}

}  // namespace railyard::pcie
