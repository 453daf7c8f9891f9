// A line on a terminal's standard error while a run goes on.
#pragma once

#include <chrono>

#include "tlm/base/time.h"
#include "tlm/sim/simulation.h"

namespace railyard {

class Progress {
 public:
  /// Silent if `quiet` or if standard error is no terminal.
  Progress(const Simulation& simulation, Time until, bool quiet);
  /// Wipes its line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Called now and then.
  void show();

 private:
  const Simulation& simulation_;
  Time until_;
  bool on_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace railyard
