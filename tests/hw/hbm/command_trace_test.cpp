// A trace of commands is read as it was written, and refused where it is not a trace.
#include "hw/hbm/command_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "tests/hw/hbm/command_tools.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard::hbm::bench {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader =
    "# CK = 4/5237500000 s; a pseudo-channel has 2 SIDs of 4 groups of 4 banks\n"
    "# tick_in_CK channel pc command sid group bank row column\n";

std::string path_of(const std::string& name) {
  return testing::TempDir() + "railyard_command_trace_" + name;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool same(const CommandRecord& a, const CommandRecord& b) {
  return a.tick == b.tick && a.command == b.command && a.bank == b.bank && a.channel == b.channel &&
         a.pseudo_channel == b.pseudo_channel && a.row == b.row && a.column == b.column;
}

TEST(HbmCommandTrace, SaysEachCommandOnALine) {
  const std::string path = path_of("lines");
  {
    CommandTrace trace(path, small_organisation(), Timing{});
    trace.command(at(0, Command::kActivate, {0, 1, 14}, 117));
    trace.command(at(52, Command::kReadAuto, {0, 1, 14}, 117));
    trace.command(at(53, Command::kPrecharge, {1, 0, 31}));
    trace.command(at(54, Command::kPrechargeAll, {1, 0, 31}));
    trace.command(at(101, Command::kRefreshAll, {1, 1, 3}));
    trace.command(at(200, Command::kRefreshBank, {0, 0, 17}));
  }
  EXPECT_EQ(text_of(path), std::string(kHeader) +
                               "0 0 1 ACT 0 3 2 117 -\n"
                               "26 0 1 RDA 0 3 2 117 3\n"
                               "26.5 1 0 PRE 1 3 3 - -\n"
                               "27 1 0 PREA 1 - - - -\n"
                               "50.5 1 1 REFab 0 - - - -\n"
                               "100 0 0 REFpb 1 0 1 - -\n");
}

TEST(HbmCommandTrace, ReadsBackWhatWasWritten) {
  const std::string path = path_of("round_trip");
  Organisation organisation;
  organisation.sids = 2;
  RandomStream random(7, "trace");
  std::vector<CommandRecord> given;
  {
    CommandTrace trace(path, organisation, Timing{});
    Tick tick = 0;
    for (int i = 0; i < 10'000; ++i) {
      const Command command = kAllCommands[random.below(kCommands)];
      tick = aligned(command, tick + static_cast<Tick>(random.below(1'000'000)));
      const Spot spot = {static_cast<std::uint16_t>(random.below(80)),
                         static_cast<std::uint16_t>(random.below(2)),
                         static_cast<std::uint8_t>(random.below(32))};
      CommandRecord record =
          at(tick, command, spot, static_cast<std::uint32_t>(random.below(1U << 31)));
      if (is_column(command)) record.column = static_cast<std::uint32_t>(random.below(32));
      given.push_back(record);
      trace.command(record);
    }
    trace.close();
  }
  const std::vector<CommandRecord> read = read_command_trace(path);
  ASSERT_EQ(read.size(), given.size());
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_TRUE(same(read[i], given[i])) << i;
}

TEST(HbmCommandTrace, IsWholeWhenARunIsCut) {
  const std::string path = path_of("cut");
  try {
    CommandTrace trace(path, small_organisation(), Timing{});
    for (Tick i = 0; i < 5; ++i) trace.command(at(i, Command::kRefreshBank, {}));
    throw std::runtime_error("the run is cut");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(read_command_trace(path).size(), 5U);
}

TEST(HbmCommandTrace, TheCheckerFindsInATraceWhatItFindsInARun) {
  const std::string path = path_of("checked");
  {
    CommandTrace trace(path, small_organisation(), Timing{});
    trace.command(at(0, Command::kActivate, {}));
    trace.command(at(50, Command::kRead, {}));
  }
  CommandChecker checker("trace", small_organisation(), Timing{});
  const auto records = read_command_trace(path);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(checker.check(records[0]), std::nullopt);
  checker.take(records[0]);
  EXPECT_THAT(checker.check(records[1]).value_or("nothing"), HasSubstr("misses tRCDRD by 1 CK"));
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "nothing";
}

TEST(HbmCommandTrace, RefusesFilesThatCannotBeWrittenOrRead) {
  const std::string no_folder = path_of("no_folder") + "/x";
  const auto write = [](const std::string& path) {
    return refusal([&] { CommandTrace trace(path, small_organisation(), Timing{}); });
  };
  EXPECT_THAT(write(no_folder), HasSubstr("/x: cannot be written: No such file or directory; "));
  EXPECT_THAT(write(testing::TempDir()), HasSubstr("cannot be written: Is a directory"));
  const auto read = [](const std::string& path) {
    return refusal([&] { read_command_trace(path); });
  };
  EXPECT_THAT(read(no_folder), HasSubstr("/x: cannot be read: No such file or directory; "));
  EXPECT_THAT(read(testing::TempDir()), HasSubstr("cannot be read"));
}

TEST(HbmCommandTrace, TellsOfAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  CommandTrace trace("/dev/full", small_organisation(), Timing{});
  trace.command(at(0, Command::kActivate, {}));
  EXPECT_THAT(refusal([&] { trace.close(); }), HasSubstr("/dev/full: could not be written whole"));
}

TEST(HbmCommandTrace, RefusesEachLineThatIsNotOne) {
  const std::string path = path_of("malformed");
  const auto wrong = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    const std::string found = refusal([&] { read_command_trace(path); });
    if (found == "nothing") return found;
    EXPECT_EQ(found.compare(0, path.size() + 1, path + ":"), 0) << found;
    return found.substr(path.size() + 1);
  };
  const auto line = [&](const std::string& text) {
    return wrong(std::string(kHeader) + "1 0 0 ACT 0 0 0 5 -\n" + text + "\n");
  };
  ASSERT_EQ(line("27 0 0 RD 0 0 0 5 31"), "nothing");
  ASSERT_EQ(wrong(kHeader), "nothing");

  EXPECT_THAT(wrong(""), HasSubstr("1: the file is empty"));
  EXPECT_THAT(wrong("1 0 0 ACT 0 0 0 5 -\n"), HasSubstr("1: this is not the first line"));
  const auto first = [&](const std::string& banks) {
    return wrong("# CK = 4/5237500000 s; a pseudo-channel has " + banks + "\n");
  };
  EXPECT_THAT(first("2 SIDs of 4 groups of 4"), HasSubstr("1: \"banks\" is missing"));
  EXPECT_THAT(first("2 SIDs of 4 banks"), HasSubstr("1: \"groups of \" is missing"));
  EXPECT_THAT(first("4 groups of 4 banks"), HasSubstr("1: \"SIDs of \" is missing"));
  EXPECT_THAT(first("x SIDs of 4 groups of 4 banks"), HasSubstr("\"x\" is not such a number"));
  EXPECT_THAT(first("0 SIDs of 4 groups of 4 banks"), HasSubstr("a number of 0 SIDs"));
  EXPECT_THAT(first("8 SIDs of 4 groups of 4 banks"), HasSubstr("more than 64 banks"));
  EXPECT_THAT(first("2 SIDs of 4 groups of 4 banks more"), HasSubstr("more behind the banks"));
  EXPECT_THAT(first("2 SIDs of 4 groups of 4 banks"), HasSubstr("2: the columns are missing"));
  EXPECT_THAT(first("2 SIDs of 4 groups of 4 banks\n# tick channel"),
              HasSubstr("2: the columns are missing"));

  EXPECT_THAT(line(""), HasSubstr("4: the line has 1 fields"));
  EXPECT_THAT(line("27 0 0 RD 0 0 0 5"), HasSubstr("4: the line has 8 fields"));
  EXPECT_THAT(line("27 0 0 RD 0 0 0 5 31 1"), HasSubstr("4: the line has 10 fields"));
  EXPECT_THAT(line("27  0 0 RD 0 0 0 5 31"), HasSubstr("4: the line has 10 fields"));
  EXPECT_THAT(line("27.25 0 0 RD 0 0 0 5 31"),
              HasSubstr("4: tick_in_CK: \"27.25\" is not on half"));
  EXPECT_THAT(line("-1 0 0 RD 0 0 0 5 31"),
              HasSubstr("4: tick_in_CK: \"-1\" is not such a number"));
  EXPECT_THAT(line(".5 0 0 RD 0 0 0 5 31"), HasSubstr("4: tick_in_CK: \"\" is not"));
  EXPECT_THAT(line("99999999999999999999999 0 0 RD 0 0 0 5 31"), HasSubstr("4: tick_in_CK: "));
  EXPECT_THAT(line("027 0 0 RD 0 0 0 5 31"), HasSubstr("4: tick_in_CK: \"027\""));
  EXPECT_THAT(line("27 65536 0 RD 0 0 0 5 31"), HasSubstr("4: channel: \"65536\""));
  EXPECT_THAT(line("27 0 x RD 0 0 0 5 31"), HasSubstr("4: pc: \"x\""));
  EXPECT_THAT(
      line("27 0 0 READ 0 0 0 5 31"),
      HasSubstr("4: there is no command \"READ\"; write one of ACT, PRE, PREA, RD, RDA, WR, "
                "WRA, REFab, REFpb"));
  EXPECT_THAT(line("27 0 0 RD 2 0 0 5 31"),
              HasSubstr("4: sid: \"2\" is not such a number; write a number from 0 to 1"));
  EXPECT_THAT(line("27 0 0 RD 0 4 0 5 31"), HasSubstr("4: group: \"4\""));
  EXPECT_THAT(line("27 0 0 RD 0 0 4 5 31"), HasSubstr("4: bank: \"4\""));
  EXPECT_THAT(line("27 0 0 RD 0 0 - 5 31"), HasSubstr("4: bank: \"-\""));
  EXPECT_THAT(line("27 0 0 RD 0 0 0 - 31"), HasSubstr("4: row: \"-\""));
  EXPECT_THAT(line("27 0 0 RD 0 0 0 5 4294967296"), HasSubstr("4: column: \"4294967296\""));
  EXPECT_THAT(line("27 0 0 ACT 0 0 1 5 0"), HasSubstr("4: column: ACT has none; write \"-\""));
  EXPECT_THAT(line("27 0 0 PRE 0 0 0 5 -"), HasSubstr("4: row: PRE has none"));
  EXPECT_THAT(line("27 0 0 PREA 0 0 - - -"), HasSubstr("4: group: PREA has none"));
  EXPECT_THAT(line("27 0 0 REFab 0 - 0 - -"), HasSubstr("4: bank: REFab has none"));
  EXPECT_THAT(line("27 0 0 RD 0 0 0 5 31\r"), HasSubstr("4: column: \"31\\x0d\""));
  EXPECT_THAT(wrong(std::string(kHeader) + "1 0 0 ACT 0 0 0 5 -\n27 0 0 RD 0 0 0 5 3"),
              HasSubstr("4: the last line has no end; the trace was cut"));
}

}  // namespace
}  // namespace railyard::hbm::bench
