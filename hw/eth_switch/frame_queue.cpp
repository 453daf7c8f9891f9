#include "hw/eth_switch/frame_queue.h"

#include <utility>

namespace railyard {

void FrameQueue::push(HeldFrame&& frame) {
  ++frames_;
  bytes_ += frame.bytes;
  const PortId in = frame.in;
  const bool takes_turns = lists_.size() > 1;
  List& list = lists_[takes_turns ? in : 0];
  const std::uint32_t at = store_->put(std::move(frame));
  if (list.first == FrameStore::kNone) {
    list.first = at;
    if (takes_turns) turns_.push(in);
  } else {
    store_->link(list.last, at);
  }
  list.last = at;
}

void FrameQueue::pass_over(unsigned paused, Time now) {
  std::size_t chosen = 0;
  Time soonest = kForever;
  for (std::size_t i = 0; i < turns_.size() && soonest > now; ++i) {
    const HeldFrame& head = (*store_)[lists_[turns_[i]].first];
    if ((paused >> head.priority & 1U) != 0 || head.ready >= soonest) continue;
    chosen = i;
    soonest = head.ready;
  }
  for (; chosen > 0; --chosen) turns_.push(turns_.pop());
}

HeldFrame FrameQueue::pop() {
  const std::size_t index = turn();
  List& list = lists_[index];
  const std::uint32_t at = list.first;
  list.first = store_->next(at);
  if (lists_.size() > 1) {
    turns_.pop();
    if (list.first != FrameStore::kNone) turns_.push(static_cast<PortId>(index));
  }
  HeldFrame frame = store_->take(at);
  --frames_;
  bytes_ -= frame.bytes;
  return frame;
}

}  // namespace railyard
