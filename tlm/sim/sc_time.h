// Between SystemC's time and ours; its resolution is a picosecond.
#pragma once

#include <cstdint>

#include <systemc>

#include "tlm/base/time.h"

namespace railyard {

inline Time from_sc(const sc_core::sc_time& time) { return static_cast<Time>(time.value()); }
inline sc_core::sc_time to_sc(Time time) {
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(time));
}

}  // namespace railyard
