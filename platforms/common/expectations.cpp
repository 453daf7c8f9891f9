#include "platforms/common/expectations.h"

#include <algorithm>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

/// "1 to 5", "at least 96", "exactly 0"
std::string bounds(const Expectation& expectation) {
  const auto& [metric, min, max, equals, mark] = expectation;
  std::string text;
  if (min && max) {
    text = format_number(*min) + " to " + format_number(*max);
  } else if (min) {
    text = "at least " + format_number(*min);
  } else if (max) {
    text = "at most " + format_number(*max);
  }
  if (equals) text += (text.empty() ? "exactly " : " and exactly ") + format_number(*equals);
  return text;
}

bool holds(const Expectation& expectation, double value) {
  // Written so that NaN fails each.
  return (!expectation.min || value >= *expectation.min) &&
         (!expectation.max || value <= *expectation.max) &&
         (!expectation.equals || value == *expectation.equals);
}

}  // namespace

void Expectation::declare(Parameters& p) {
  p.add("metric", metric).required().doc("Name of a metric, as in the report");
  p.add("min", min).doc("Least value that is good");
  p.add("max", max).doc("Greatest value that is good");
  p.add("equals", equals).doc("The one value that is good");
  p.where(mark);
  p.check([this](const Bound& bound) {
    if (!min && !max && !equals) {
      bound.fail("metric", "sets no bound on " + railyard::quoted(metric),
                 "add min, max or equals");
    }
    if (min && max && *max < *min) {
      bound.fail("max", format_number(*max) + " is below min, " + format_number(*min),
                 "write min <= max");
    }
    if (equals && !((!min || *equals >= *min) && (!max || *equals <= *max))) {
      bound.fail("equals", format_number(*equals) + " is outside min and max",
                 "write equals alone");
    }
  });
}

void check_names(const std::vector<Expectation>& expectations,
                 const std::vector<std::string>& metrics) {
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Expectation& expectation = expectations[i];
    if (std::find(metrics.begin(), metrics.end(), expectation.metric) != metrics.end()) continue;
    const std::string suggestion = suggest(expectation.metric, metrics);
    throw ConfigError(
        expectation.mark.place(),
        "expect[" + std::to_string(i) + "].metric: no metric " + quoted(expectation.metric),
        suggestion.empty() ? "a run's report lists the metrics" : suggestion);
  }
}

std::vector<ExpectationResult> evaluate(
    const std::vector<Expectation>& expectations,
    const std::function<std::optional<double>(const std::string&)>& lookup) {
  std::vector<ExpectationResult> results;
  for (const Expectation& expectation : expectations) {
    const std::optional<double> value = lookup(expectation.metric);
    results.push_back({value && holds(expectation, *value),
                       expectation.metric +
                           (value ? " = " + format_number(*value) : std::string(" has no value")) +
                           ", expected " + bounds(expectation)});
  }
  return results;
}

}  // namespace railyard
