// What is measured, and what it may cost.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/measure.h"

namespace railyard::bench {

/// At most `factor` times the time of another case.
struct Relative {
  std::string to;
  double factor = 1;
};

struct Case {
  std::string name;
  std::string unit;  // of an operation
  std::string doc;
  std::optional<double> bar;  // at most so many raw kernel events of time, or so many bytes
  std::optional<Relative> relative;
  std::function<Sample()> run;
};

/// The yardstick: an SC_METHOD that notifies itself.
Sample raw_kernel_event();

std::vector<Case> all_cases();

}  // namespace railyard::bench
