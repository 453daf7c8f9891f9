// The bounds that a configuration sets on its own metrics:
//
//   expect:
//     - {metric: sw0.dropped_frames, max: 0}
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tlm/config/parameters.h"

namespace railyard {

/// A bound on one metric. At least one of the numbers is given; min <= max.
struct Expectation {
  std::string metric;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> equals;
  Mark mark;

  void declare(Parameters& p);
};

struct ExpectationResult {
  bool met = false;
  std::string text;  // "total.goodput_gbps = 91.2, expected at least 96"
};

/// Throws ConfigError at the first expectation on a metric that the run does not have. For use
/// before the run.
void check_names(const std::vector<Expectation>& expectations,
                 const std::vector<std::string>& metrics);

/// One result an expectation, in their order. A metric without a value, and NaN, meet none.
std::vector<ExpectationResult> evaluate(
    const std::vector<Expectation>& expectations,
    const std::function<std::optional<double>(const std::string&)>& lookup);

}  // namespace railyard
