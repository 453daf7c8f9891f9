// Watches the commands of all channels and verifies each against every row of the constraint table,
// the state of the banks, and the count of refreshes, from a history of its own: nothing is shared
// with the scheduler's engine but the table.
//
// Verified: order in time within a channel; whole clocks for ACT and column commands; every
// constraint and window, the command buses' slots among them; ACT only to a closed bank, column
// commands only to the row that is open, PRE only of an open bank, REFab with all banks of its SID
// closed, REFpb with its own; refreshes, see refresh_check.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/constraint_table.h"
#include "hw/hbm/controller_config.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/refresh_check.h"
#include "hw/hbm/timing.h"
#include "tlm/observe/checker.h"

namespace railyard::hbm {

class CommandChecker : public CommandListener, public Checker {
 public:
  /// `name` is where a finding is said to be. `refresh_slack` in ticks, see RefreshCheck.
  CommandChecker(const std::string& name, const Organisation& organisation, const Timing& timing,
                 const RefreshConfig& refresh);
  CommandChecker(const std::string& name, const Organisation& organisation, const Timing& timing,
                 const RefreshConfig& refresh, Tick refresh_slack);
  /// Does not count refreshes: for commands of which it is not known how many there should be.
  CommandChecker(const std::string& name, const Organisation& organisation, const Timing& timing);
  CommandChecker(const CommandChecker&) = delete;
  CommandChecker& operator=(const CommandChecker&) = delete;

  /// Called first at the end of a run, so that all commands up to then are told.
  void set_catch_up(std::function<void()> catch_up) { catch_up_ = std::move(catch_up); }

  /// What is wrong with a command, if it came next; of constraints, the one that it misses by most,
  /// and of those the longest. Changes nothing.
  std::optional<std::string> check(const CommandRecord& record) const;
  /// What is missing at the end of all commands.
  std::optional<std::string> check_end(Tick end) const;
  /// A command came, right or not.
  void take(const CommandRecord& record);

  /// Both; a finding breaks an invariant.
  void command(const CommandRecord& record) override;
  void at_end(Time now, bool drained) override;

  /// Those that came.
  std::uint64_t commands(Command command) const {
    return counts_[static_cast<std::size_t>(command)];
  }
  std::uint64_t commands() const;

 private:
  static constexpr std::size_t kScopes = 6;
  /// The last command of a kind in a scope: when, and to which bank of the channel, in one word.
  class Last {
   public:
    Last() = default;
    explicit Last(const CommandRecord& record)
        : word_(record.tick * 256 + Tick{record.pseudo_channel} * 64 + record.bank) {}
    Tick tick() const { return word_ >> 8; }
    unsigned pseudo_channel() const { return static_cast<unsigned>(word_) / 64 % 4; }
    unsigned bank() const { return static_cast<unsigned>(word_) % 64; }

   private:
    std::int64_t word_ = -kNever * 256;
  };
  using LastOfKinds = std::array<Last, kCommands>;
  struct Row {
    Command before;
    Scope scope;
    Tick distance;
    const char* name;
  };
  struct WindowRow {
    Window window;
    std::vector<Last> recent;  // rings of `count`
    std::vector<std::uint32_t> next;
  };
  /// A row that holds a command up.
  struct Bound {
    Tick earliest = -kNever;
    Tick distance = 0;
    const char* name = nullptr;
    Command before = Command::kActivate;
    Last last{};
  };

  void compile(const ConstraintTable& table);
  std::size_t flat(const CommandRecord& record) const {
    return std::size_t{record.channel} * organisation_.pseudo_channels + record.pseudo_channel;
  }
  // Histories of a pseudo-channel: its own, then SIDs, groups, banks.
  std::size_t sid_slot(unsigned sid) const { return 1 + sid; }
  std::size_t group_slot(unsigned group) const { return 1 + organisation_.sids + group; }
  std::size_t bank_slot(unsigned bank) const {
    return 1 + std::size_t{organisation_.sids} * (1 + organisation_.groups) + bank;
  }
  /// Of each scope of a command; that of kOtherSids is its own SID's.
  std::array<const LastOfKinds*, kScopes> scopes(const CommandRecord& record) const;

  std::size_t ring_of(const Window& window, const CommandRecord& record) const;

  std::optional<std::string> misplaced(const CommandRecord& record) const;
  const char* wrong_state(const CommandRecord& record) const;
  /// Calls apply(last command, distance, name, its kind) for each constraint of a command.
  template <class Apply>
  void for_each_bound(const CommandRecord& record, Apply apply) const;
  Tick earliest(const CommandRecord& record) const;
  Bound bound(const CommandRecord& record) const;
  std::string text(const CommandRecord& record) const;
  std::string text(const CommandRecord& record, const Bound& bound) const;
  void change_state(const CommandRecord& record);

  std::string name_;
  Organisation organisation_;
  Timing timing_;
  std::optional<RefreshCheck> refresh_;
  std::function<void()> catch_up_;
  std::array<std::vector<Row>, kCommands> rows_;        // by the command after
  std::array<std::vector<Row>, kCommands> other_rows_;  // those of kOtherSids
  std::vector<WindowRow> windows_;

  std::size_t slots_;                      // of a pseudo-channel
  std::vector<LastOfKinds> history_;       // of pseudo-channels
  std::vector<LastOfKinds> channels_;      // of channels
  std::vector<Tick> last_tick_;            // of channels
  std::vector<std::int64_t> open_row_;     // of banks; none: -1
  std::vector<std::uint32_t> open_banks_;  // of SIDs
  std::array<std::uint8_t, 64> sid_of_{};  // of a flat bank
  std::array<std::uint8_t, 64> group_of_{};
  std::array<std::uint64_t, kCommands> counts_{};
};

}  // namespace railyard::hbm
