// Writes of one function, or of the cores to one function, in the order in which they came,
// wherever they lead: each is seen by all when it has arrived and all before it are, but for
// relaxed ones. Reads begin at once and are answered when all writes that came before them are
// seen.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hw/pcie/hierarchy.h"
#include "hw/pcie/ideal_move.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class IdealOrder : public MemoryClient {
 public:
  /// `show` does what a write does, `answer` takes a read whose data is there.
  IdealOrder(Hierarchy& hierarchy, std::function<void(IdealMove&)> show,
             std::function<void(MoveRef)> answer)
      : hierarchy_(hierarchy), show_(std::move(show)), answer_(std::move(answer)) {}

  /// A write has its place from now on. It is not done yet.
  void enter(MoveRef write);
  /// A read that came behind the writes until now.
  void enter_read(IdealMove& read) const { read.after = first_ + writes_.size(); }

  /// A write or a read has arrived at the memory that it is for.
  void access(MoveRef move);
  /// A write has arrived, where no memory is.
  void finish(IdealMove& write);
  /// A read that needs no memory is to be answered in its turn.
  void hold(MoveRef read);

  void memory_done(MemoryAccess& access) override;

 private:
  bool flushed(const IdealMove& read) const { return first_ >= read.after; }
  void start(const MoveRef& move);
  void show(IdealMove& write);
  void advance();
  void answer_flushed();

  Hierarchy& hierarchy_;
  std::function<void(IdealMove&)> show_;
  std::function<void(MoveRef)> answer_;
  Ring<MoveRef> writes_;     // that not all see
  std::uint64_t first_ = 0;  // serial of the front
  Ring<MoveRef> held_;
  std::vector<MoveRef> reading_;  // reads that the memory has
  std::vector<std::uint32_t> free_readings_;
};

}  // namespace railyard::pcie
