#include "hw/pcie/ideal_order.h"

#include <utility>

namespace railyard::pcie {

void IdealOrder::enter(MoveRef write) {
  write->after = first_ + writes_.size();
  writes_.push(std::move(write));
}

// Memory that shows writes as they come gets them, and reads behind them, one by one.
void IdealOrder::access(MoveRef move) {
  const bool in_turn = move->memory->commits_at_once() && !move->relaxed;
  move->later = in_turn && !flushed(*move);
  if (!move->later) {
    start(move);
  } else if (move->is_read()) {
    held_.push(std::move(move));
  }
}

void IdealOrder::start(const MoveRef& move) {
  Ref<MemoryAccess> access = hierarchy_.accesses().acquire();
  access->write = !move->is_read();
  access->address = move->offset;
  access->bytes = move->bytes;
  access->payload = move->payload;
  access->payload_offset = move->payload_offset;
  access->client = this;
  if (access->write) {
    access->ticket = move->after;
  } else {
    if (free_readings_.empty()) {
      free_readings_.push_back(static_cast<std::uint32_t>(reading_.size()));
      reading_.emplace_back();
    }
    access->ticket = free_readings_.back();
    free_readings_.pop_back();
    reading_[access->ticket] = move;
  }
  move->later = false;
  move->access = access;
  move->memory->access(std::move(access));
}

void IdealOrder::memory_done(MemoryAccess& access) {
  if (access.write) {
    finish(*writes_[access.ticket - first_]);
    return;
  }
  MoveRef read = std::move(reading_[access.ticket]);
  free_readings_.push_back(static_cast<std::uint32_t>(access.ticket));
  hold(std::move(read));
}

void IdealOrder::finish(IdealMove& write) {
  write.done = true;
  if (write.relaxed) show(write);
  advance();
}

void IdealOrder::hold(MoveRef read) {
  if (flushed(*read)) {
    answer_(std::move(read));
  } else {
    held_.push(std::move(read));
  }
}

void IdealOrder::show(IdealMove& write) {
  write.visible = true;
  if (write.access && !write.access->failed) write.memory->commit(*write.access);
  show_(write);
}

void IdealOrder::advance() {
  while (!writes_.empty() && writes_.front()->done) {
    const MoveRef write = writes_.front();
    if (!write->visible) show(*write);
    writes_.pop();
    ++first_;
    if (!writes_.empty() && writes_.front()->later) start(writes_.front());
  }
  answer_flushed();
}

// Its data is read again: a write before it may have changed it.
void IdealOrder::answer_flushed() {
  while (!held_.empty() && flushed(*held_.front())) {
    MoveRef read = held_.pop();
    if (read->later) {
      start(read);
      continue;
    }
    if (read->access && !read->access->failed) read->memory->commit(*read->access);
    answer_(std::move(read));
  }
}

}  // namespace railyard::pcie
