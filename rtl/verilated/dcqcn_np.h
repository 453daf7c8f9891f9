// rtl/dcqcn/dcqcn_np.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/dcqcn_np.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class DcqcnNpRtl : public DcqcnNp {
 public:
  /// `name` with spaces between scopes; size class 16, 256 or 4,096. Comes up reset.
  DcqcnNpRtl(VerilatedContext* context, const std::string& name, unsigned contexts = 16);
  ~DcqcnNpRtl() override;

  void reset() override;
  DcqcnNpOut settle(const DcqcnNpIn& in) override;
  DcqcnNpOut clock(const DcqcnNpIn& in) override;
  DcqcnNpState state() const override;
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
