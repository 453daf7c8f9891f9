// Ticks as a person reads them.
#pragma once

#include <string>

#include "hw/hbm/command.h"

namespace railyard::hbm {

/// In clocks: "12" or "12.5".
inline std::string clock_text(Tick tick) {
  if (tick < 0) return "-" + clock_text(-tick);
  std::string text = std::to_string(tick / kTicksPerClock);
  if (tick % kTicksPerClock != 0) text += ".5";
  return text;
}

}  // namespace railyard::hbm
