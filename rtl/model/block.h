// What every block is, whoever computes it: its twin in C++ or the Verilated RTL.
#pragma once

#include <cstdint>

namespace railyard::rtl {

/// A block between its inputs and outputs; `StateT` are its architectural registers.
template <class InT, class OutT, class StateT>
class ClockedBlock {
 public:
  using In = InT;
  using Out = OutT;
  using State = StateT;

  virtual ~ClockedBlock() = default;
  /// Memories may keep what they hold.
  virtual void reset() = 0;
  /// Outputs before a clock edge with these inputs.
  virtual Out settle(const In& in) = 0;
  /// The edge; outputs after it, the inputs standing.
  virtual Out clock(const In& in) = 0;
  virtual State state() const = 0;
};

/// A block with a context a QP, or whatever its owner counts, in memory.
template <class InT, class OutT, class StateT, class ContextT>
class ContextBlock : public ClockedBlock<InT, OutT, StateT> {
 public:
  using Context = ContextT;

  /// The size class: 16, 256 or 4,096.
  virtual unsigned contexts() const = 0;
  virtual Context context(unsigned index) const = 0;
};

}  // namespace railyard::rtl
