// Verilator's runtime with our hooks.
#include "waveforms/runtime/rtl_hooks.h"
#define VL_PRINTF railyard::rtl_print
#define VL_USER_STOP
#define VL_USER_FATAL
#include <verilated.cpp>          // NOLINT
#include <verilated_threads.cpp>  // NOLINT
