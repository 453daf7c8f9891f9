// Where a checker's report comes from; the parts of a checker share one.
#pragma once

#include <string>
#include <utility>

#include "tlm/observe/checker.h"

namespace railyard::pcie {

class CheckPlace {
 public:
  explicit CheckPlace(std::string name) : name_(std::move(name)) {}

  void require(bool holds, Time now, const char* what) const {
    if (!holds) fail(now, what);
  }
  [[noreturn]] void fail(Time now, const std::string& what) const {
    break_invariant(name_, now, what);
  }

 private:
  std::string name_;
};

}  // namespace railyard::pcie
