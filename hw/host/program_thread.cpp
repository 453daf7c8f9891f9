#include "hw/host/program_thread.h"

#include <utility>

namespace railyard::host {

ProgramThread::ProgramThread(sc_core::sc_module_name name, std::function<void()> body,
                             std::function<void()> call, std::size_t stack_bytes)
    : sc_module(name), body_(std::move(body)), call_(std::move(call)) {
  SC_THREAD(run);
  set_stack_size(stack_bytes);
}

ProgramThread::~ProgramThread() {
  if (!running_ || sc_core::sc_get_status() != sc_core::SC_PAUSED ||
      sc_core::sc_pending_activity_at_current_time()) {
    return;
  }
  unwinding_ = true;
  resume_.notify();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void ProgramThread::resume() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  resume_.notify();
}

void ProgramThread::suspend() {
  wait(resume_);
  if (unwinding_) throw Unwind{};
}

// The kernel starts threads in the order in which they were made: the body waits for its event.
void ProgramThread::run() {
  call_();
  wait(resume_);
  running_ = true;
  try {
    body_();
    running_ = false;
  } catch (const Unwind&) {
    running_ = false;
  } catch (...) {
    running_ = false;
    failure_ = std::current_exception();
    call_();
  }
}

}  // namespace railyard::host
