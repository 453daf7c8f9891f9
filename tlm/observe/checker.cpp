#include "tlm/observe/checker.h"

#include <systemc>

#include "tlm/base/error.h"

namespace railyard {

void break_invariant(const std::string& where, Time when, const std::string& problem) {
  const InvariantError error(where, when, problem);
  SC_REPORT_ERROR(kInvariantReport, error.what());
  throw error;  // the report's actions did not throw
}

}  // namespace railyard
