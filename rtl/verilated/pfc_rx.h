// rtl/pfc/pfc_rx.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/pfc_rx.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class PfcRxRtl final : public PfcRx {
 public:
  /// `name` with spaces between scopes. Comes up reset.
  PfcRxRtl(VerilatedContext* context, const std::string& name);
  ~PfcRxRtl() override;

  void reset() override;
  PfcRxOut settle(const PfcRxIn& in) override;
  PfcRxOut clock(const PfcRxIn& in) override;
  PfcRxState state() const override;

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard::rtl
