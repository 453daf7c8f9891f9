// An RTL block of any kind, known by the names of its ports and registers: what it is given and
// what it shows are numbers in the order of those names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rtl/model/fields.h"
#include "waveforms/rtl_context.h"

class VerilatedFstC;

namespace railyard {

using Values = std::vector<std::uint64_t>;

/// What is seen of a block at one time. wake_o is 0 while wake_valid_o is: it means nothing then.
struct BlockView {
  Values outputs;
  Values registers;
  // Of the outputs, those that say when the block needs its clock. One without wake_o needs it once
  // it is not quiet.
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;
};

/// One engine of a block: the twin or the Verilated RTL. It comes up reset.
class Block {
 public:
  virtual ~Block() = default;
  /// What is seen before a clock edge with these inputs.
  virtual void settle(const Values& inputs, BlockView& view) = 0;
  /// The edge; what is seen after it, the inputs standing.
  virtual void clock(const Values& inputs, BlockView& view) = 0;
  /// Adds what it is made of to a trace.
  virtual void trace(VerilatedFstC& /*fst*/) {}
};

/// A port or a register: "depth_i[3]", 32.
struct BlockPort {
  std::string name;
  unsigned bits = 0;
};

/// Of a block with contexts in memory.
struct ContextChoice {
  unsigned contexts = 16;           // the size class: 16, 256 or 4,096
  std::optional<unsigned> watched;  // one whose fields are among the registers
};

/// What the platform knows of a block: a row of its table.
struct BlockType {
  std::string name;
  std::vector<BlockPort> inputs;
  std::vector<BlockPort> outputs;
  std::vector<BlockPort> registers;
  std::function<std::unique_ptr<Block>()> make_model;
  /// `name` with spaces between scopes.
  std::function<std::unique_ptr<Block>(RtlContext& context, const std::string& name)> make_rtl;
  /// The block as chosen; empty: it has no contexts.
  std::function<BlockType(const ContextChoice&)> with_contexts = {};
};

/// All blocks that the platform is shipped with.
std::vector<BlockType> shipped_blocks();

namespace detail {

template <class T>
void append(Values& all, const T& value) {
  all.push_back(static_cast<std::uint64_t>(value));
}
template <class T, std::size_t N>
void append(Values& all, const std::array<T, N>& values) {
  for (const T& value : values) append(all, value);
}
template <class T>
void take(const Values& all, std::size_t& next, T& value) {
  value = static_cast<T>(all.at(next++));
}
template <class T, std::size_t N>
void take(const Values& all, std::size_t& next, std::array<T, N>& values) {
  for (T& value : values) take(all, next, value);
}

template <class Struct>
std::vector<BlockPort> ports_of() {
  std::vector<BlockPort> ports;
  for (const rtl::Field& field : rtl::fields_of(Struct{})) {
    ports.push_back({field.name, field.bits});
  }
  return ports;
}

template <class Out, class = void>
struct HasWake : std::false_type {};
template <class Out>
struct HasWake<Out, std::void_t<decltype(Out::wake)>> : std::true_type {};

}  // namespace detail

/// `Engine` has the interface of rtl::PfcGen.
template <class Engine>
class BlockOf : public Block {
 public:
  template <class... Args>
  explicit BlockOf(Args&&... args) : engine_(std::forward<Args>(args)...) {}

  void settle(const Values& inputs, BlockView& view) override {
    show(engine_.settle(struct_of(inputs)), view);
  }
  void clock(const Values& inputs, BlockView& view) override {
    show(engine_.clock(struct_of(inputs)), view);
  }

 protected:
  Engine engine_;

 private:
  using In = typename Engine::In;
  using Out = typename Engine::Out;
  using State = typename Engine::State;

  const In& struct_of(const Values& inputs) {
    std::size_t next = 0;
    In::fields(in_,
               [&](const char*, auto& member, unsigned) { detail::take(inputs, next, member); });
    return in_;
  }
  void show(Out out, BlockView& view) {
    if constexpr (detail::HasWake<Out>::value) {
      if (!out.wake_valid) out.wake = 0;
      view.wake_valid = out.wake_valid;
      view.wake = out.wake;
    }
    view.outputs.clear();
    Out::fields(out, [&](const char*, const auto& member, unsigned) {
      detail::append(view.outputs, member);
    });
    const State state = engine_.state();
    view.registers.clear();
    State::fields(state, [&](const char*, const auto& member, unsigned) {
      detail::append(view.registers, member);
    });
    view.quiet = out.quiet;
  }

  In in_;
};

template <class Engine>
class RtlBlockOf : public BlockOf<Engine> {
 public:
  RtlBlockOf(RtlContext& context, const std::string& name) : BlockOf<Engine>(context.get(), name) {}
  void trace(VerilatedFstC& fst) override { this->engine_.trace(fst); }
};

template <class Model, class Rtl>
BlockType block_type(const std::string& name) {
  return {name,
          detail::ports_of<typename Model::In>(),
          detail::ports_of<typename Model::Out>(),
          detail::ports_of<typename Model::State>(),
          [] { return std::make_unique<BlockOf<Model>>(); },
          [](RtlContext& context, const std::string& scope) {
            return std::make_unique<RtlBlockOf<Rtl>>(context, scope);
          }};
}

}  // namespace railyard
