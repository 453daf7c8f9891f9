// Other programs, for tests.
#pragma once

#include <string>
#include <vector>

namespace railyard::test {

/// Runs a program (found through PATH) and returns what it printed on stdout. Throws
/// std::runtime_error if it cannot be run, prints on stderr with a failure, or does not exit 0.
std::string run(const std::vector<std::string>& command);

/// Runs the program until it prints a line on stdout, then sends SIGKILL and waits for its end.
/// Throws std::runtime_error if it ended by itself.
void run_and_kill(const std::vector<std::string>& command);

std::string read_file(const std::string& path);

/// A path in a fresh directory of this process, which is removed at its end.
std::string scratch(const std::string& name);

}  // namespace railyard::test
