// rtl/pfc/pfc_gen.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/pfc_gen.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class PfcGenRtl final : public PfcGen {
 public:
  /// `name` with spaces between scopes. Comes up reset.
  PfcGenRtl(VerilatedContext* context, const std::string& name);
  ~PfcGenRtl() override;

  void reset() override;
  PfcGenOut settle(const PfcGenIn& in) override;
  PfcGenOut clock(const PfcGenIn& in) override;
  PfcGenState state() const override;

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard::rtl
