#include "hw/eth_switch/frame_queue.h"

#include <utility>

namespace railyard {

void FrameQueue::push(HeldFrame&& frame) {
  ++frames_;
  bytes_ += frame.bytes;
  const PortId in = frame.in;
  List& list = ingresses_ ? ingresses_->lists[in] : fifo_;
  const std::uint32_t at = store_->put(std::move(frame));
  if (list.first == FrameStore::kNone) {
    list.first = at;
    if (ingresses_) ingresses_->turns.push(in);
  } else {
    store_->link(list.last, at);
  }
  list.last = at;
}

void FrameQueue::Ingresses::pass_over(const FrameStore& store, unsigned paused, Time now) {
  std::size_t chosen = 0;
  Time soonest = kForever;
  for (std::size_t i = 0; i < turns.size() && soonest > now; ++i) {
    const HeldFrame& head = store[lists[turns[i]].first];
    if ((paused >> head.priority & 1U) != 0 || head.ready >= soonest) continue;
    chosen = i;
    soonest = head.ready;
  }
  for (; chosen > 0; --chosen) turns.push(turns.pop());
}

HeldFrame FrameQueue::pop() {
  List& list = first_list();
  const std::uint32_t at = list.first;
  list.first = store_->next(at);
  if (ingresses_) {
    const PortId in = ingresses_->turns.pop();
    if (list.first != FrameStore::kNone) ingresses_->turns.push(in);
  }
  HeldFrame frame = store_->take(at);
  --frames_;
  bytes_ -= frame.bytes;
  return frame;
}

}  // namespace railyard
