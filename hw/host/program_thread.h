// A program's thread: an SC_THREAD that runs until it suspends itself and goes on when it is
// resumed. What the program holds is given back when the thread is destroyed.
//
// The kernel unwinds no thread that waits when the simulation is taken down, and ends none outside
// of a delta cycle. So the destructor has the kernel run one delta cycle in which the thread alone
// is runnable. Where it is not alone (the run was stopped amid a time, or by sc_stop) what the
// program holds is left to the end of the process.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include <systemc>

namespace railyard::host {

class ProgramThread : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ProgramThread);
  /// `call` has resume() called at the current time: when the kernel has started the thread, and
  /// when the body threw, which resume() then throws again.
  ProgramThread(sc_core::sc_module_name name, std::function<void()> body,
                std::function<void()> call, std::size_t stack_bytes);
  /// Unwinds a body that has not returned. Destructors in it must not suspend it.
  ~ProgramThread() override;

  /// Starts the body or goes on with it, in this evaluation phase. Called by a scheduler's event.
  void resume();
  /// Called by the body alone.
  void suspend();

 private:
  struct Unwind {};
  void run();

  std::function<void()> body_;
  std::function<void()> call_;
  sc_core::sc_event resume_;
  std::exception_ptr failure_;
  bool running_ = false;  // the body has begun and not ended
  bool unwinding_ = false;
};

}  // namespace railyard::host
