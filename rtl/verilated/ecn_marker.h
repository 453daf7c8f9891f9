// rtl/ecn/ecn_marker.sv, Verilated, behind the interface that it shares with its twin.
#pragma once

#include <memory>
#include <string>

#include "rtl/model/ecn_marker.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard::rtl {

class EcnMarkerRtl final : public EcnMarker {
 public:
  /// `name` with spaces between scopes. Comes up reset.
  EcnMarkerRtl(VerilatedContext* context, const std::string& name);
  ~EcnMarkerRtl() override;

  void reset() override;
  EcnMarkerOut settle(const EcnMarkerIn& in) override;
  EcnMarkerOut clock(const EcnMarkerIn& in) override;
  EcnMarkerState state() const override;

  /// Before the trace's first dump.
  void trace(VerilatedFstC& fst);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard::rtl
