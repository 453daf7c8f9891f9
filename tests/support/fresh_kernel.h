// A SystemC kernel of its own for a second simulation in one process.
#pragma once

#include <memory>

#include <systemc>

namespace railyard::support {

/// The kernel's context is new while this lives; modules made in it must go first.
class FreshKernel {
 public:
  FreshKernel() : before_(sc_core::sc_curr_simcontext) {
    sc_core::sc_curr_simcontext = mine_.get();
    sc_core::sc_default_global_context = mine_.get();
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  }
  ~FreshKernel() {
    mine_.reset();
    sc_core::sc_curr_simcontext = before_;
    sc_core::sc_default_global_context = before_;
  }
  FreshKernel(const FreshKernel&) = delete;
  FreshKernel& operator=(const FreshKernel&) = delete;

 private:
  sc_core::sc_simcontext* before_;
  std::unique_ptr<sc_core::sc_simcontext> mine_ = std::make_unique<sc_core::sc_simcontext>();
};

}  // namespace railyard::support
