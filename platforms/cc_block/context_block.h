// A row for a block with contexts in memory: as many as its size class has, and one of them to be
// watched as if it were registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "platforms/cc_block/block.h"

namespace railyard {

namespace detail {

/// Fields of a context that is a struct; one that is a word has `word_bits`. Named as the RTL's
/// memories: "rate_mem[3]", "contexts[3]".
template <class Context>
std::vector<BlockPort> context_ports(unsigned index, unsigned word_bits) {
  std::vector<BlockPort> ports;
  if constexpr (std::is_integral_v<Context>) {
    ports.push_back({"contexts", word_bits});
  } else {
    ports = ports_of<Context>();
  }
  for (BlockPort& port : ports) port.name += "[" + std::to_string(index) + "]";
  return ports;
}

template <class Context>
void append_context(Values& all, const Context& context) {
  if constexpr (std::is_integral_v<Context>) {
    append(all, context);
  } else {
    Context::fields(context,
                    [&](const char*, const auto& member, unsigned) { append(all, member); });
  }
}

}  // namespace detail

/// `Engine` has the interface of rtl::Pacer.
template <class Engine>
class ContextBlockOf : public BlockOf<Engine> {
 public:
  template <class... Args>
  explicit ContextBlockOf(std::optional<unsigned> watched, Args&&... args)
      : BlockOf<Engine>(std::forward<Args>(args)...), watched_(watched) {}

  void settle(const Values& inputs, BlockView& view) override {
    BlockOf<Engine>::settle(inputs, view);
    show_context(view);
  }
  void clock(const Values& inputs, BlockView& view) override {
    BlockOf<Engine>::clock(inputs, view);
    show_context(view);
  }

 private:
  void show_context(BlockView& view) const {
    if (watched_) detail::append_context(view.registers, this->engine_.context(*watched_));
  }

  std::optional<unsigned> watched_;
};

template <class Engine>
class RtlContextBlockOf : public ContextBlockOf<Engine> {
 public:
  RtlContextBlockOf(RtlContext& context, const std::string& name, const ContextChoice& choice)
      : ContextBlockOf<Engine>(choice.watched, context.get(), name, choice.contexts) {}
  void trace(VerilatedFstC& fst) override { this->engine_.trace(fst); }
};

/// What is the same for each size class of a block.
struct ContextPorts {
  std::vector<std::string> indices;  // ports that name a context: as wide as the size class needs
  unsigned word_bits = 0;            // of a context that is a word
};

template <class Model, class Rtl>
BlockType chosen_block(const std::string& name, const ContextPorts& ports,
                       const ContextChoice& choice) {
  BlockType type{
      name,
      detail::ports_of<typename Model::In>(),
      detail::ports_of<typename Model::Out>(),
      detail::ports_of<typename Model::State>(),
      [choice] { return std::make_unique<ContextBlockOf<Model>>(choice.watched, choice.contexts); },
      [choice](RtlContext& context, const std::string& scope) {
        return std::make_unique<RtlContextBlockOf<Rtl>>(context, scope, choice);
      }};
  const auto& indices = ports.indices;
  for (auto* list : {&type.inputs, &type.outputs}) {
    for (BlockPort& port : *list) {
      if (std::find(indices.begin(), indices.end(), port.name) == indices.end()) continue;
      port.bits = static_cast<unsigned>(__builtin_ctz(choice.contexts));
    }
  }
  if (choice.watched) {
    for (BlockPort& port :
         detail::context_ports<typename Model::Context>(*choice.watched, ports.word_bits)) {
      type.registers.push_back(std::move(port));
    }
  }
  return type;
}

template <class Model, class Rtl>
BlockType context_block_type(const std::string& name, const ContextPorts& ports) {
  BlockType type = chosen_block<Model, Rtl>(name, ports, {});
  type.with_contexts = [name, ports](const ContextChoice& choice) {
    return chosen_block<Model, Rtl>(name, ports, choice);
  };
  return type;
}

}  // namespace railyard
