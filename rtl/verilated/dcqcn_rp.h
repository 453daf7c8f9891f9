// rtl/dcqcn/dcqcn_rp.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/dcqcn_rp.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class DcqcnRpRtl final : public DcqcnRp {
 public:
  /// `name` with spaces between scopes; `qps` is a size class: 16, 256 or 4,096. Comes up reset.
  DcqcnRpRtl(VerilatedContext* context, const std::string& name, unsigned qps);
  ~DcqcnRpRtl() override;

  void reset() override;
  DcqcnRpOut settle(const DcqcnRpIn& in) override;
  DcqcnRpOut clock(const DcqcnRpIn& in) override;
  DcqcnRpState state() const override;
  DcqcnContext context(std::uint32_t qp) const override;

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst);

  /// One size class.
  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard::rtl
