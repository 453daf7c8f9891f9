// The files that a command line wants written, tried before a run.
#pragma once

#include "platforms/common/command_line.h"

namespace railyard {

/// ConfigError if one cannot be written, is the configuration, or is another's too, by whatever
/// path. Nothing that exists is touched, and nothing that did not is left.
void check_output_files(const CommandLine& line);

}  // namespace railyard
