// The Verilated counter behind a wall: no Verilator header in sight.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tlm/base/time.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard {

class CounterRtl {
 public:
  /// `name` with spaces between scopes. Comes up in reset, clock low.
  CounterRtl(VerilatedContext* context, const std::string& name);
  ~CounterRtl();
  CounterRtl(const CounterRtl&) = delete;
  CounterRtl& operator=(const CounterRtl&) = delete;

  void trace(VerilatedFstC& fst);
  void reset(bool active);
  void enable(bool on);
  void break_it(bool on);
  void clock(bool high);
  std::uint32_t count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace railyard
