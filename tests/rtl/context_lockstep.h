// A lockstep of a block with a context a QP in memory: beside outputs and registers, in every cycle
// the contexts that its stages may write, and all of them every so many cycles.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "tests/rtl/lockstep.h"

namespace railyard::test {

/// `Where` says of a state of the block
///   template <class Visit> static void touched(const State&, Visit visit)   visit(index) of each
///   static unsigned known(const State&, unsigned contexts)   contexts from 0 on with defined
///   content
template <class Model, class Rtl, class Where>
class ContextLockstep {
 public:
  using In = typename Model::In;
  using Out = typename Model::Out;

  /// `contexts` is the size class; all of them are compared every `all_every` cycles.
  ContextLockstep(const std::string& name, unsigned contexts, std::uint64_t all_every)
      : lockstep_(name, contexts), contexts_(contexts), all_every_(all_every) {}

  /// False, with a failure, at the first difference.
  bool step(const In& in) {
    const auto before = lockstep_.model().state();
    if (!lockstep_.step(in)) return false;
    if (++cycles_ % all_every_ == 0) return all();
    bool equal = true;
    Where::touched(before, [&](unsigned index) { equal = equal && same(index); });
    return equal;
  }
  bool reset() { return lockstep_.reset() && all(); }
  bool all() {
    const unsigned known = Where::known(lockstep_.model().state(), contexts_);
    for (unsigned i = 0; i < known; ++i) {
      if (!same(i)) return false;
    }
    return true;
  }

  unsigned contexts() const { return contexts_; }
  const Out& last() const { return lockstep_.last(); }
  const Out& before() const { return lockstep_.before(); }
  const Rtl& rtl() const { return lockstep_.rtl(); }

 private:
  bool same(unsigned index) {
    const auto twin = lockstep_.model().context(index);
    const auto block = lockstep_.rtl().context(index);
    if (twin == block) return true;
    ADD_FAILURE() << "context " << index << " in cycle " << cycles_ << " differs (twin, RTL):\n"
                  << differences(twin, block);
    return false;
  }
  template <class Context>
  static std::string differences(const Context& twin, const Context& block) {
    if constexpr (std::is_integral_v<Context>) {
      return std::to_string(twin) + ", " + std::to_string(block) + "\n";
    } else {
      return rtl::differences(twin, block);
    }
  }

  Lockstep<Model, Rtl> lockstep_;
  unsigned contexts_;
  std::uint64_t all_every_;
  std::uint64_t cycles_ = 0;
};

}  // namespace railyard::test
