#include "tests/waveforms/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace railyard::test {

namespace {

struct Child {
  pid_t pid;
  int out;
};

Child start(const std::vector<std::string>& command) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no child");
  if (pid == 0) {
    ::dup2(pipe_ends[1], STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(pipe_ends[1]);
  return {pid, pipe_ends[0]};
}

int wait_for(const Child& child) {
  ::close(child.out);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  return status;
}

struct ScratchFolder {
  ScratchFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "railyard-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

}  // namespace

std::string run(const std::vector<std::string>& command) {
  const Child child = start(command);
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = ::read(child.out, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(command[0] + " failed, status " + std::to_string(status));
  }
  return text;
}

void run_and_kill(const std::vector<std::string>& command) {
  const Child child = start(command);
  char letter = 0;
  while (::read(child.out, &letter, 1) == 1 && letter != '\n') {
  }
  ::kill(child.pid, SIGKILL);
  const int status = wait_for(child);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
    throw std::runtime_error(command[0] + " ended by itself");
  }
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string scratch(const std::string& name) {
  static const ScratchFolder folder;
  return folder.path / name;
}

}  // namespace railyard::test
