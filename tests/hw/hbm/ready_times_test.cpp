// The engine of the constraints and the checker of commands, which share nothing but the table,
// agree on the first tick of every command.
#include "hw/hbm/ready_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "tests/hw/hbm/command_tools.h"
#include "tlm/sim/random.h"

namespace railyard::hbm::bench {
namespace {

/// Which constraints hold between commands to two places of a channel.
bool holds(Scope scope, const CommandRecord& a, const CommandRecord& b) {
  const Organisation o = small_organisation();
  if (scope == Scope::kChannel) return true;
  if (a.pseudo_channel != b.pseudo_channel) return false;
  const bool same_sid = o.sid_of(a.bank) == o.sid_of(b.bank);
  switch (scope) {
    case Scope::kBank:
      return a.bank == b.bank;
    case Scope::kGroup:
      return o.group_of(a.bank) == o.group_of(b.bank);
    case Scope::kSid:
      return same_sid;
    case Scope::kOtherSids:
      return !same_sid;
    default:
      return true;
  }
}

class HbmReadyTimes : public testing::TestWithParam<NamedTiming> {};

TEST_P(HbmReadyTimes, ACommandMovesEachOtherByItsLongestRow) {
  const ConstraintTable table = constraint_table(GetParam().timing);
  const ConstraintRules rules(table, small_organisation());
  constexpr Tick kAt = 1001;
  for (const Command before : kAllCommands) {
    const CommandRecord first = at(kAt, before, {0, 0, 0});
    ReadyTimes ready(rules);
    ReadyTimes other(rules);
    BusTimes buses(rules);
    ready.issued(before, first.bank, kAt);
    buses.issued(before, kAt);
    for (const Command after : kAllCommands) {
      for (unsigned i = 0; i < 64; ++i) {
        const CommandRecord second = at(
            0, after, {0, static_cast<std::uint16_t>(i / 32), static_cast<std::uint8_t>(i % 32)});
        Tick expected = 0;
        for (const Constraint& row : table.constraints) {
          if (row.before == before && row.after == after && holds(row.scope, first, second)) {
            expected = std::max(expected, kAt + row.distance);
          }
        }
        const ReadyTimes& of = second.pseudo_channel == 0 ? ready : other;
        const Kind kind = kind_of(after);
        const Tick found =
            std::max(tick_of(of.ready(kind, second.bank)), tick_of(buses.ready(kind)));
        EXPECT_EQ(found, expected)
            << name_of(before) << " to " << name_of(after) << " of bank " << i;
      }
    }
  }
}

TEST_P(HbmReadyTimes, SayWhichConstraintHoldsACommandUp) {
  const ConstraintTable table = constraint_table(GetParam().timing);
  const ConstraintRules rules(table, small_organisation());
  const auto cause = [&](const ReadyTimes& ready, Kind kind, unsigned bank) {
    return rules.causes()[cause_of(ready.ready(kind, bank))];
  };
  ReadyTimes ready(rules);
  EXPECT_EQ(cause(ready, Kind::kRead, 0), "unbound");
  ready.issued(Command::kActivate, 0, 0);
  EXPECT_EQ(cause(ready, Kind::kRead, 0), "tRCDRD");
  EXPECT_EQ(cause(ready, Kind::kRead, 1), "unbound");
  EXPECT_EQ(cause(ready, Kind::kActivate, 1), "tRRD_L");
  EXPECT_EQ(cause(ready, Kind::kActivate, 4), "tRRD_S");
  const Tick near = Tick{GetParam().timing.rrd_s} * kTicksPerClock;
  for (unsigned i = 1; i < 4; ++i) ready.issued(Command::kActivate, 4 * i, near * i);
  EXPECT_EQ(cause(ready, Kind::kActivate, 16), "tFAW");
}

/// One channel as the engine and as the checker see it.
class Both {
 public:
  explicit Both(const Timing& timing, std::uint64_t seed)
      : rules_(constraint_table(timing), small_organisation()),
        buses_(rules_),
        ready_{ReadyTimes(rules_), ReadyTimes(rules_)},
        checker_("random", small_organisation(), timing),
        random_(seed, "both") {}

