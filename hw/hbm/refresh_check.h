// Whether each SID is refreshed as often as it must be, neither late nor in advance: the part of
// the checker of commands that counts.
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

/// The k-th refresh of a SID, k from 1, is due k periods after time 0, and is done after that and
/// before more than 1 + postpone are owed: postpone periods later, but for the slack.
///
/// All-bank: the period is tREFI. Per bank: it is that of the SID's turns, SIDs * tREFIpb, where
/// tREFIpb is tREFI / banks of the pseudo-channel in whole clocks; no bank has its next turn before
/// all of its SID had theirs.
///
/// SIDs that take turns, staggered or per bank, are due up to a period before the others. How much
/// is not told: any shift is right that all of a SID's refreshes agree with.
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
  std::uint64_t done(std::size_t pseudo_channel, unsigned sid) const {
    return sids_[pseudo_channel * organisation_.sids + sid].done;
  }

 private:
  struct Sid {
    std::uint64_t done = 0;
    std::uint64_t round = 0;  // per bank: the banks that had their turn, a bit each
    // Of its due times: what all refreshes so far agree with.
    Tick least_shift = 0;
    Tick most_shift = 0;
  };
  /// Of the k-th.
  Tick due(std::uint64_t k, Tick shift) const { return static_cast<Tick>(k) * period_ + shift; }
  Tick last_moment(const Sid& sid) const {
    return due(sid.done + 1 + postpone_, sid.most_shift) + slack_;
  }
  std::optional<std::string> problem_of(const CommandRecord& record,
                                        std::size_t pseudo_channel) const;
  std::optional<std::string> wrong_bank(const Sid& sid, const CommandRecord& record) const;

  Organisation organisation_;
  RefreshMode mode_;
  Tick period_;
  Tick slack_;
  std::uint64_t postpone_;
  std::vector<Sid> sids_;
  std::vector<Tick> overdue_;  // the first moment of a pseudo-channel's SIDs
};

}  // namespace railyard::hbm
