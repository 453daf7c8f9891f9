// A program's thread of control beside the simulation: it runs until it suspends itself and goes on
// when it is resumed. One of the kernel's coroutines, as SC_THREADs are, but not one of its
// processes: SystemC 2.3.4 has no way to end a process that waits once the kernel has come to rest,
// so that what such a program holds would never be given back. It costs no event of the kernel
// either: a scheduler's event resumes it.
//
// The program must not call sc_core::wait(). Its destructors must not suspend it.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

namespace sc_core {
class sc_cor;
class sc_cor_pkg;
}  // namespace sc_core

namespace railyard::host {

class ProgramThread {
 public:
  explicit ProgramThread(std::function<void()> body) : body_(std::move(body)) {}
  /// Unwinds a body that has not returned.
  ~ProgramThread();
  ProgramThread(const ProgramThread&) = delete;
  ProgramThread& operator=(const ProgramThread&) = delete;

  /// Starts the body or goes on with it, until it suspends or ends. Called in simulated time, from
  /// a scheduler's event; what the body throws is thrown here.
  void resume();
  /// Called by the body alone.
  void suspend();

 private:
  struct Unwind {};

  static void start(void* self) { static_cast<ProgramThread*>(self)->run(); }
  void run();
  void leave();

  std::function<void()> body_;
  sc_core::sc_cor_pkg* package_ = nullptr;
  sc_core::sc_cor* coroutine_ = nullptr;  // none before the first resume()
  std::exception_ptr failure_;
  bool unwinding_ = false;
  bool ended_ = false;
};

}  // namespace railyard::host
