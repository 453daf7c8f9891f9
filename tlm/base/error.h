// The two ways in which a run is refused or stopped. Bad input is a ConfigError (exit code 2);
// a model that contradicts itself is an InvariantError (exit code 3).
#pragma once

#include <stdexcept>
#include <string>

#include "tlm/base/time.h"

namespace railyard {

/// Input that cannot be accepted. `place` is "file:line:column", a flag, or empty;
/// `remedy` says what to write instead. what() is the one message that a user reads.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const std::string& place, const std::string& problem, const std::string& remedy);

  const std::string& place() const { return place_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string place_;
  std::string problem_;
  std::string remedy_;
};

/// A broken invariant of a model: `where` is the hierarchical name, `when` the simulated time.
class InvariantError : public std::runtime_error {
 public:
  InvariantError(const std::string& where, Time when, const std::string& problem);

  const std::string& where() const { return where_; }
  Time when() const { return when_; }

 private:
  std::string where_;
  Time when_;
};

}  // namespace railyard
