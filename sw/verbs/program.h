// A verbs program, unchanged, as a program of a host's core: a shared object with a main, built by
// the CMake function railyard_verbs_program().
//
// Each Program loads a copy of its own, so that the globals of two do not meet. exit() ends the
// program alone, without destructors of its automatic objects, as in a process; what it has open
// is closed. Then its destructors of static objects and its atexit() functions run; they must not
// use verbs. What the C library keeps is this process's: standard streams, locale, rand(); getopt()
// begins anew with each program. abort(), threads, err() and signals are those of this process.
#pragma once

#include <string>
#include <vector>

namespace railyard::verbs {

class Program {
 public:
  /// `arguments`: those behind the program's name, which is that of the file.
  Program(std::string path, std::vector<std::string> arguments);

  /// Runs it in the calling program of a core, and returns its exit status. Throws a ConfigError if
  /// there is no such program, std::logic_error outside of a core's program.
  int run();

 private:
  std::string path_;
  std::vector<std::string> arguments_;
};

}  // namespace railyard::verbs
