// What a controller sends over the command buses of an HBM channel, and where in the channel it
// goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace railyard::hbm {

/// Half a clock (CK), the resolution of the row command bus. Commands are at whole numbers of it
/// from time 0; all but precharges and refreshes at even ones.
using Tick = std::int64_t;
constexpr Tick kNever = Tick{1} << 54;
constexpr Tick kTicksPerClock = 2;

enum class Command : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,  // of one SID of a pseudo-channel
  kRead,
  kReadAuto,  // with auto-precharge
  kWrite,
  kWriteAuto,
  kRefreshAll,   // REFab of one SID of a pseudo-channel
  kRefreshBank,  // REFpb
};
constexpr std::size_t kCommands = 9;

/// As JEDEC abbreviates them: ACT, PRE, PREA, RD, RDA, WR, WRA, REFab, REFpb.
const char* name_of(Command command);
/// The same in a metric's name: act, pre, prea, rd, rda, wr, wra, refab, refpb.
const char* metric_name_of(Command command);

constexpr bool is_column(Command c) {
  return c == Command::kRead || c == Command::kReadAuto || c == Command::kWrite ||
         c == Command::kWriteAuto;
}

/// One command. `bank` is flat within its pseudo-channel: (sid * groups + group) * banks a group +
/// bank; of PREA and REFab it is the first bank of the SID.
struct CommandRecord {
  Tick tick = 0;
  Command command = Command::kActivate;
  std::uint8_t bank = 0;
  std::uint16_t channel = 0;         // of the device: stack * channels a stack + channel
  std::uint16_t pseudo_channel = 0;  // of the channel
  std::uint32_t row = 0;             // ACT, and column commands: the row that is open
  std::uint32_t column = 0;          // column commands
};

/// Told of every command in the order of each channel's ticks; not on time (see channel.h).
class CommandListener {
 public:
  virtual ~CommandListener() = default;
  virtual void command(const CommandRecord& record) = 0;
};

}  // namespace railyard::hbm
