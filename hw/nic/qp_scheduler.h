// Whose turn it is to send: deficit round robin among traffic classes by their weights, round robin
// among the priorities that share a class, and among the queue pairs of a priority. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace railyard::nic {

class QpScheduler {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr unsigned kPriorities = 8;

  /// A class gets `weight * quantum` bytes a round.
  QpScheduler(const std::vector<std::uint32_t>& weights, std::uint32_t quantum,
              std::uint32_t slots);

  /// The queue pair in `slot` has something to send; it is not in the scheduler. `front`: its turn
  /// was begun and could not be used.
  void add(std::uint32_t slot, unsigned cls, std::uint8_t priority, bool front = false);
  /// It is taken out if it is in.
  void remove(std::uint32_t slot);
  /// Takes out whose turn it is; kNone: no one may send. What the turn sends is then charged.
  std::uint32_t next();
  void charge(unsigned cls, std::uint32_t bytes) { classes_[cls].deficit -= bytes; }

  /// There is no room for packets of the priority, or there is again. A class's turn that was
  /// interrupted so goes on then.
  void set_blocked(std::uint8_t priority, bool blocked);
  bool blocked(std::uint8_t priority) const { return (blocked_ >> priority & 1U) != 0; }
  /// next() would find one.
  bool runnable() const;
  /// The class of one that is ready, be its priority blocked or not; kNone: there is none.
  unsigned ready_class() const;

 private:
  struct Node {
    std::uint32_t next = kNone;
    std::uint32_t previous = kNone;
    std::uint8_t cls = 0;
    std::uint8_t priority = 0;
    bool in = false;
  };
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Class {
    std::array<List, kPriorities> lists;
    std::uint8_t ready = 0;  // bit n: list n is not empty
    std::uint8_t turn = 0;   // priority that was served last
    std::int64_t share = 0;  // bytes a round
    std::int64_t deficit = 0;
  };

  std::uint32_t serve(Class& c);
  bool may_send(const Class& c) const { return (c.ready & ~blocked_) != 0; }

  std::vector<Node> nodes_;
  std::vector<Class> classes_;
  static constexpr std::size_t kNoClass = ~std::size_t{0};
  std::size_t turn_ = 0;
  std::size_t interrupted_ = kNoClass;  // its turn goes on when it has room
  std::uint8_t blocked_ = 0;
};

}  // namespace railyard::nic
