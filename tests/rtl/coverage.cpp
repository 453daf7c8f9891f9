#include "tests/rtl/coverage.h"

#include <verilated.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <string>

namespace railyard::test {

void write_coverage(VerilatedContext* context) {
  static unsigned written = 0;
  const char* folder = std::getenv("RAILYARD_COVERAGE_DIR");
  if (folder == nullptr) return;
  const std::string file = std::string(folder) + "/" + std::to_string(written++) + ".dat";
  context->coveragep()->write(file.c_str());
}

}  // namespace railyard::test
