#include "platforms/common/signals.h"

#include <atomic>
#include <csignal>

namespace railyard {

namespace {

// A handler reaches nothing but this.
std::atomic<RunControl*> target{nullptr};

void ask_to_stop(int signal) {
  if (RunControl* control = target.load()) control->request_stop();
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals(RunControl& control) {
  target.store(&control);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  target.store(nullptr);
}

}  // namespace railyard
