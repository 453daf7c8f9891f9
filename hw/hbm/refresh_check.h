// Whether SIDs, or banks, are refreshed as often as they must be, neither late nor in advance: the
// part of the checker of commands that counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/controller_config.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"

namespace railyard::hbm {

/// What takes its turns alone is a SID that is refreshed as a whole, or per bank a pseudo-channel.
/// Its k-th refresh, k from 1, is due k periods after time 0, and is done after that and before
/// more than 1 + postpone are owed: postpone periods later, but for the slack.
///
/// The period is tREFI; per bank tREFIpb, which is tREFI / banks of the pseudo-channel in whole
/// clocks, and no bank has its next refresh before all of the pseudo-channel had theirs.
///
/// Staggered, the first refresh is due up to a period earlier. How much is not told: any shift is
/// right that all refreshes since agree with.
class RefreshCheck {
 public:
  /// `slack`: the time from when a refresh must be done until it is, as banks are precharged and
  /// other refreshes stand before it.
  RefreshCheck(const Organisation& organisation, const Timing& timing, const RefreshConfig& config,
               Tick slack);

  /// More than the longest way of a refresh: a row that was just opened is read or written once
  /// and closed, all banks one by one, after the refreshes of all SIDs.
  static Tick default_slack(const Organisation& organisation, const Timing& timing);

  /// What is wrong with a command of a pseudo-channel (of the device); a refresh that is late is
  /// found with any command.
  std::optional<std::string> problem(const CommandRecord& record,
                                     std::size_t pseudo_channel) const {
    if (record.tick <= overdue_[pseudo_channel] && !is_refresh(record.command)) return std::nullopt;
    return problem_of(record, pseudo_channel);
  }
  /// A refresh without a problem was done.
  void take(const CommandRecord& record, std::size_t pseudo_channel);
  /// What is missing at a time to which all commands were told.
  std::optional<std::string> missing(std::size_t pseudo_channel, Tick end) const;

  static bool is_refresh(Command command) {
    return command == Command::kRefreshAll || command == Command::kRefreshBank;
  }

 private:
  struct Unit {
    std::uint64_t done = 0;
    std::uint64_t round = 0;  // per bank: those that had their turn, a bit each
    // Of its due times: what all refreshes so far agree with.
    Tick least_shift = 0;
    Tick most_shift = 0;
  };
  /// Of a unit's k-th.
  Tick due(std::uint64_t k, Tick shift) const { return static_cast<Tick>(k) * period_ + shift; }
  Tick last_moment(const Unit& unit) const {
    return due(unit.done + 1 + postpone_, unit.most_shift) + slack_;
  }
  std::size_t unit_of(const CommandRecord& record, std::size_t pseudo_channel) const {
    const unsigned sid = mode_ == RefreshMode::kPerBank ? 0 : organisation_.sid_of(record.bank);
    return pseudo_channel * units_each_ + sid;
  }
  std::optional<std::string> problem_of(const CommandRecord& record,
                                        std::size_t pseudo_channel) const;

  Organisation organisation_;
  RefreshMode mode_;
  Tick period_;
  Tick slack_;
  std::uint64_t postpone_;
  unsigned units_each_;  // of a pseudo-channel
  std::vector<Unit> units_;
  std::vector<Tick> overdue_;  // the first moment of a pseudo-channel's units
};

}  // namespace railyard::hbm
