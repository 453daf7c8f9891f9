// The checker of commands finds what is wrong with places, times and the state of banks.
#include "hw/hbm/command_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "tests/hw/hbm/command_tools.h"

namespace railyard::hbm::bench {
namespace {

using testing::HasSubstr;
using C = Command;

struct Step {
  Tick tick;
  Command command;
  Spot spot;
  std::uint32_t row = kRow;
};

/// All but the last step are right; what is wrong with that.
std::string wrong_with(const std::vector<Step>& steps) {
  CommandChecker checker("memory", small_organisation(), Timing{});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto record = at(steps[i].tick, steps[i].command, steps[i].spot, steps[i].row);
    const auto problem = checker.check(record);
    if (i + 1 == steps.size()) return problem.value_or("nothing");
    EXPECT_EQ(problem, std::nullopt);
    checker.take(record);
  }
  return "no step";
}

TEST(HbmCommandChecker, ActivatesClosedBanksAlone) {
  const std::string found = "ACT at 500 CK: the bank has an open row already";
  EXPECT_THAT(wrong_with({{0, C::kActivate, {}}, {1000, C::kActivate, {}}}), HasSubstr(found));
  EXPECT_THAT(wrong_with({{0, C::kActivate, {}}, {1000, C::kActivate, {}, 8}}), HasSubstr(found));
  EXPECT_EQ(wrong_with({{0, C::kActivate, {}}, {1000, C::kActivate, {0, 0, 1}}}), "nothing");
}

TEST(HbmCommandChecker, ReadsAndWritesTheOpenRowAlone) {
  for (const Command column : {C::kRead, C::kReadAuto, C::kWrite, C::kWriteAuto}) {
    EXPECT_THAT(wrong_with({{1000, column, {}}}), HasSubstr(" at 500 CK: the bank is closed"));
    EXPECT_THAT(wrong_with({{0, C::kActivate, {}, 8}, {1000, column, {}}}),
                HasSubstr("another row of the bank is open"));
    EXPECT_THAT(wrong_with({{0, C::kActivate, {}}, {1000, column, {0, 0, 1}}}),
                HasSubstr("the bank is closed"));
    EXPECT_EQ(wrong_with({{0, C::kActivate, {}}, {1000, column, {}}}), "nothing");
    // A row stays open after a column command, but for auto-precharge.
    const bool closes = column == C::kReadAuto || column == C::kWriteAuto;
    EXPECT_THAT(wrong_with({{0, C::kActivate, {}}, {1000, column, {}}, {2000, C::kRead, {}}}),
                HasSubstr(closes ? "the bank is closed" : "nothing"));
    EXPECT_THAT(wrong_with({{0, C::kActivate, {}}, {1000, column, {}}, {2000, C::kActivate, {}}}),
                HasSubstr(closes ? "nothing" : "open row"));
  }
}

TEST(HbmCommandChecker, PrechargesOpenBanksAlone) {
  EXPECT_THAT(wrong_with({{1000, C::kPrecharge, {}}}), HasSubstr("the bank is closed already"));
  EXPECT_THAT(
      wrong_with({{0, C::kActivate, {}}, {500, C::kReadAuto, {}}, {1000, C::kPrecharge, {}}}),
      HasSubstr("the bank is closed already"));
  EXPECT_EQ(wrong_with({{1000, C::kPrechargeAll, {}}}), "nothing");
  // Of the SID alone, and of all of it.
  const std::vector<Step> open = {{0, C::kActivate, {}},
                                  {100, C::kActivate, {0, 0, 15}},
                                  {200, C::kActivate, {0, 0, 16}},
                                  {300, C::kActivate, {0, 1, 0}},
                                  {1000, C::kPrechargeAll, {}}};
  const auto then = [&](Spot spot) {
    auto steps = open;
    steps.push_back({2000, C::kPrecharge, spot});
    return wrong_with(steps);
  };
  EXPECT_THAT(then({}), HasSubstr("closed already"));
  EXPECT_THAT(then({0, 0, 15}), HasSubstr("closed already"));
  EXPECT_EQ(then({0, 0, 16}), "nothing");
  EXPECT_EQ(then({0, 1, 0}), "nothing");
}

TEST(HbmCommandChecker, RefreshesClosedBanksAlone) {
  const Step open = {0, C::kActivate, {0, 0, 5}};
  EXPECT_THAT(wrong_with({open, {1000, C::kRefreshAll, {}}}),
              HasSubstr("a bank of the SID has an open row"));
  EXPECT_EQ(wrong_with({open, {1000, C::kRefreshAll, {0, 0, 16}}}), "nothing");
  EXPECT_EQ(wrong_with({open, {1000, C::kRefreshAll, {0, 1, 0}}}), "nothing");
  EXPECT_THAT(wrong_with({open, {1000, C::kRefreshBank, {0, 0, 5}}}),
              HasSubstr("the bank has an open row"));
  EXPECT_EQ(wrong_with({open, {1000, C::kRefreshBank, {0, 0, 6}}}), "nothing");
  for (const Command closing : {C::kPrecharge, C::kPrechargeAll}) {
    EXPECT_EQ(wrong_with({open, {500, closing, {0, 0, 5}}, {1000, C::kRefreshAll, {}}}), "nothing");
  }
  EXPECT_EQ(wrong_with({open, {500, C::kWriteAuto, {0, 0, 5}}, {1000, C::kRefreshAll, {}}}),
            "nothing");
  // The count of open banks does not go wrong over many of them.
  EXPECT_THAT(wrong_with({open,
                          {100, C::kActivate, {0, 0, 6}},
                          {500, C::kPrecharge, {0, 0, 5}},
                          {1000, C::kRefreshAll, {}}}),
              HasSubstr("a bank of the SID has an open row"));
}

TEST(HbmCommandChecker, SaysByHowMuchAndAfterWhat) {
  EXPECT_EQ(wrong_with({{100, C::kActivate, {1, 1, 9}}, {140, C::kRead, {1, 1, 9}}}),
            "channel 1, pseudo-channel 1, bank 9: RD at 70 CK misses tRCDRD by 6 CK: it is 26 CK "
            "after ACT of pseudo-channel 1, bank 9, at 50 CK");
  EXPECT_EQ(wrong_with({{0, C::kActivate, {0, 0, 2}}, {1, C::kRefreshBank, {0, 1, 9}}}),
            "channel 0, pseudo-channel 1, bank 9: REFpb at 0.5 CK misses row bus by 1 CK: it is "
            "1.5 CK after ACT of pseudo-channel 0, bank 2, at 0 CK");
}

TEST(HbmCommandChecker, FindsAnActivateBeforeTheBankIsRefreshed) {
  EXPECT_THAT(wrong_with({{0, C::kRefreshBank, {}}, {522, C::kActivate, {}}}),
              HasSubstr("misses tRFCpb by 1 CK"));
  EXPECT_EQ(wrong_with({{0, C::kRefreshBank, {}}, {524, C::kActivate, {}}}), "nothing");
}

TEST(HbmCommandChecker, TimeDoesNotGoBackInAChannel) {
  EXPECT_THAT(wrong_with({{200, C::kActivate, {0, 1, 0}}, {198, C::kActivate, {}}}),
              HasSubstr("had a command at 100 CK already: time goes back by 1 CK"));
  EXPECT_EQ(wrong_with({{200, C::kActivate, {1, 1, 0}}, {198, C::kActivate, {}}}), "nothing");
  EXPECT_THAT(wrong_with({{-2, C::kActivate, {}}}), HasSubstr("time goes back by 1 CK"));
}

TEST(HbmCommandChecker, ActivatesAndColumnCommandsAreAtWholeClocks) {
  EXPECT_THAT(wrong_with({{101, C::kActivate, {}}}),
              HasSubstr("ACT at 50.5 CK: not at a whole clock"));
  for (const Command column : {C::kRead, C::kReadAuto, C::kWrite, C::kWriteAuto}) {
    EXPECT_THAT(wrong_with({{0, C::kActivate, {}}, {101, column, {}}}),
                HasSubstr("not at a whole clock"));
  }
  EXPECT_EQ(wrong_with({{0, C::kActivate, {}}, {101, C::kPrecharge, {}}}), "nothing");
  for (const Command row : {C::kPrechargeAll, C::kRefreshAll, C::kRefreshBank}) {
    EXPECT_EQ(wrong_with({{101, row, {}}}), "nothing");
  }
}

TEST(HbmCommandChecker, CommandsGoToWhatThereIs) {
  const auto wrong = [](const std::function<void(CommandRecord&)>& change,
                        Command command = C::kRead) {
    CommandChecker checker("memory", small_organisation(), Timing{});
    checker.take(at(0, C::kActivate, {0, 0, 0}));
    CommandRecord record = at(1000, command, {});
    change(record);
    return checker.check(record).value_or("nothing");
  };
  EXPECT_EQ(wrong([](CommandRecord&) {}), "nothing");
  EXPECT_THAT(wrong([](CommandRecord& r) { r.channel = 2; }),
              HasSubstr("there is no channel 2, they are 0 to 1"));
  EXPECT_THAT(wrong([](CommandRecord& r) { r.pseudo_channel = 2; }),
              HasSubstr("there is no pseudo-channel 2, they are 0 to 1"));
  EXPECT_THAT(wrong([](CommandRecord& r) { r.bank = 32; }),
              HasSubstr("there is no bank 32, they are 0 to 31"));
  EXPECT_THAT(wrong([](CommandRecord& r) { r.column = 32; }),
              HasSubstr("there is no column 32, they are 0 to 31"));
  EXPECT_THAT(wrong([](CommandRecord& r) { r.row = 16384; }, C::kActivate),
              HasSubstr("there is no row 16384, they are 0 to 16383"));
  EXPECT_THAT(wrong([](CommandRecord& r) { r.bank = 17; }, C::kPrechargeAll),
              HasSubstr("the bank is not the first of its SID"));
  EXPECT_EQ(wrong([](CommandRecord& r) { r.bank = 16; }, C::kPrechargeAll), "nothing");
}

TEST(HbmCommandChecker, WhatIsAskedAboutDidNotCome) {
  CommandChecker checker("memory", small_organisation(), Timing{});
  const auto record = at(0, C::kActivate, {});
  EXPECT_EQ(checker.check(record), std::nullopt);
  EXPECT_EQ(checker.check(record), std::nullopt);
  EXPECT_EQ(checker.commands(), 0U);
  checker.command(record);
  EXPECT_NE(checker.check(record), std::nullopt);
  EXPECT_EQ(checker.commands(), 1U);
  EXPECT_EQ(checker.commands(C::kActivate), 1U);
}

std::string broken(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}

TEST(HbmCommandChecker, AFindingBreaksAnInvariantAtItsTime) {
  CommandChecker checker("top.memory", small_organisation(), Timing{});
  checker.command(at(0, C::kActivate, {}));
  // 2000 ticks of 2/5.2375 ns.
  EXPECT_THAT(broken([&] { checker.command(at(2000, C::kActivate, {})); }),
              HasSubstr("top.memory at 763723ps: channel 0, pseudo-channel 0, bank 0: ACT"));
}

TEST(HbmCommandChecker, CatchesUpAtTheEndAndLooksForRefreshes) {
  RefreshConfig refresh;
  CommandChecker checker("top.memory", small_organisation(), Timing{}, refresh);
  unsigned calls = 0;
  checker.set_catch_up([&] { ++calls; });
  EXPECT_EQ(broken([&] { checker.at_end(3 * kMicrosecond, true); }), "nothing");
  EXPECT_EQ(calls, 1U);
  EXPECT_THAT(broken([&] { checker.at_end(10 * kMicrosecond, false); }),
              HasSubstr("top.memory at 10us: channel 0, pseudo-channel 0: SID 0 was refreshed 0 "
                        "times"));
}

}  // namespace
}  // namespace railyard::hbm::bench
