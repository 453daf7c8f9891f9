#include "platforms/common/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace railyard {

namespace {

double seconds(std::chrono::steady_clock::duration span) {
  return std::chrono::duration<double>(span).count();
}

}  // namespace

Progress::Progress(const Simulation& simulation, Time until, bool quiet)
    : simulation_(simulation),
      until_(until),
      on_(!quiet && isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (on_) std::fputs("\r\033[K", stderr);
}

void Progress::show() {
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double wall = seconds(now - start_);
  const double simulated = static_cast<double>(simulation_.now()) / kMicrosecond;
  // Whichever comes first ends the run: its work, or its time.
  const double work = simulation_.work_done();
  const double share =
      std::max(work, static_cast<double>(simulation_.now()) / static_cast<double>(until_));
  std::string line = fmt::format("{:.1f} us simulated, {:.1f} us/s", simulated, simulated / wall);
  if (share > 0) line += fmt::format(", about {:.0f} s left", wall * (1 - share) / share);
  std::fputs(("\r\033[K" + line).c_str(), stderr);
}

}  // namespace railyard
