#include "tlm/base/error.h"

#include "tlm/base/format.h"

namespace railyard {

namespace {

std::string sentence(const std::string& place, const std::string& problem,
                     const std::string& remedy) {
  std::string text = place.empty() ? problem : place + ": " + problem;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

}  // namespace

ConfigError::ConfigError(const std::string& place, const std::string& problem,
                         const std::string& remedy)
    : std::runtime_error(sentence(place, problem, remedy)),
      place_(place),
      problem_(problem),
      remedy_(remedy) {}

InvariantError::InvariantError(const std::string& where, Time when, const std::string& problem)
    : std::runtime_error(where + " at " + format_time(when) + ": " + problem),
      where_(where),
      when_(when) {}

}  // namespace railyard
