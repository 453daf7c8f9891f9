// The last lines of a run's summary: what to type to see it.
#pragma once

#include <string>

#include "platforms/common/command_line.h"

namespace railyard {

/// Commands that open the files that were written, or the options that write some.
std::string how_to_look(const CommandLine& line);

}  // namespace railyard
