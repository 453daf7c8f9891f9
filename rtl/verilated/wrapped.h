// From a Verilated class to a block: what is the same for all of them. For the wrappers' .cpp files
// alone, which include that class before. A block says in `Pins`
//   static void drive(Top&, const In&)     sets all inputs but clk_i and rst_ni
//   static Out outputs(const Top&)
//   static State registers(const Top&)
// and, if it has contexts, static Context context(const Top&, unsigned index) and kContexts. Beside
// it, RAILYARD_VERILATED(Top) at global scope.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "rtl/verilated/verilated_block.h"

namespace railyard::rtl {

/// A rising edge of a Verilated class, in about half of the time of two calls of eval(). Those find
/// out which region of the schedule is due; here it is known: all that inputs reach, then all that
/// registers do. The falling edge, which no register takes, is left out. It asks of a block that
/// clk_i and rst_ni are its only clock and reset, and that its clock is not gated inside.
template <class Top>
struct RisingEdge;

template <std::size_t kTriggers>
void raise(VlTriggerVec<kTriggers>& triggers) {
  for (std::size_t i = 0; i < kTriggers; ++i) triggers.at(i) = CData{1};
}

template <class Top, class BlockT, class Pins>
class Wrapped : public VerilatedClass<BlockT> {
 public:
  using typename BlockT::In;
  using typename BlockT::Out;
  using typename BlockT::State;

  /// `name` with spaces between scopes.
  Wrapped(VerilatedContext* context, const std::string& name) : top_(context, name.c_str()) {
    Wrapped::reset();
  }

  // The reset is an edge, also the first one.
  void reset() final {
    for (const CData level : {CData{1}, CData{0}, CData{1}}) {
      top_.rst_ni = level;
      drive({});
    }
  }
  Out settle(const In& in) final {
    drive(in);
    return Pins::outputs(top_);
  }
  Out clock(const In& in) final {
    Pins::drive(top_, in);
    RisingEdge<Top>::take(top_);
    return Pins::outputs(top_);
  }
  State state() const final { return Pins::registers(top_); }
  void trace(VerilatedFstC& fst) final { top_.trace(&fst, 99); }

 protected:
  const Top& top() const { return top_; }

 private:
  void drive(const In& in) {
    Pins::drive(top_, in);
    top_.clk_i = 0;
    top_.eval();
  }

  Top top_;
};

template <class Top, class BlockT, class Pins>
class WrappedContexts final : public Wrapped<Top, BlockT, Pins> {
 public:
  using Wrapped<Top, BlockT, Pins>::Wrapped;

  unsigned contexts() const override { return Pins::kContexts; }
  typename BlockT::Context context(unsigned index) const override {
    return Pins::context(this->top(), index);
  }
};

/// The size class of so many contexts; std::logic_error if there is none.
template <class BlockT, template <unsigned> class Pins, class Top16, class Top256, class Top4096>
std::unique_ptr<VerilatedClass<BlockT>> wrapped_size(VerilatedContext* context,
                                                     const std::string& name, unsigned contexts) {
  switch (contexts) {
    case 16:
      return std::make_unique<WrappedContexts<Top16, BlockT, Pins<16>>>(context, name);
    case 256:
      return std::make_unique<WrappedContexts<Top256, BlockT, Pins<256>>>(context, name);
    case 4096:
      return std::make_unique<WrappedContexts<Top4096, BlockT, Pins<4096>>>(context, name);
    default:
      throw std::logic_error(name + ": no size class has " + std::to_string(contexts) +
                             " contexts");
  }
}

}  // namespace railyard::rtl

// The class's functions are Verilator's own, of which no header of it tells.
#define RAILYARD_VERILATED(Top)                                          \
  void Top##___024root___eval_ico(Top##___024root* root);                \
  void Top##___024root___eval_nba(Top##___024root* root);                \
  template <>                                                            \
  struct railyard::rtl::RisingEdge<Top> {                                \
    /* NOLINTNEXTLINE(bugprone-macro-parentheses): it is a type */       \
    static void take(Top& top) {                                         \
      Top##___024root& root = *top.rootp;                                \
      root.vlSymsp->__Vm_activity = true; /* a trace is to look at it */ \
      top.clk_i = 1;                                                     \
      root.__Vtrigrprev__TOP__clk_i = 1;                                 \
      railyard::rtl::raise(root.__VicoTriggered);                        \
      Top##___024root___eval_ico(&root);                                 \
      railyard::rtl::raise(root.__VnbaTriggered);                        \
      Top##___024root___eval_nba(&root);                                 \
    }                                                                    \
  };
