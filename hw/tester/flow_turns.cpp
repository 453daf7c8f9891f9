#include "hw/tester/flow_turns.h"

#include <algorithm>

namespace railyard {

namespace {

constexpr std::uint8_t bit(unsigned priority) { return static_cast<std::uint8_t>(1U << priority); }

}  // namespace

std::uint32_t FlowTurns::add(std::uint32_t index, std::uint8_t priority, Time start,
                             const std::optional<Rate>& rate) {
  const auto number = static_cast<std::uint32_t>(flows_.size());
  Flow& flow = flows_.emplace_back();
  flow.index = index;
  flow.priority = priority;
  flow.last_start = start;
  flow.paced = rate.has_value();
  if (rate) flow.clock = ByteClock(*rate);
  flow.clock.start(start);
  heap_.reserve(flows_.capacity());
  wait_until(number, start);
  return number;
}

void FlowTurns::sent(std::uint32_t number, std::uint32_t line_bytes, Time now) {
  Flow& flow = flows_[number];
  const Line& line = lines_[flow.priority];
  if (!flow.paced) {
    if (line.last == number) {
      flow.turn = turns_++;  // alone in its line
      return;
    }
    leave_line(number);
    make_ready(number);
    return;
  }
  if (flow.anew || line.released > flow.clock.now()) flow.clock.start(now);
  flow.anew = false;
  Time start = flow.clock.now();
  Time due = flow.clock.advance(line_bytes);
  if (now - start > kMostBehind * (due - start)) {
    flow.clock.start(now);
    start = now;
    due = flow.clock.advance(line_bytes);
  }
  flow.last_start = start;
  flow.last_bytes = line_bytes;
  leave_line(number);
  if (due <= now) {
    make_ready(number);
  } else {
    wait_until(number, due);
  }
}

void FlowTurns::postpone(std::uint32_t number, Time until) {
  leave_line(number);
  wait_until(number, until);
}

void FlowTurns::expedite(std::uint32_t number, Time now) {
  const Flow& flow = flows_[number];
  if (!flow.waiting || !flow.begun) return;
  const Time due = flow.paced ? std::max(flow.clock.now(), now) : now;
  if (heap_[flow.slot].due <= due) return;
  heap_[flow.slot].due = due;
  sift_up(flow.slot);
}

void FlowTurns::finish(std::uint32_t number) {
  leave_line(number);
  const unsigned priority = flows_[number].priority;
  if (--lines_[priority].unfinished == 0) {
    unfinished_ = static_cast<std::uint8_t>(unfinished_ & ~bit(priority));
  }
}

void FlowTurns::set_rate(std::uint32_t number, const std::optional<Rate>& rate, Time now) {
  Flow& flow = flows_[number];
  flow.paced = rate.has_value();
  if (rate) flow.clock = ByteClock(*rate);
  if (!flow.waiting) {
    flow.anew = true;
    return;
  }
  flow.clock.start(flow.last_start);
  const Time due = rate ? flow.clock.advance(flow.last_bytes) : flow.last_start;
  if (due < now) flow.clock.start(now);
  heap_[flow.slot].due = std::max(due, now);
  sift_up(flow.slot);
  sift_down(flow.slot);
}

void FlowTurns::release(std::uint8_t priorities, Time now) {
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((priorities & bit(p)) != 0) lines_[p].released = now;
  }
}

void FlowTurns::wake_first() {
  const std::uint32_t number = heap_.front().flow;
  const Waiting last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) {
    put(0, last);
    sift_down(0);
  }
  Flow& flow = flows_[number];
  if (!flow.begun) {
    flow.begun = true;
    ++lines_[flow.priority].unfinished;
    unfinished_ = static_cast<std::uint8_t>(unfinished_ | bit(flow.priority));
  }
  make_ready(number);
}

void FlowTurns::make_ready(std::uint32_t number) {
  Flow& flow = flows_[number];
  Line& line = lines_[flow.priority];
  flow.waiting = false;
  flow.turn = turns_++;
  flow.next = kNone;
  if (line.first == kNone) {
    line.first = number;
    ready_ = static_cast<std::uint8_t>(ready_ | bit(flow.priority));
  } else {
    flows_[line.last].next = number;
  }
  line.last = number;
}

// The first of its line.
void FlowTurns::leave_line(std::uint32_t number) {
  const Flow& flow = flows_[number];
  Line& line = lines_[flow.priority];
  line.first = flow.next;
  if (line.first != kNone) return;
  line.last = kNone;
  ready_ = static_cast<std::uint8_t>(ready_ & ~bit(flow.priority));
}

void FlowTurns::wait_until(std::uint32_t number, Time due) {
  flows_[number].waiting = true;
  heap_.push_back({due, flows_[number].index, number});
  const auto slot = static_cast<std::uint32_t>(heap_.size() - 1);
  flows_[number].slot = slot;
  sift_up(slot);
}

void FlowTurns::sift_up(std::uint32_t slot) {
  const Waiting waiting = heap_[slot];
  while (slot != 0 && waiting.before(heap_[(slot - 1) / 2])) {
    put(slot, heap_[(slot - 1) / 2]);
    slot = (slot - 1) / 2;
  }
  put(slot, waiting);
}

void FlowTurns::sift_down(std::uint32_t slot) {
  const Waiting waiting = heap_[slot];
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (std::uint32_t child = 2 * slot + 1; child < size; child = 2 * slot + 1) {
    if (child + 1 < size && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(waiting)) break;
    put(slot, heap_[child]);
    slot = child;
  }
  put(slot, waiting);
}

}  // namespace railyard
