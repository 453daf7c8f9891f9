// The frames of one traffic class of an egress port. Frames lie in a store that all queues of a
// switch share, so that 4,000 queues take no more than what is in them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/eth_switch/load_balance.h"
#include "hw/eth_switch/switch_config.h"
#include "tlm/base/ring.h"
#include "tlm/net/packet.h"

namespace railyard {

/// A frame that a switch holds.
struct HeldFrame {
  Ref<net::Packet> packet;
  Time ready = 0;  // through the pipeline: may leave from then on
  std::uint32_t cells = 0;
  std::uint32_t bytes = 0;  // the packet's, here because a queue looks at its head often
  PortId in = 0;
  std::uint8_t priority = 0;
  std::uint8_t traffic_class = 0;
  bool cut_through = false;  // may leave before its last bit is there
  bool marked = false;       // to leave with CE
};

/// Singly linked lists of held frames in one vector.
class FrameStore {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t put(HeldFrame&& frame) {
    if (free_ == kNone) {
      nodes_.push_back({std::move(frame), kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t at = free_;
    free_ = nodes_[at].next;
    nodes_[at] = {std::move(frame), kNone};
    return at;
  }
  HeldFrame take(std::uint32_t at) {
    HeldFrame frame = std::move(nodes_[at].frame);
    nodes_[at].next = free_;
    free_ = at;
    return frame;
  }
  HeldFrame& operator[](std::uint32_t at) { return nodes_[at].frame; }
  const HeldFrame& operator[](std::uint32_t at) const { return nodes_[at].frame; }
  std::uint32_t next(std::uint32_t at) const { return nodes_[at].next; }
  void link(std::uint32_t at, std::uint32_t next) { nodes_[at].next = next; }

 private:
  struct Node {
    HeldFrame frame;
    std::uint32_t next;
  };
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
};

class FrameQueue {
 public:
  FrameQueue() = default;
  /// `ports` is the switch's number of ports.
  FrameQueue(FrameStore& store, Arbitration arbitration, std::size_t ports) : store_(&store) {
    if (arbitration == Arbitration::kFifo) return;
    ingresses_ = std::make_unique<Ingresses>();
    ingresses_->lists.resize(ports);
  }

  bool empty() const { return frames_ == 0; }
  std::uint32_t frames() const { return frames_; }
  /// Bytes from destination address to FCS of all frames.
  std::uint64_t bytes() const { return bytes_; }

  void push(HeldFrame&& frame);
  /// The frame that is first; there must be one.
  HeldFrame& front() { return (*store_)[first_list().first]; }
  HeldFrame pop();
  /// Per ingress: the turn goes to the next port whose first frame may leave now: it is of none of
  /// the priorities `paused`, and through the pipeline. If there is none, to the one that may
  /// soonest.
  void pass_over(unsigned paused, Time now) {
    if (ingresses_) ingresses_->pass_over(*store_, paused, now);
  }
  /// The first frame will be sent soon: has its packet brought near.
  void prefetch() {
    if (frames_ == 0) return;
    constexpr std::size_t kLine = 64;
    const char* const packet = reinterpret_cast<const char*>(front().packet.get());
    for (std::size_t i = 0; i < 3; ++i) __builtin_prefetch(packet + i * kLine, 1);
  }

  /// Calls `visit(const HeldFrame&)` for each frame.
  template <class Visit>
  void for_each(Visit visit) const {
    if (!ingresses_) return visit_list(fifo_, visit);
    for (const List& list : ingresses_->lists) visit_list(list, visit);
  }

 private:
  struct List {
    std::uint32_t first = FrameStore::kNone;
    std::uint32_t last = FrameStore::kNone;
  };
  /// A list an ingress port, and the ports that have frames, in order of their turns.
  struct Ingresses {
    std::vector<List> lists;
    Ring<PortId> turns;

    void pass_over(const FrameStore& store, unsigned paused, Time now);
  };

  List& first_list() { return ingresses_ ? ingresses_->lists[ingresses_->turns.front()] : fifo_; }
  template <class Visit>
  void visit_list(const List& list, Visit& visit) const {
    for (std::uint32_t at = list.first; at != FrameStore::kNone; at = store_->next(at)) {
      visit((*store_)[at]);
    }
  }

  FrameStore* store_ = nullptr;
  List fifo_;
  std::uint64_t bytes_ = 0;
  std::uint32_t frames_ = 0;
  std::unique_ptr<Ingresses> ingresses_;
};

}  // namespace railyard
