#include "hw/nic/command_set.h"

#include <array>

namespace railyard::nic {

namespace {

using abi::Command;

template <class Input, class Output, Verdict (ObjectCommands::*Run)(CommandCall&)>
constexpr CommandKind object_kind(Command command, const char* name) {
  return {command,
          name,
          sizeof(Input),
          0,
          sizeof(Output),
          false,
          [](CommandHandlers& h, CommandCall& call) { return (h.objects.*Run)(call); }};
}

template <class Input, class Output, Verdict (QpCommands::*Run)(CommandCall&)>
constexpr CommandKind qp_kind(Command command, const char* name) {
  return {command,
          name,
          sizeof(Input),
          0,
          sizeof(Output),
          false,
          [](CommandHandlers& h, CommandCall& call) { return (h.qps.*Run)(call); }};
}

template <Command Transition>
constexpr CommandKind transition_kind(const char* name) {
  return {Transition,
          name,
          sizeof(abi::ModifyQpInput),
          0,
          sizeof(abi::NumberOutput),
          false,
          [](CommandHandlers& h, CommandCall& call) { return h.qps.modify(Transition, call); }};
}

constexpr CommandKind early(CommandKind kind) {
  kind.before_init = true;
  return kind;
}

constexpr CommandKind with_list(CommandKind kind, std::uint32_t item_bytes) {
  kind.list_bytes = item_bytes;
  return kind;
}

using Number = abi::NumberInput;
using Answer = abi::NumberOutput;
using On = ObjectCommands;

constexpr std::array<CommandKind, kCommandKinds> kKinds = {{
    {Command::kQueryCapabilities, "query_capabilities", sizeof(Number), 0,
     sizeof(abi::CapabilitiesOutput), true,
     [](CommandHandlers& h, CommandCall& call) { return h.objects.query_capabilities(call); }},
    early(object_kind<Number, Answer, &On::init_hca>(Command::kInitHca, "init_hca")),
    early(object_kind<Number, Answer, &On::teardown_hca>(Command::kTeardownHca, "teardown_hca")),
    early(object_kind<abi::GiveMemoryInput, Answer, &On::give_memory>(Command::kGiveMemory,
                                                                      "give_memory")),
    with_list(object_kind<abi::CreateMkeyInput, Answer, &On::create_mkey>(Command::kCreateMkey,
                                                                          "create_mkey"),
              sizeof(abi::Be64)),
    object_kind<Number, Answer, &On::destroy_mkey>(Command::kDestroyMkey, "destroy_mkey"),
    object_kind<abi::CreateEqInput, Answer, &On::create_eq>(Command::kCreateEq, "create_eq"),
    object_kind<Number, Answer, &On::destroy_eq>(Command::kDestroyEq, "destroy_eq"),
    object_kind<abi::CreateCqInput, Answer, &On::create_cq>(Command::kCreateCq, "create_cq"),
    object_kind<Number, Answer, &On::destroy_cq>(Command::kDestroyCq, "destroy_cq"),
    object_kind<abi::ModifyCqInput, Answer, &On::modify_cq>(Command::kModifyCq, "modify_cq"),
    qp_kind<abi::CreateQpInput, Answer, &QpCommands::create>(Command::kCreateQp, "create_qp"),
    qp_kind<Number, Answer, &QpCommands::destroy>(Command::kDestroyQp, "destroy_qp"),
    transition_kind<Command::kRstToInit>("rst2init"),
    transition_kind<Command::kInitToRtr>("init2rtr"),
    transition_kind<Command::kRtrToRts>("rtr2rts"),
    transition_kind<Command::kRtsToRts>("rts2rts"),
    qp_kind<Number, Answer, &QpCommands::to_error>(Command::kToError, "2err"),
    qp_kind<Number, Answer, &QpCommands::to_reset>(Command::kToReset, "2rst"),
    qp_kind<Number, abi::QueryQpOutput, &QpCommands::query>(Command::kQueryQp, "query_qp"),
    {Command::kQueryPort, "query_port", sizeof(Number), 0, sizeof(abi::QueryPortOutput), false,
     [](CommandHandlers& h, CommandCall& call) { return h.objects.query_port(call); }},
    object_kind<Number, Answer, &On::alloc_pd>(Command::kAllocPd, "alloc_pd"),
    object_kind<Number, Answer, &On::dealloc_pd>(Command::kDeallocPd, "dealloc_pd"),
    object_kind<Number, Answer, &On::alloc_uar>(Command::kAllocUar, "alloc_uar"),
    object_kind<Number, Answer, &On::dealloc_uar>(Command::kDeallocUar, "dealloc_uar"),
}};

}  // namespace

const CommandKind& command_kind(std::uint32_t index) { return kKinds[index]; }

std::uint32_t find_command(std::uint16_t opcode) {
  for (std::uint32_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::uint16_t>(kKinds[i].command) == opcode) return i;
  }
  return kNoCommand;
}

}  // namespace railyard::nic
