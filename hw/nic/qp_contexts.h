// The cache of QP contexts, and the stage `context` before it.
//
// Modelled: lines of 256 bytes in host memory, least recently used out, written back (a context is
// changed by every use, so all are dirty); reads under way bounded, later ones wait in order; what
// misses waits before the stage, and enters it when its context has come. Not modelled: parts of a
// context of their own (send and receive side).
//
// The bytes of a context are its slot and zeros: what is read must be what was written.
#pragma once

#include <vector>

#include "hw/nic/blocked_classes.h"
#include "hw/nic/context_store.h"
#include "hw/nic/line_cache.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"
#include "tlm/sim/event.h"

namespace railyard::nic {

class QpContexts : public ContextStore, private LineUser {
 public:
  explicit QpContexts(Units& units);
  ~QpContexts() override;

  /// Where contexts live: kContextBytes * limits.qps from `address` on. Until then all are at hand.
  void set_memory(std::uint64_t address);
  /// The context in `slot` is made, and is in the cache; or goes, unwritten.
  void create(std::uint32_t slot);
  void destroy(std::uint32_t slot);

  Time want(std::uint32_t slot, Time at, unsigned cls, ContextClient& client,
            std::uint64_t ticket) override;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  /// Who waits for a context. Those of a slot are a ring, which the slot's last leads.
  struct Waiter {
    ContextClient* client = nullptr;
    std::uint64_t ticket = 0;
    Time at = 0;  // until it has its turn: when it comes; then when it leaves the stage
    std::uint32_t slot = 0;
    std::uint32_t next = kNone;
    std::uint8_t cls = 0;
    bool has_turn = false;
  };
  struct Slot {
    std::uint32_t last = kNone;  // waiter
    bool exists = false;
    bool asked = false;    // its waiters have come to the stage
    bool garbled = false;  // what was read last is not what was written
  };

  void line_filled(LineCache& cache, std::uint32_t tag, std::uint32_t line,
                   const std::uint8_t* bytes) override;
  void line_evicted(LineCache& cache, std::uint32_t tag) override;
  void line_ready(LineCache& cache, std::uint32_t waiter, bool good) override;

  void write_back(std::uint32_t slot);
  std::uint32_t add_waiter(const Waiter& waiter);
  void ask();
  void give_turn(std::uint32_t waiter);
  void deliver();

  Units& units_;
  Stage stage_;
  LineCache cache_;
  bool has_memory_ = false;
  std::vector<Slot> slots_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiters_ = kNone;
  BlockedClasses blocked_{Cause::kContextMiss};  // waiters that have come, without their turn
  Ring<std::uint32_t> to_ask_;                   // first waiters of slots that come later than now
  Ring<std::uint32_t> leaving_;                  // waiters on their way through the stage
  Counter write_backs_;
  Event ask_;
  Event deliver_;
};

}  // namespace railyard::nic
