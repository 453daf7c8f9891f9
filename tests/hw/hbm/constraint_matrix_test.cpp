// Every pair of commands, in every relation of their places, at one below, at and one above the
// distance that the table asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "hw/hbm/constraint_table.h"
#include "tests/hw/hbm/command_tools.h"

namespace railyard::hbm::bench {
namespace {

using C = Command;

// Long after the rows were opened that a pair needs.
constexpr Tick kStart = 10000;

struct Relation {
  const char* name;
  Spot second;  // the first is the default spot
  std::vector<Scope> scopes;
};

const std::vector<Relation>& relations() {
  using S = Scope;
  static const std::vector<Relation> all = {
      {"same bank", {0, 0, 0}, {S::kBank, S::kGroup, S::kSid, S::kPseudoChannel, S::kChannel}},
      {"same group", {0, 0, 1}, {S::kGroup, S::kSid, S::kPseudoChannel, S::kChannel}},
      {"same SID", {0, 0, 4}, {S::kSid, S::kPseudoChannel, S::kChannel}},
      {"other SID", {0, 0, 16}, {S::kOtherSids, S::kPseudoChannel, S::kChannel}},
      {"other SID, other group", {0, 0, 21}, {S::kOtherSids, S::kPseudoChannel, S::kChannel}},
      {"other pseudo-channel", {0, 1, 0}, {S::kChannel}},
      {"other SID of the other pseudo-channel", {0, 1, 16}, {S::kChannel}},
      {"other channel", {1, 0, 0}, {}},
  };
  return all;
}

bool same_sid(const Spot& a, const Spot& b) {
  return a.channel == b.channel && a.pseudo_channel == b.pseudo_channel &&
         a.bank / 16 == b.bank / 16;
}
bool same_bank(const Spot& a, const Spot& b) { return same_sid(a, b) && a.bank == b.bank; }

bool needs_open(Command c) { return is_column(c) || c == Command::kPrecharge; }
bool leaves_open(Command c) {
  return c == Command::kActivate || c == Command::kRead || c == Command::kWrite;
}

/// What the table says, looked up otherwise than the checker does.
struct Needed {
  Tick earliest = 0;
  std::set<std::string> names;

  void raise(Tick tick, const char* name) {
    if (tick > earliest) names.clear();
    if (tick >= earliest) names.insert(name);
    earliest = std::max(earliest, tick);
  }
};

class Pair {
 public:
  Pair(Command before, Command after, const Relation& relation, const NamedTiming& timing)
      : before_(before),
        after_(after),
        relation_(relation),
        timing_(timing.timing),
        table_(constraint_table(timing.timing)) {
    applies_within_sid_ = is_of_sid(before) || is_of_sid(after);
  }

  /// Whether the banks' state lets the second follow the first, with at most a precharge between.
  bool possible() const {
    const Spot b = relation_.second;
    const bool closed_by_first =
        is_of_sid(before_) ? same_sid({}, b) : same_bank({}, b) && !leaves_open(before_);
    if (needs_open(after_)) return !closed_by_first;
    return after_ == Command::kPrechargeAll || before_ == Command::kActivate || !opened_by_first();
  }

  void test(Tick start, std::set<std::string>& seen) const {
    const Needed needed = needs(start);
    const Tick first = aligned(after_, needed.earliest);
    const Tick step = is_aligned(after_) ? kTicksPerClock : 1;
    SCOPED_TRACE(std::string(name_of(before_)) + " to " + name_of(after_) + ", " + relation_.name +
                 ", from tick " + std::to_string(start) + ": " + std::to_string(first - start));
    CommandChecker checker("matrix", small_organisation(), timing_);
    lead(checker, start);
    EXPECT_EQ(checker.check(at(first, after_, relation_.second)), std::nullopt);
    EXPECT_EQ(checker.check(at(first + step, after_, relation_.second)), std::nullopt);
    // Nothing holds it up, or nothing but that time does not go back.
    if (needed.names.empty() || first - step < last_tick(start)) return;
    const auto found = checker.check(at(first - step, after_, relation_.second));
    ASSERT_NE(found, std::nullopt);
    const bool named = std::any_of(needed.names.begin(), needed.names.end(), [&](const auto& n) {
      return found->find(" misses " + n + " by ") != std::string::npos;
    });
    EXPECT_TRUE(named) << *found;
    note_rows(start, needed, seen);
  }

