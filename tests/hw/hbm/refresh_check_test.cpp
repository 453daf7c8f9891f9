// Refreshes that are missing, late, early, too many or of the wrong bank are found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "tests/hw/hbm/command_tools.h"

namespace railyard::hbm::bench {
namespace {

using testing::HasSubstr;

constexpr Tick kSlack = 200;
constexpr Tick kPeriod = 2 * 5106;
constexpr Tick kTurn = 2 * 159;  // floor(5106 / 32) CK

RefreshConfig config(RefreshMode mode, unsigned postpone = 0, bool staggered = false) {
  RefreshConfig made;
  made.mode = mode;
  made.postpone = postpone;
  made.staggered = staggered;
  return made;
}

/// One channel of one pseudo-channel; all its refreshes come when `when` says, or are left out.
struct Bench {
  explicit Bench(const RefreshConfig& refresh, unsigned sids = 1)
      : organisation(made(sids)), checker("memory", organisation, Timing{}, refresh, kSlack) {}

  static Organisation made(unsigned sids) {
    Organisation organisation = small_organisation();
    organisation.channels = 1;
    organisation.pseudo_channels = 1;
    organisation.sids = sids;
    return organisation;
  }

  std::string give(Tick tick, Command command, std::uint8_t bank) {
    const CommandRecord record = at(tick, command, {0, 0, bank});
    if (const auto problem = checker.check(record)) return *problem;
    checker.take(record);
    return "nothing";
  }
  std::string all(Tick tick, unsigned sid = 0) {
    return give(tick, Command::kRefreshAll, static_cast<std::uint8_t>(16 * sid));
  }
  std::string bank(Tick tick, unsigned flat) {
    return give(tick, Command::kRefreshBank, static_cast<std::uint8_t>(flat));
  }
  std::string end(Tick tick) { return checker.check_end(tick).value_or("nothing"); }

  Organisation organisation;
  CommandChecker checker;
};

TEST(HbmRefreshCheck, AcceptsOneAPeriod) {
  Bench bench(config(RefreshMode::kAllBank), 2);
  for (Tick k = 1; k <= 100; ++k) {
    ASSERT_EQ(bench.all(k * kPeriod, 0), "nothing");
    ASSERT_EQ(bench.all(k * kPeriod + 22, 1), "nothing");
  }
  EXPECT_EQ(bench.end(101 * kPeriod - 1), "nothing");
  EXPECT_EQ(bench.end(101 * kPeriod + kSlack), "nothing");
}

TEST(HbmRefreshCheck, FindsAMissingOneAtTheEnd) {
  Bench bench(config(RefreshMode::kAllBank), 2);
  EXPECT_EQ(bench.end(kPeriod + kSlack), "nothing");
  EXPECT_EQ(bench.end(kPeriod + kSlack + 1),
            "channel 0, pseudo-channel 0: SID 0 was refreshed 0 times by 5206.5 CK, the next one "
            "had to be done by 5206 CK, missed by 0.5 CK");
  ASSERT_EQ(bench.all(kPeriod, 0), "nothing");
  EXPECT_THAT(bench.end(kPeriod + kSlack + 1), HasSubstr("SID 1 was refreshed 0 times"));
  ASSERT_EQ(bench.all(kPeriod + 22, 1), "nothing");
  EXPECT_EQ(bench.end(kPeriod + kSlack + 1), "nothing");
  EXPECT_THAT(bench.end(2 * kPeriod + kSlack + 1), HasSubstr("SID 0 was refreshed 1 times"));
}

TEST(HbmRefreshCheck, FindsAMissingOneWithTheNextCommandOfAnyKind) {
  Bench bench(config(RefreshMode::kAllBank));
  EXPECT_EQ(bench.give(kPeriod + kSlack, Command::kActivate, 3), "nothing");
  EXPECT_THAT(bench.give(kPeriod + kSlack + 8, Command::kActivate, 12),
              HasSubstr("ACT at 5210 CK: SID 0 was refreshed 0 times"));
}

TEST(HbmRefreshCheck, FindsMissingOnesOfPseudoChannelsThatHadNoCommandAtAll) {
  CommandChecker checker("memory", small_organisation(), Timing{}, config(RefreshMode::kAllBank),
                         kSlack);
  const std::vector<Spot> spots = {{0, 0, 0},  {0, 1, 0},  {1, 0, 0},
                                   {0, 0, 16}, {0, 1, 16}, {1, 0, 16}};
  for (const Spot& spot : spots) {
    const auto record =
        at(kPeriod + spot.pseudo_channel + 2 * spot.bank, Command::kRefreshAll, spot);
    ASSERT_EQ(checker.check(record), std::nullopt);
    checker.take(record);
  }
  EXPECT_THAT(checker.check_end(2 * kPeriod).value_or("nothing"),
              HasSubstr("channel 1, pseudo-channel 1: SID 0 was refreshed 0 times"));
}

TEST(HbmRefreshCheck, FindsALateOne) {
  EXPECT_EQ(Bench(config(RefreshMode::kAllBank)).all(kPeriod + kSlack), "nothing");
  EXPECT_THAT(Bench(config(RefreshMode::kAllBank)).all(kPeriod + kSlack + 1),
              HasSubstr("REFab at 5206.5 CK: SID 0 was refreshed 0 times"));
}

TEST(HbmRefreshCheck, FindsAnEarlyOneAndOneTooMany) {
  Bench bench(config(RefreshMode::kAllBank));
  EXPECT_THAT(bench.all(kPeriod - 1),
              HasSubstr("refresh 1 is not due before 5106 CK, missed by 0.5 CK"));
  ASSERT_EQ(bench.all(kPeriod), "nothing");
  EXPECT_THAT(bench.all(2 * kPeriod - 1),
              HasSubstr("refresh 2 is not due before 10212 CK, missed by 0.5 CK"));
  EXPECT_EQ(bench.all(2 * kPeriod), "nothing");
}

TEST(HbmRefreshCheck, LetsAsManyBeOwedAsMayBePostponed) {
  Bench bench(config(RefreshMode::kAllBank, 3));
  EXPECT_EQ(bench.end(4 * kPeriod + kSlack), "nothing");
  EXPECT_THAT(bench.end(4 * kPeriod + kSlack + 1), HasSubstr("refreshed 0 times"));
  // All four at once; a fifth is in advance.
  for (Tick k = 0; k < 4; ++k) ASSERT_EQ(bench.all(4 * kPeriod + k * 918), "nothing");
  EXPECT_THAT(bench.all(4 * kPeriod + 4 * 918), HasSubstr("not due before"));
  EXPECT_EQ(bench.end(8 * kPeriod + kSlack), "nothing");
  EXPECT_THAT(bench.end(8 * kPeriod + kSlack + 1), HasSubstr("refreshed 4 times"));
}

TEST(HbmRefreshCheck, SidsApartKeepTheirShiftOnceItIsKnown) {
  Bench bench(config(RefreshMode::kAllBank, 0, true));
  const Tick shift = kPeriod / 3;
  ASSERT_EQ(bench.all(shift), "nothing");
  EXPECT_THAT(bench.all(kPeriod + shift - kSlack - 1), HasSubstr("not due before"));
  EXPECT_EQ(bench.end(kPeriod + shift + kSlack), "nothing");
  EXPECT_THAT(bench.end(kPeriod + shift + kSlack + 1), HasSubstr("refreshed 1 times"));
  // Each one narrows it.
  ASSERT_EQ(bench.all(kPeriod + shift - 10), "nothing");
  EXPECT_EQ(bench.end(2 * kPeriod + shift - 10 + kSlack), "nothing");
  EXPECT_THAT(bench.end(2 * kPeriod + shift - 10 + kSlack + 1), HasSubstr("refreshed 2 times"));
}

TEST(HbmRefreshCheck, StaggeredOnesAreNoReasonToLeaveThemOut) {
  Bench bench(config(RefreshMode::kAllBank, 0, true));
  EXPECT_EQ(bench.end(kPeriod + kSlack), "nothing");
  EXPECT_THAT(bench.end(kPeriod + kSlack + 1), HasSubstr("refreshed 0 times"));
}

TEST(HbmRefreshCheck, PerBankEachBankHasItsTurn) {
  Bench bench(config(RefreshMode::kPerBank), 2);
  // In an order of its own each round, and not a SID at a time.
  Tick turn = 0;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < 32; ++i) {
      ASSERT_EQ(bench.bank(++turn * kTurn, (i * 5 + round) % 32), "nothing");
    }
  }
  EXPECT_EQ(bench.end((turn + 1) * kTurn + kSlack), "nothing");
  EXPECT_THAT(bench.end((turn + 1) * kTurn + kSlack + 1),
              HasSubstr("banks were refreshed 96 times"));
}

