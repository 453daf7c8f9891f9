// cc_block with blocks that lie, each in its way, once they have told a peer to stop.
#include "platforms/cc_block/cc_block_platform.h"
#include "platforms/cc_block/context_block.h"
#include "rtl/model/pacer.h"
#include "rtl/model/pfc_gen.h"
#include "rtl/verilated/pacer.h"
#include "rtl/verilated/pfc_gen.h"

namespace railyard {

namespace {

enum class Lie { kOutput, kRegister, kSleep };

template <Lie kLie>
class Liar {
 public:
  using In = rtl::PfcGenIn;
  using Out = rtl::PfcGenOut;
  using State = rtl::PfcGenState;

  Out settle(const In& in) { return told(twin_.settle(in)); }
  Out clock(const In& in) { return told(twin_.clock(in)); }
  State state() const {
    State state = twin_.state();
    if (kLie == Lie::kRegister && state.told != 0) state.refresh_at += 1;
    return state;
  }

 private:
  Out told(Out out) const {
    if (twin_.state().told == 0) return out;
    if (kLie == Lie::kOutput) out.tx_refresh = !out.tx_refresh;
    if (kLie == Lie::kSleep) out.wake += 3;
    return out;
  }

  rtl::PfcGenModel twin_;
};

/// Its contexts are not what they are.
class ContextLiar {
 public:
  using In = rtl::PacerIn;
  using Out = rtl::PacerOut;
  using State = rtl::PacerState;

  Out settle(const In& in) { return twin_.settle(in); }
  Out clock(const In& in) { return twin_.clock(in); }
  State state() const { return twin_.state(); }
  std::uint64_t context(unsigned index) const {
    const std::uint64_t context = twin_.context(index);
    return context == 0 ? context : context + 1;
  }

 private:
  rtl::PacerModel twin_;
};

BlockType context_liar() {
  BlockType type =
      context_block_type<rtl::PacerModel, rtl::PacerRtl>("lies_in_a_context", {{}, 57});
  const auto honest = type.with_contexts;
  type.with_contexts = [honest](const ContextChoice& choice) {
    BlockType chosen = honest(choice);
    chosen.make_rtl = [choice](RtlContext&, const std::string&) {
      return std::make_unique<ContextBlockOf<ContextLiar>>(choice.watched);
    };
    return chosen;
  };
  return type;
}

template <Lie kLie>
std::unique_ptr<Block> liar() {
  return std::make_unique<BlockOf<Liar<kLie>>>();
}

std::vector<BlockType> blocks() {
  const auto named = [](const char* name) {
    return block_type<rtl::PfcGenModel, rtl::PfcGenRtl>(name);
  };
  BlockType output = named("lies_in_an_output");
  output.make_rtl = [](RtlContext&, const std::string&) { return liar<Lie::kOutput>(); };
  BlockType state = named("lies_in_a_register");
  state.make_rtl = [](RtlContext&, const std::string&) { return liar<Lie::kRegister>(); };
  // Both engines sleep too long in the same way: only the comparison's free-running clock shows it.
  BlockType sleep = named("sleeps_too_long");
  sleep.make_model = [] { return liar<Lie::kSleep>(); };
  sleep.make_rtl = [](RtlContext&, const std::string&) { return liar<Lie::kSleep>(); };
  return {output, state, sleep, context_liar()};
}

}  // namespace

}  // namespace railyard

int sc_main(int argc, char** argv) {
  railyard::CcBlockPlatform platform(railyard::blocks(), "", "");
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
