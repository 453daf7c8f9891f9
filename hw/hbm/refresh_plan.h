// When the SIDs, or banks, of a pseudo-channel are to be refreshed. Each refresh becomes due at a
// fixed time, whatever happened to those before: none is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/controller_config.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"

namespace railyard::hbm {

class RefreshPlan {
 public:
  /// Of the pseudo-channel that is number `index` of `count` in the device.
  RefreshPlan(const RefreshConfig& config, const Organisation& organisation, const Timing& timing,
              unsigned index, unsigned count);

  /// When the next becomes due.
  Tick next() const { return next_; }
  /// Banks that take no other command until they are refreshed, and may not be opened.
  std::uint64_t wanted() const { return wanted_; }

  /// Takes what is due, and decides which are wanted: at once, or with `postpone` when too many are
  /// owed or nothing waits (`waiting`: banks with requests). True if more are wanted than before.
  bool update(Tick now, std::uint64_t waiting) {
    return (now >= next_ || owed_ > 0) && decide(now, waiting);
  }
  /// Those that are wanted: which command, of which bank (the first of a SID).
  Command command() const { return command_; }
  template <class Call>
  void for_each_wanted(Call call) const {
    if (wanted_ == 0) return;
    for (const Unit& unit : units_) {
      if (unit.wanted) call(unit.bank, unit.mask);
    }
  }
  /// The refresh of `bank` (the first of its SID) was sent.
  void done(unsigned bank);

 private:
  /// What is refreshed in turn: a SID, or all banks of the pseudo-channel, one after the other.
  struct Unit {
    Tick due = kNever;
    unsigned owed = 0;
    unsigned turn = 0;
    bool wanted = false;
    unsigned bank = 0;       // whose turn it is
    std::uint64_t mask = 0;  // of the banks that the command concerns
  };
  bool decide(Tick now, std::uint64_t waiting);
  void take_turn(Unit& unit);

  Organisation organisation_;
  RefreshMode mode_;
  unsigned postpone_;
  Tick interval_ = kNever;
  Tick next_ = kNever;
  std::uint64_t wanted_ = 0;
  std::uint64_t owed_ = 0;  // of all units
  Command command_;
  std::vector<Unit> units_;
};

}  // namespace railyard::hbm
