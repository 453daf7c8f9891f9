// Which commands there are: how long their inputs and outputs are, when they are taken, who carries
// them out.
#pragma once

#include <cstdint>

#include "hw/nic/command_call.h"
#include "hw/nic/object_commands.h"
#include "hw/nic/qp_commands.h"

namespace railyard::nic {

/// Who carries commands out.
struct CommandHandlers {
  CommandHandlers(Units& units, Objects& table, const DeviceParts& parts, std::uint32_t rate_mbps)
      : objects(units, table, parts, rate_mbps), qps(units, table, parts) {}
  ObjectCommands objects;
  QpCommands qps;
};

struct CommandKind {
  abi::Command command;
  const char* name;
  std::uint32_t input_bytes;   // in all
  std::uint32_t list_bytes;    // of each item of a list behind them; 0: there is none
  std::uint32_t output_bytes;  // likewise in all
  bool before_init;            // taken before INIT_HCA
  Verdict (*run)(CommandHandlers& handlers, CommandCall& call);
};

constexpr std::uint32_t kNoCommand = ~std::uint32_t{0};
constexpr std::uint32_t kCommandKinds = 25;

const CommandKind& command_kind(std::uint32_t index);
/// The index of an opcode's kind, or kNoCommand.
std::uint32_t find_command(std::uint16_t opcode);

}  // namespace railyard::nic
