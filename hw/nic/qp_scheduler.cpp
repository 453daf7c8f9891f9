#include "hw/nic/qp_scheduler.h"

#include <algorithm>

namespace railyard::nic {

QpScheduler::QpScheduler(const std::vector<std::uint32_t>& weights, std::uint32_t quantum,
                         std::uint32_t slots)
    : nodes_(slots), classes_(weights.size()) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    classes_[i].share = std::int64_t{weights[i]} * quantum;
  }
}

void QpScheduler::add(std::uint32_t slot, unsigned cls, std::uint8_t priority, bool front) {
  Node& node = nodes_[slot];
  node.cls = static_cast<std::uint8_t>(cls);
  node.priority = priority;
  node.in = true;
  Class& c = classes_[cls];
  List& list = c.lists[priority];
  node.next = front ? list.first : kNone;
  node.previous = front ? kNone : list.last;
  (node.next == kNone ? list.last : nodes_[node.next].previous) = slot;
  (node.previous == kNone ? list.first : nodes_[node.previous].next) = slot;
  c.ready = static_cast<std::uint8_t>(c.ready | 1U << priority);
}

void QpScheduler::remove(std::uint32_t slot) {
  Node& node = nodes_[slot];
  if (!node.in) return;
  node.in = false;
  Class& c = classes_[node.cls];
  List& list = c.lists[node.priority];
  (node.next == kNone ? list.last : nodes_[node.next].previous) = node.previous;
  (node.previous == kNone ? list.first : nodes_[node.previous].next) = node.next;
  if (list.first == kNone) c.ready = static_cast<std::uint8_t>(c.ready & ~(1U << node.priority));
}

// A class's turn lasts while it has a deficit left; what a turn sends beyond it is taken from the
// next round. A class that has nothing to send saves nothing up.
std::uint32_t QpScheduler::next() {
  if (!runnable()) return kNone;
  while (true) {
    Class& c = classes_[turn_];
    if (may_send(c) && c.deficit > 0) return serve(c);
    if (c.ready == 0) {
      c.deficit = std::min<std::int64_t>(c.deficit, 0);
    } else if (c.deficit > 0 && interrupted_ == kNoClass) {
      interrupted_ = turn_;
    }
    turn_ = turn_ + 1 == classes_.size() ? 0 : turn_ + 1;
    Class& after = classes_[turn_];
    if (may_send(after) && after.deficit <= 0) after.deficit += after.share;
  }
}

std::uint32_t QpScheduler::serve(Class& c) {
  const unsigned ready = c.ready & ~static_cast<unsigned>(blocked_);
  unsigned priority = c.turn;
  do {
    priority = (priority + 1) % kPriorities;
  } while ((ready >> priority & 1U) == 0);
  c.turn = static_cast<std::uint8_t>(priority);
  const std::uint32_t slot = c.lists[priority].first;
  remove(slot);
  return slot;
}

void QpScheduler::set_blocked(std::uint8_t priority, bool blocked) {
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  blocked_ = static_cast<std::uint8_t>(blocked ? blocked_ | bit : blocked_ & ~bit);
  if (interrupted_ == kNoClass || !may_send(classes_[interrupted_])) return;
  turn_ = interrupted_;
  interrupted_ = kNoClass;
}

bool QpScheduler::runnable() const {
  return std::any_of(classes_.begin(), classes_.end(),
                     [this](const Class& c) { return may_send(c); });
}

unsigned QpScheduler::ready_class() const {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].ready != 0) return static_cast<unsigned>(i);
  }
  return kNone;
}

}  // namespace railyard::nic
