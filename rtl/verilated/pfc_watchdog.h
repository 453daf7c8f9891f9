// rtl/pfc/pfc_watchdog.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/pfc_watchdog.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class PfcWatchdogRtl final : public PfcWatchdog {
 public:
  /// `name` with spaces between scopes. Comes up reset.
  PfcWatchdogRtl(VerilatedContext* context, const std::string& name);
  ~PfcWatchdogRtl() override;

  void reset() override;
  PfcWatchdogOut settle(const PfcWatchdogIn& in) override;
  PfcWatchdogOut clock(const PfcWatchdogIn& in) override;
  PfcWatchdogState state() const override;

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard::rtl
