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

void FrameQueue::pass_over(unsigned paused) {
  for (std::size_t left = turns_.size(); left > 1; --left) {
    if ((paused >> front().priority & 1U) == 0) return;
    turns_.push(turns_.pop());
  }
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
