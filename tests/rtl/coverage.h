// Lines of the RTL that a lockstep runs, if it is built to count them.
#pragma once

class VerilatedContext;

namespace railyard::test {

#ifdef RAILYARD_RTL_COVERAGE
/// Adds a file to the folder that RAILYARD_COVERAGE_DIR names.
void write_coverage(VerilatedContext* context);
#else
inline void write_coverage(VerilatedContext*) {}
#endif

}  // namespace railyard::test