TEST(HbmRefreshCheck, PerBankFindsABankTwiceInARound) {
  Bench bench(config(RefreshMode::kPerBank));
  const Tick turn = 2 * (5106 / 16);
  ASSERT_EQ(bench.bank(turn, 3), "nothing");
  EXPECT_THAT(bench.bank(2 * turn, 3), HasSubstr("refreshed again before all banks were"));
  for (unsigned i = 0, k = 2; i < 16; ++i) {
    if (i == 3) continue;
    ASSERT_EQ(bench.bank(k++ * turn, i), "nothing");
  }
  EXPECT_EQ(bench.bank(17 * turn, 3), "nothing");
}

TEST(HbmRefreshCheck, PerBankCountsInItsOwnPeriod) {
  // Taken for that of all banks, nothing would be missing for long.
  Bench bench(config(RefreshMode::kPerBank));
  EXPECT_THAT(bench.end(2 * (5106 / 16) + kSlack + 1), HasSubstr("refreshed 0 times"));
  // And one of 64 banks, of four SIDs, has a shorter one.
  Bench four(config(RefreshMode::kPerBank), 4);
  EXPECT_EQ(four.end(2 * (5106 / 64) + kSlack), "nothing");
  EXPECT_THAT(four.end(2 * (5106 / 64) + kSlack + 1), HasSubstr("refreshed 0 times"));
}

TEST(HbmRefreshCheck, OfTheConfiguredKindAlone) {
  EXPECT_THAT(Bench(config(RefreshMode::kPerBank)).all(kPeriod / 16),
              HasSubstr("of the other kind than is configured"));
  EXPECT_THAT(Bench(config(RefreshMode::kAllBank)).bank(kPeriod, 0),
              HasSubstr("of the other kind than is configured"));
  EXPECT_THAT(Bench(config(RefreshMode::kOff)).all(kPeriod), HasSubstr("refresh is off"));
  EXPECT_EQ(Bench(config(RefreshMode::kOff)).end(1000 * kPeriod), "nothing");
}

TEST(HbmRefreshCheck, AsManyAsTimeHasPeriods) {
  Bench bench(config(RefreshMode::kAllBank));
  for (Tick k = 1; k <= 1000; ++k) ASSERT_EQ(bench.all(k * kPeriod + k % kSlack), "nothing");
  EXPECT_EQ(bench.checker.commands(Command::kRefreshAll), 1000U);
  EXPECT_EQ(bench.end(1000 * kPeriod + kPeriod), "nothing");
}

}  // namespace
}  // namespace railyard::hbm::bench
