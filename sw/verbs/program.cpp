#include "sw/verbs/program.h"

#include <dlfcn.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sw/verbs/machine.h"
#include "tlm/base/error.h"
#include "tlm/core/current.h"

namespace railyard::verbs {

namespace {

using Main = int (*)(int, char**, char**);

/// Where exit() goes.
struct RunningProgram : ProgramExtension {
  std::jmp_buf end;
  int status = 0;
};

/// A file that is gone when the next statement is.
class TemporaryCopy {
 public:
  explicit TemporaryCopy(const std::string& of)
      : path_((std::filesystem::temp_directory_path() / "railyard-program-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0)
      throw ConfigError(of, "no temporary copy can be made", "free the temporary folder");
    (void)close(file);
    std::error_code error;
    std::filesystem::copy_file(of, path_, std::filesystem::copy_options::overwrite_existing, error);
    if (error) {
      (void)unlink(path_.c_str());
      throw ConfigError(of, "cannot be read: " + error.message(), "give a program that was built");
    }
  }
  ~TemporaryCopy() { (void)unlink(path_.c_str()); }
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

class Module {
 public:
  explicit Module(const std::string& of)
      : handle_(dlopen(TemporaryCopy(of).path(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw ConfigError(of, dlerror(), "build it as a verbs program");
    main_ = reinterpret_cast<Main>(dlsym(handle_, "main"));
    if (main_ == nullptr) {
      (void)dlclose(handle_);
      throw ConfigError(of, "has no main", "build it as a verbs program");
    }
  }
  ~Module() { (void)dlclose(handle_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Main main() const { return main_; }

 private:
  void* handle_;
  Main main_ = nullptr;
};

/// Nothing in it has a destructor: exit() leaves it by longjmp().
int call_main(Main main, int argc, char** argv, RunningProgram& running) {
  if (setjmp(running.end) == 0) running.status = main(argc, argv, environ);
  return running.status;
}

[[noreturn]] void end_program(int status) {
  const ProgramContext* program = current_program();
  auto* running = program == nullptr ? nullptr : program->find<RunningProgram>();
  if (running == nullptr) std::exit(status);
  constexpr int kByte = 0xFF;  // what a parent process sees
  running->status = status & kByte;
  std::longjmp(running->end, 1);
}

}  // namespace

Program::Program(std::string path, std::vector<std::string> arguments)
    : path_(std::move(path)), arguments_(std::move(arguments)) {}

int Program::run() {
  RunningProgram running;
  const ExtensionScope scope(running);
  const Module module(path_);
  // Its own, for a main may change them.
  std::string name = path_;
  std::vector<std::string> arguments = arguments_;
  std::vector<char*> argv{name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  optind = 0;  // getopt() of glibc: from the start
  const int status =
      call_main(module.main(), static_cast<int>(argv.size()) - 1, argv.data(), running);
  (void)std::fflush(nullptr);
  if (Machine* machine = Machine::current()) machine->end_of_program();
  return status & 0xFF;
}

}  // namespace railyard::verbs

// What a program's calls of exit() are linked to, by --wrap.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
[[noreturn]] void __wrap_exit(int status);
[[noreturn]] void __wrap__exit(int status);
[[noreturn]] void __wrap__Exit(int status);
void __wrap_exit(int status) { railyard::verbs::end_program(status); }
void __wrap__exit(int status) { railyard::verbs::end_program(status); }
void __wrap__Exit(int status) { railyard::verbs::end_program(status); }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
