// rtl/pacer/pacer.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/pacer.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class PacerRtl : public Pacer {
 public:
  /// `name` with spaces between scopes; size class 16, 256 or 4,096. Comes up reset.
  PacerRtl(VerilatedContext* context, const std::string& name, unsigned contexts = 16);
  ~PacerRtl() override;

  void reset() override;
  PacerOut settle(const PacerIn& in) override;
  PacerOut clock(const PacerIn& in) override;
  PacerState state() const override;
  unsigned contexts() const override { return contexts_; }
  std::uint64_t context(unsigned index) const override;

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst);

 private:
  class Size;
  template <class Top>
  class Of;

  unsigned contexts_;
  std::unique_ptr<Size> size_;
};

}  // namespace railyard::rtl
