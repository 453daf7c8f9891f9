// The engine of the constraints: for each bank, group, SID, pseudo-channel, and for the buses of
// the channel, the first tick at which each kind of command may come, made from the table. A
// command moves on what its rows of the table name, and nothing else is computed again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/hbm/constraint_table.h"

namespace railyard::hbm {

/// A tick and the constraint that made it so late, in one word: the larger is the later.
using Ready = std::int64_t;
constexpr unsigned kCauseBits = 8;
constexpr Tick tick_of(Ready ready) { return ready >> kCauseBits; }
constexpr unsigned cause_of(Ready ready) {
  return static_cast<unsigned>(ready) & ((1U << kCauseBits) - 1);
}
/// No constraint: the command was wanted no earlier.
constexpr unsigned kUnbound = 0;

/// Commands that the same constraints hold up, with and without auto-precharge.
enum class Kind : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,
  kRead,
  kWrite,
  kRefreshAll,
  kRefreshBank,
};
constexpr std::array<Kind, kCommands> kKinds = {
    Kind::kActivate, Kind::kPrecharge, Kind::kPrechargeAll, Kind::kRead,       Kind::kRead,
    Kind::kWrite,    Kind::kWrite,     Kind::kRefreshAll,   Kind::kRefreshBank};
constexpr Kind kind_of(Command command) { return kKinds[static_cast<std::size_t>(command)]; }

/// The table, put in the order in which the engine needs it; one serves all pseudo-channels.
class ConstraintRules {
 public:
  /// Rules for commands of the kinds in `unused`, a bit each, are left out. std::logic_error if a
  /// table says what the engine does not know: other constraints before a command with
  /// auto-precharge than before the one without, a window of another scope than a pseudo-channel, a
  /// bus that does not treat all kinds alike.
  ConstraintRules(const ConstraintTable& table, const Organisation& organisation,
                  unsigned unused = 0);

  /// Names of causes; the first is kUnbound's.
  const std::vector<std::string>& causes() const { return causes_; }

 private:
  friend class BusTimes;
  friend class ReadyTimes;
  struct Rule {
    Scope scope;
    Kind kind;
    Ready after;  // the distance and the cause
  };
  /// What a command moves on.
  struct Moves {
    std::vector<Rule> near;  // in the pseudo-channel, its own SID
    std::vector<Rule> other_sids;
    Ready bus = 0;  // it takes its bus so long
  };
  struct WindowRule {
    Command command;
    Kind kind;
    unsigned count;
    Ready after;
  };
  unsigned cause(const char* name);
  void add(std::size_t before, const Constraint& row);

  Organisation organisation_;
  std::array<Moves, kCommands> moves_;
  std::vector<WindowRule> windows_;
  std::vector<std::string> causes_;
};

/// One cache line.
struct alignas(64) ReadyLine {
  std::array<Ready, 8> of{};
  Ready operator[](Kind kind) const { return of[static_cast<std::size_t>(kind)]; }
  void raise(Kind kind, Ready ready) {
    Ready& mine = of[static_cast<std::size_t>(kind)];
    mine = std::max(mine, ready);
  }
};

/// The command buses that the pseudo-channels of a channel share.
class BusTimes {
 public:
  explicit BusTimes(const ConstraintRules& rules) : rules_(rules) {}
  Ready ready(Kind kind) const {
    return kind == Kind::kRead || kind == Kind::kWrite ? column_ : row_;
  }
  void issued(Command command, Tick tick) {
    Ready& bus = is_column(command) ? column_ : row_;
    bus = (tick << kCauseBits) + rules_.moves_[static_cast<std::size_t>(command)].bus;
  }

 private:
  const ConstraintRules& rules_;
  Ready row_ = 0;
  Ready column_ = 0;
};

/// Of one pseudo-channel.
class ReadyTimes {
 public:
  explicit ReadyTimes(const ConstraintRules& rules);

  /// Of the bank alone, its group and SID, and the pseudo-channel; the largest of all holds. The
  /// buses come on top.
  Ready of_bank(Kind kind, unsigned bank) const { return lines_[bank][kind]; }
  Ready of_group(Kind kind, unsigned bank) const { return lines_[group_line_[bank]][kind]; }
  Ready of_sid(Kind kind, unsigned bank) const { return lines_[sid_line_[bank]][kind]; }
  /// With one SID its constraints are those of the pseudo-channel.
  bool has_sids() const { return sids_ > 1; }
  Ready of_all(Kind kind) const { return lines_[all_line_][kind]; }
  Ready ready(Kind kind, unsigned bank) const {
    return std::max({of_bank(kind, bank), of_group(kind, bank), of_sid(kind, bank), of_all(kind)});
  }

  void issued(Command command, unsigned bank, Tick tick);

 private:
  struct Recent {
    std::vector<Tick> ticks;  // of the last commands, a ring
    std::size_t next = 0;
  };

  const ConstraintRules& rules_;
  unsigned sids_;
  std::array<std::uint8_t, 64> group_line_{};
  std::array<std::uint8_t, 64> sid_line_{};
  unsigned first_sid_line_;
  unsigned all_line_;
  std::vector<ReadyLine> lines_;  // banks, groups, SIDs, the pseudo-channel
  std::vector<Recent> recent_;    // a window each
};

}  // namespace railyard::hbm