  void step(bool all) {
    if (all) look_at_all();
    CommandRecord next = pick();
    next.tick = look(next);
    if (testing::Test::HasFailure()) return;
    // Most come as early as they may, so that constraints meet.
    if (random_.below(4) == 0) next.tick += static_cast<Tick>(2 * random_.below(40));
    if (random_.below(200) == 0) next.tick += static_cast<Tick>(2 * random_.below(2000));
    ASSERT_EQ(checker_.check(next), std::nullopt);
    checker_.take(next);
    ready_[next.pseudo_channel].issued(next.command, next.bank, next.tick);
    buses_.issued(next.command, next.tick);
    change_state(next);
    now_ = next.tick;
  }
  std::uint64_t given(Command command) const { return checker_.commands(command); }

 private:
  static constexpr unsigned kBanks = 32;

  bool open(const CommandRecord& r) const { return open_[r.pseudo_channel * kBanks + r.bank]; }
  bool possible(const CommandRecord& r) const {
    const auto first = open_.begin() + r.pseudo_channel * kBanks + r.bank;
    switch (r.command) {
      case Command::kActivate:
      case Command::kRefreshBank:
        return !open(r);
      case Command::kPrechargeAll:
        return true;
      case Command::kRefreshAll:
        return std::find(first, first + 16, true) == first + 16;
      default:
        return open(r);
    }
  }
  void change_state(const CommandRecord& r) {
    const auto first = open_.begin() + r.pseudo_channel * kBanks + r.bank;
    if (r.command == Command::kPrechargeAll) {
      std::fill(first, first + 16, false);
    } else if (r.command == Command::kActivate) {
      *first = true;
    } else if (r.command != Command::kRead && r.command != Command::kWrite) {
      *first = false;
    }
  }

  /// Commands that close or refresh a SID are rarer, so that others get far.
  CommandRecord pick() {
    while (true) {
      const Command command = kAllCommands[random_.below(kCommands)];
      const CommandRecord record = at(0, command,
                                      {0, static_cast<std::uint16_t>(random_.below(2)),
                                       static_cast<std::uint8_t>(random_.below(kBanks))});
      if (!possible(record)) continue;
      if (is_of_sid(command) && random_.below(command == Command::kRefreshAll ? 2 : 40) != 0) {
        continue;
      }
      return record;
    }
  }

  /// The first tick of a command; the checker refuses the one before.
  Tick look(CommandRecord record) {
    const Kind kind = kind_of(record.command);
    const ReadyTimes& ready = ready_[record.pseudo_channel];
    const Tick step = is_aligned(record.command) ? kTicksPerClock : 1;
    record.tick = aligned(record.command, std::max({tick_of(ready.ready(kind, record.bank)),
                                                    tick_of(buses_.ready(kind)), now_}));
    const Tick earliest = record.tick;
    EXPECT_EQ(checker_.check(record), std::nullopt);
    record.tick -= step;
    if (record.tick >= now_) {
      EXPECT_NE(checker_.check(record), std::nullopt)
          << name_of(record.command) << " of bank " << static_cast<int>(record.bank) << " at "
          << record.tick;
    }
    return earliest;
  }

  void look_at_all() {
    for (const Command command : kAllCommands) {
      for (std::uint16_t pc = 0; pc < 2; ++pc) {
        for (std::uint8_t bank = 0; bank < kBanks; ++bank) {
          const CommandRecord record = at(0, command, {0, pc, bank});
          if (record.bank == bank && possible(record)) look(record);
        }
      }
    }
  }

  ConstraintRules rules_;
  BusTimes buses_;
  std::array<ReadyTimes, 2> ready_;
  CommandChecker checker_;
  RandomStream random_;
  std::array<bool, 2 * kBanks> open_{};
  Tick now_ = 0;
};

TEST_P(HbmReadyTimes, AreTheFirstThatTheCheckerAcceptsInRandomSequences) {
  Both both(GetParam().timing, 5);
  for (int i = 0; i < 100'000 && !HasFailure(); ++i) both.step(i % 50 == 0);
  for (const Command command : kAllCommands) {
    EXPECT_GT(both.given(command), 500U) << name_of(command);
  }
}

INSTANTIATE_TEST_SUITE_P(Timings, HbmReadyTimes, testing::ValuesIn(timings()),
                         [](const auto& made) { return made.param.name; });

}  // namespace
}  // namespace railyard::hbm::bench
