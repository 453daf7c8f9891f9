// What Verilator's runtime calls instead of printf, exit and abort.
#pragma once

namespace railyard {

/// Prints like printf, to stderr, but keeps an assertion's message for the stop that follows it.
void rtl_print(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace railyard