  static std::string key(const Constraint& row) {
    return std::string(row.name) + " of scope " + std::to_string(static_cast<int>(row.scope)) +
           ", " + name_of(row.before) + " to " + name_of(row.after);
  }

 private:
  bool applies(Scope scope) const {
    if (applies_within_sid_ && (scope == Scope::kBank || scope == Scope::kGroup)) return false;
    const auto& scopes = relation_.scopes;
    return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
  }
  bool opened_by_first() const {
    if (!leaves_open(before_)) return false;
    const Spot b = relation_.second;
    return after_ == Command::kRefreshAll ? same_sid({}, b) : same_bank({}, b);
  }
  bool with_precharge() const {
    return !needs_open(after_) && after_ != Command::kPrechargeAll && opened_by_first();
  }
  Tick precharge(Tick start) const { return start + Tick{timing_.ras} * kTicksPerClock; }
  Tick last_tick(Tick start) const { return with_precharge() ? precharge(start) : start; }

  Needed needs(Tick start) const {
    Needed needed;
    for (const Constraint& row : table_.constraints) {
      if (row.after != after_ || !applies(row.scope)) continue;
      if (row.before == before_) needed.raise(start + row.distance, row.name);
      if (row.before == Command::kPrecharge && with_precharge()) {
        needed.raise(precharge(start) + row.distance, row.name);
      }
    }
    if (needed.earliest < last_tick(start)) return {last_tick(start), {}};
    return needed;
  }

  /// All that comes before the second command.
  void lead(CommandChecker& checker, Tick start) const {
    const auto give = [&](Tick tick, Command command, Spot spot) {
      const auto record = at(tick, command, spot);
      ASSERT_EQ(checker.check(record), std::nullopt);
      checker.take(record);
    };
    if (needs_open(before_) || before_ == Command::kPrechargeAll) {
      give(1000, Command::kActivate, {});
    }
    if (needs_open(after_) && !same_bank({}, relation_.second)) {
      give(2000, Command::kActivate, relation_.second);
    }
    give(start, before_, {});
    if (with_precharge()) give(precharge(start), Command::kPrecharge, {});
  }

  /// The rows that this pair showed to hold.
  void note_rows(Tick start, const Needed& needed, std::set<std::string>& seen) const {
    for (const Constraint& row : table_.constraints) {
      if (row.before == before_ && row.after == after_ && applies(row.scope) &&
          start + row.distance == needed.earliest) {
        seen.insert(key(row));
      }
    }
  }

