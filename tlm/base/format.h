// Numbers as a person writes them, in the syntax that the configuration reads back.
#pragma once

#include <string>

#include "tlm/base/time.h"

namespace railyard {

/// The shortest exact form with a unit: 1500 -> "1500ps", 2'000'000 -> "2us".
std::string format_time(Time time);

}  // namespace railyard
