#include "tests/bench/measure.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <stdexcept>

namespace railyard::bench {

namespace {

double processor_seconds() {
  constexpr double kNanosecond = 1e-9;
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kNanosecond;
}

}  // namespace

Sample in_child(const std::function<Sample()>& work) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    // Neither an exception nor static objects may reach what is the parent's.
    bool written = false;
    try {
      const Sample sample = work();
      written = write(pipe_ends[1], &sample, sizeof sample) == sizeof sample;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench: %s\n", error.what());
    }
    std::_Exit(written ? 0 : 1);
  }
  close(pipe_ends[1]);
  Sample sample;
  const bool whole = read(pipe_ends[0], &sample, sizeof sample) == sizeof sample;
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!whole || status != 0) throw std::runtime_error("a case failed");
  return sample;
}

double seconds_of(const std::function<void()>& action) {
  const double start = processor_seconds();
  action();
  return processor_seconds() - start;
}

}  // namespace railyard::bench