  Command before_;
  Command after_;
  const Relation& relation_;
  Timing timing_;
  ConstraintTable table_;
  bool applies_within_sid_ = false;
};

/// All pairs of one timing; the rows that it showed.
std::set<std::string> test_all(const NamedTiming& timing) {
  std::set<std::string> seen;
  for (const Command before : kAllCommands) {
    for (const Command after : kAllCommands) {
      for (const Relation& relation : relations()) {
        const Pair pair(before, after, relation, timing);
        if (!pair.possible()) continue;
        pair.test(kStart, seen);
        if (!is_aligned(before)) pair.test(kStart + 1, seen);
      }
    }
  }
  return seen;
}

class HbmConstraintMatrix : public testing::TestWithParam<NamedTiming> {};

TEST_P(HbmConstraintMatrix, EachPairOfCommandsKeepsItsDistanceAndNoMore) {
  EXPECT_GT(test_all(GetParam()).size(), 100U);
}

TEST(HbmConstraintMatrix, EachRowOfTheTableIsShown) {
  std::set<std::string> seen;
  for (const NamedTiming& timing : timings()) seen.merge(test_all(timing));
  for (const Constraint& row : constraint_table(Timing{}).constraints) {
    EXPECT_EQ(seen.count(Pair::key(row)), 1U) << Pair::key(row);
  }
}

/// Activates of so many banks, as close as tRRD lets them, then one more.
std::optional<std::string> after_activates(const Timing& timing, const std::vector<Spot>& spots,
                                           Spot last, Tick distance) {
  CommandChecker checker("matrix", small_organisation(), timing);
  Tick tick = 0;
  for (const Spot& spot : spots) {
    const auto record = at(tick, Command::kActivate, spot);
    EXPECT_EQ(checker.check(record), std::nullopt);
    checker.take(record);
    tick += Tick{timing.rrd_s} * kTicksPerClock;
  }
  return checker.check(at(distance, Command::kActivate, last));
}

TEST_P(HbmConstraintMatrix, TheFifthActivateKeepsTheWindowOfItsPseudoChannel) {
  const Timing timing = GetParam().timing;
  const Tick window = Tick{timing.faw} * kTicksPerClock;
  const std::vector<Spot> groups = {{0, 0, 0}, {0, 0, 4}, {0, 0, 8}, {0, 0, 12}};
  const std::vector<Spot> sids = {{0, 0, 0}, {0, 0, 16}, {0, 0, 4}, {0, 0, 20}};
  for (const auto& spots : {groups, sids}) {
    for (const Spot last : {Spot{0, 0, 1}, Spot{0, 0, 5}, Spot{0, 0, 17}}) {
      SCOPED_TRACE(static_cast<int>(last.bank));
      const auto below = after_activates(timing, spots, last, window - kTicksPerClock);
      ASSERT_NE(below, std::nullopt);
      EXPECT_NE(below->find(" misses tFAW by 1 CK: "), std::string::npos) << *below;
      EXPECT_EQ(after_activates(timing, spots, last, window), std::nullopt);
      EXPECT_EQ(after_activates(timing, spots, last, window + kTicksPerClock), std::nullopt);
    }
    // The fourth is not the fifth, and a pseudo-channel counts its own.
    const std::vector<Spot> three(spots.begin(), spots.begin() + 3);
    EXPECT_EQ(after_activates(timing, three, {0, 0, 13}, window - kTicksPerClock), std::nullopt);
    EXPECT_EQ(after_activates(timing, spots, {0, 1, 1}, window - kTicksPerClock), std::nullopt);
    EXPECT_EQ(after_activates(timing, spots, {1, 0, 1}, window - kTicksPerClock), std::nullopt);
  }
}

TEST_P(HbmConstraintMatrix, TheWindowSlides) {
  const Timing timing = GetParam().timing;
  CommandChecker checker("matrix", small_organisation(), timing);
  // The distances are uneven, so that a window counted in blocks of four would be seen.
  const Tick window = Tick{timing.faw} * kTicksPerClock;
  const Tick gap = aligned(Command::kActivate, window / 3);
  const Tick near = Tick{timing.rrd_s} * kTicksPerClock;
  const std::vector<Tick> ticks = {0, gap, gap + near, gap + near * 2};
  std::uint8_t bank = 0;
  const auto next = [&](Tick tick) {
    return at(tick, Command::kActivate, {0, 0, static_cast<std::uint8_t>(bank * 4 % 31)});
  };
  for (const Tick tick : ticks) {
    ASSERT_EQ(checker.check(next(tick)), std::nullopt);
    checker.take(next(tick));
    ++bank;
  }
  for (const Tick first : ticks) {
    const Tick tick = first + window;
    ASSERT_NE(checker.check(next(tick - kTicksPerClock)), std::nullopt);
    ASSERT_EQ(checker.check(next(tick)), std::nullopt);
    checker.take(next(tick));
    ++bank;
  }
}

INSTANTIATE_TEST_SUITE_P(Timings, HbmConstraintMatrix, testing::ValuesIn(timings()),
                         [](const auto& made) { return made.param.name; });

/// What JEDEC's terms come to with the H100's set, computed by hand; in half clocks.
struct Distance {
  Command before;
  Command after;
  // As in relations(): bank, group, SID, other SID, other pseudo-channel. -1: not looked at.
  std::array<Tick, 5> ticks;
};

TEST(HbmConstraintTable, GivesTheH100sDistances) {
  const std::vector<Distance> distances = {
      {C::kRead, C::kRead, {8, 8, 4, 6, 2}},
      {C::kWrite, C::kWriteAuto, {8, 8, 4, 6, 2}},
      {C::kRead, C::kWrite, {34, 34, 34, 34, 2}},
      {C::kWrite, C::kRead, {40, 40, 34, 34, 2}},
      {C::kActivate, C::kRead, {52, 0, 0, 0, 0}},
      {C::kActivate, C::kWrite, {26, 0, 0, 0, 0}},
      {C::kActivate, C::kPrecharge, {74, 3, 3, 3, 3}},
      {C::kActivate, C::kPrechargeAll, {74, 74, 74, 3, 3}},
      {C::kActivate, C::kActivate, {118, 10, 8, 8, 3}},
      {C::kActivate, C::kRefreshBank, {118, 10, 8, 3, 3}},
      {C::kActivate, C::kRefreshAll, {118, 118, 118, 3, 3}},
      {C::kRead, C::kPrecharge, {16, 0, 0, 0, 0}},
      {C::kRead, C::kPrechargeAll, {16, 16, 16, 0, 0}},
      {C::kWrite, C::kPrecharge, {78, 0, 0, 0, 0}},
      {C::kWrite, C::kPrechargeAll, {78, 78, 78, 0, 0}},
      {C::kReadAuto, C::kActivate, {60, 0, 0, 0, 0}},
      {C::kWriteAuto, C::kActivate, {122, 0, 0, 0, 0}},
      {C::kWriteAuto, C::kRefreshBank, {122, 0, 0, 0, 0}},
      {C::kWriteAuto, C::kRefreshAll, {122, 122, 122, 0, 0}},
      {C::kPrecharge, C::kActivate, {44, 1, 1, 1, 1}},
      {C::kPrecharge, C::kRefreshAll, {44, 44, 44, 1, 1}},
      {C::kPrecharge, C::kPrecharge, {-1, 4, 4, 4, 1}},
      {C::kPrechargeAll, C::kActivate, {44, 44, 44, 1, 1}},
      {C::kPrechargeAll, C::kPrechargeAll, {4, 4, 4, 4, 1}},
      {C::kRefreshAll, C::kActivate, {918, 918, 918, 1, 1}},
      {C::kRefreshAll, C::kPrechargeAll, {918, 918, 918, 1, 1}},
      {C::kRefreshAll, C::kRefreshAll, {918, 918, 918, 22, 1}},
      {C::kRefreshBank, C::kActivate, {524, 22, 22, 1, 1}},
      {C::kRefreshBank, C::kRefreshBank, {524, 22, 22, 22, 1}},
      {C::kRefreshBank, C::kPrechargeAll, {524, 524, 524, 1, 1}},
      {C::kRefreshBank, C::kRead, {-1, 0, 0, 0, 0}},
  };
  const ConstraintTable table = constraint_table(Timing{});
  const std::array<std::size_t, 5> picked = {0, 1, 2, 3, 5};
  for (const Distance& d : distances) {
    for (std::size_t i = 0; i < picked.size(); ++i) {
      const Relation& relation = relations()[picked[i]];
      if (d.ticks[i] < 0) continue;
      Tick longest = 0;
      for (const Constraint& row : table.constraints) {
        const auto& s = relation.scopes;
        if (row.before == d.before && row.after == d.after &&
            std::find(s.begin(), s.end(), row.scope) != s.end()) {
          longest = std::max(longest, row.distance);
        }
      }
      EXPECT_EQ(longest, d.ticks[i])
          << name_of(d.before) << " to " << name_of(d.after) << ", " << relation.name;
    }
  }
}

}  // namespace
}  // namespace railyard::hbm::bench
