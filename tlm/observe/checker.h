// Invariants. A checker watches a model from outside, computing anew what the model claims, and
// looks once more at the end of a run. What it finds ends the run with exit code 3.
#pragma once

#include <string>

#include "tlm/base/time.h"

namespace railyard {

class Checker {
 public:
  virtual ~Checker() = default;
  /// The run ended at `now`. `drained`: nothing is left to happen, so what was counted in must have
  /// been counted out; otherwise things may be under way.
  virtual void at_end(Time now, bool drained) = 0;
};

/// The message type of a broken invariant's report; its text names place and time.
constexpr const char* kInvariantReport = "/railyard/invariant";

/// Reports through SC_REPORT_ERROR, and throws whatever the report's actions are.
[[noreturn]] void break_invariant(const std::string& where, Time when, const std::string& problem);

}  // namespace railyard
