// A Verilated block behind the interface that it shares with its twin; no Verilator header in
// sight.
#pragma once

#include <memory>
#include <utility>

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

/// The wall: what a wrapper's .cpp makes of a Verilated class (wrapped.h). `BlockT` is the
/// interface.
template <class BlockT>
class VerilatedClass : public BlockT {
 public:
  virtual void trace(VerilatedFstC& fst) = 0;
};

/// Comes up reset.
template <class BlockT>
class VerilatedBlock : public BlockT {
 public:
  using typename BlockT::In;
  using typename BlockT::Out;
  using typename BlockT::State;

  void reset() final { verilated_->reset(); }
  Out settle(const In& in) final { return verilated_->settle(in); }
  Out clock(const In& in) final { return verilated_->clock(in); }
  State state() const final { return verilated_->state(); }

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst) { verilated_->trace(fst); }

 protected:
  explicit VerilatedBlock(std::unique_ptr<VerilatedClass<BlockT>> verilated)
      : verilated_(std::move(verilated)) {}
  const VerilatedClass<BlockT>& verilated() const { return *verilated_; }

 private:
  std::unique_ptr<VerilatedClass<BlockT>> verilated_;
};

/// One with contexts in memory.
template <class BlockT>
class VerilatedContextBlock : public VerilatedBlock<BlockT> {
 public:
  unsigned contexts() const final { return this->verilated().contexts(); }
  typename BlockT::Context context(unsigned index) const final {
    return this->verilated().context(index);
  }

 protected:
  using VerilatedBlock<BlockT>::VerilatedBlock;
};

}  // namespace railyard::rtl
