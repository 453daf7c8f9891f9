// A twin and its RTL, cycle by cycle: outputs before and after each edge, and every architectural
// register after it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "rtl/model/fields.h"
#include "tests/rtl/coverage.h"
#include "waveforms/rtl_context.h"

namespace railyard::test {

/// Cycles of a lockstep run: 10^7, or what RAILYARD_LOCKSTEP_CYCLES says (`test --long`: 10^9).
inline std::uint64_t lockstep_cycles() {
  const char* text = std::getenv("RAILYARD_LOCKSTEP_CYCLES");
  return text == nullptr ? 10'000'000 : std::strtoull(text, nullptr, 10);
}

/// `Model` and `Rtl` share the block's interface.
template <class Model, class Rtl>
class Lockstep {
  using In = typename Model::In;
  using Out = typename Model::Out;

 public:
  /// `size`: what both take beside, their size class.
  template <class... Size>
  explicit Lockstep(const std::string& name, Size... size)
      : model_(size...), rtl_(context_.get(), name, size...) {}
  ~Lockstep() { write_coverage(context_.get()); }
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  /// False, with a failure that names all that differs, at the first difference.
  bool step(const In& in) {
    const auto want_before = model_.settle(in);
    const auto before = rtl_.settle(in);
    const auto old = model_.state();
    const auto want = model_.clock(in);
    const auto out = rtl_.clock(in);
    before_ = before;
    last_ = out;
    ++cycles_;
    if (!(before == want_before)) return fail("outputs before the edge", in, want_before, before);
    if (!(out == want)) return fail("outputs after the edge", in, want, out);
    const auto state = model_.state();
    if (!(rtl_.state() == state)) return fail("registers", in, state, rtl_.state());
    // A clock may be left off in quiet cycles.
    if (before.quiet && !(old == state)) return fail("registers of a quiet cycle", in, old, state);
    return true;
  }

  /// Both; false, with a failure, if they come up unlike each other. Random runs do it now and
  /// then: a register that it forgets is zero only the first time.
  bool reset() {
    model_.reset();
    rtl_.reset();
    last_ = model_.settle({});
    const auto state = model_.state();
    return rtl_.state() == state || fail("registers out of reset", {}, state, rtl_.state());
  }

  /// Outputs after the latest edge.
  const Out& last() const { return last_; }
  /// Outputs in the latest cycle, before its edge.
  const Out& before() const { return before_; }

  /// Of blocks whose memories are compared beside.
  const Model& model() const { return model_; }
  const Rtl& rtl() const { return rtl_; }

 private:
  template <class T>
  bool fail(const std::string& what, const In& in, const T& model, const T& rtl) {
    ADD_FAILURE() << what << " of cycle " << cycles_ << " differ (twin, RTL):\n"
                  << rtl::differences(model, rtl) << "inputs:\n"
                  << inputs(in);
    return false;
  }
  static std::string inputs(const In& in) {
    std::string text;
    for (const rtl::Field& f : rtl::fields_of(in)) {
      text += f.name + " = " + std::to_string(f.value) + "\n";
    }
    return text;
  }

  RtlContext context_;
  Model model_;
  Rtl rtl_;
  Out before_;
  Out last_;
  std::uint64_t cycles_ = 0;
};

}  // namespace railyard::test
