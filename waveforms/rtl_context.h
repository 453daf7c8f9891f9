// The one VerilatedContext of a simulation, for code that must not see verilated.h (which does not
// go with <systemc>).
#pragma once

#include <memory>

#include "tlm/base/time.h"

class VerilatedContext;

namespace railyard {

/// Make it before the first Verilated model and destroy it after the last. A failed assertion or
/// $fatal of a model throws InvariantError out of its eval(): the assertion's hierarchical name,
/// the time set here, and "file:line: text".
class RtlContext {
 public:
  RtlContext();
  ~RtlContext();
  RtlContext(const RtlContext&) = delete;
  RtlContext& operator=(const RtlContext&) = delete;

  /// What a model is constructed with: Vx(context.get(), "sw0 port8 pfc"); spaces become scopes.
  VerilatedContext* get() { return context_.get(); }

  /// The time that models and their messages see ($time), in picoseconds.
  void set_time(Time now);
  Time time() const;

  /// Verilator keeps a current context per thread, and a model must be evaluated and destroyed
  /// under its own. The constructor calls this; call it again if two contexts are alive.
  void make_current();

 private:
  std::unique_ptr<VerilatedContext> context_;
};

}  // namespace railyard
