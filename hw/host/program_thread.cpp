#include "hw/host/program_thread.h"

#include <sysc/kernel/sc_cor.h>

#include <utility>

#include <systemc>

namespace railyard::host {

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

}  // namespace

ProgramThread::~ProgramThread() {
  if (coroutine_ == nullptr) return;
  unwinding_ = true;
  if (!ended_) package_->yield(coroutine_);
  coroutine_->stack_protect(false);
  delete coroutine_;
}

void ProgramThread::resume() {
  if (ended_) return;
  if (coroutine_ == nullptr) {
    package_ = sc_core::sc_get_curr_simcontext()->cor_pkg();
    coroutine_ = package_->create(kStackBytes, &ProgramThread::start, this);
    coroutine_->stack_protect(true);
  }
  package_->yield(coroutine_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// The scheduler's process is an SC_METHOD, and those run in the main coroutine, as sc_main does.
void ProgramThread::leave() { package_->yield(package_->get_main()); }

void ProgramThread::suspend() {
  leave();
  if (unwinding_) throw Unwind{};
}

void ProgramThread::run() {
  try {
    body_();
  } catch (const Unwind&) {
  } catch (...) {
    failure_ = std::current_exception();
  }
  ended_ = true;
  for (;;) leave();  // a coroutine's function must not return
}

}  // namespace railyard::host
