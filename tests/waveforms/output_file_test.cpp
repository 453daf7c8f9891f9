#include "waveforms/output_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>

#include "tests/waveforms/process.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;

TEST(OutputFile, HoldsWhatWasAppendedInOrder) {
  const std::string path = test::scratch("out");
  std::string expected;
  {
    OutputFile file("--x", path);
    for (int i = 0; i < 100'000; ++i) {
      const std::string record = std::to_string(i) + ' ';
      file.append(record);
      expected += record;
    }
  }
  EXPECT_EQ(test::read_file(path), expected);
}

TEST(OutputFile, IsOnDiskUpToTheLastAppendAfterFlush) {
  OutputFile file("--x", test::scratch("out"));
  file.append("abc");
  file.flush();
  file.append("def");
  EXPECT_EQ(test::read_file(test::scratch("out")), "abc");
}

TEST(OutputFile, NeverWritesPartOfARecord) {
  OutputFile file("--x", test::scratch("out"));
  const std::string record(1000, 'x');
  for (int i = 0; i < 1000; ++i) file.append(record);
  const auto size = std::filesystem::file_size(test::scratch("out"));
  EXPECT_GT(size, 0U);
  EXPECT_EQ(size % record.size(), 0U);
}

TEST(OutputFile, RefusesAPathThatCannotBeWritten) {
  try {
    OutputFile file("--x", test::scratch("missing/out"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "--x");
    EXPECT_THAT(error.problem(), HasSubstr("missing/out: No such file or directory"));
  }
}

TEST(OutputFile, TellsOfAFullDiskOnceWithThePath) {
  OutputFile file("--x", "/dev/full");
  file.append("abc");
  try {
    file.flush();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
  file.append("def");
  file.flush();
  file.close();
}

TEST(OutputFile, ADestructorOnAFullDiskDoesNotThrow) {
  OutputFile file("--x", "/dev/full");
  file.append("abc");
}

TEST(CheckSuffix, NamesTheSuffixesThatAreAccepted) {
  EXPECT_NO_THROW(check_suffix("--x", "a.fst", {".fst", ".vcd"}));
  for (const char* path : {"a.txt", ".fst", "fst", ""}) {
    try {
      check_suffix("--x", path, {".fst", ".vcd"});
      ADD_FAILURE() << path;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.remedy(), HasSubstr(".fst or .vcd"));
    }
  }
}

TEST(CheckRegularFile, LeavesFilesAsTheyAre) {
  check_regular_file("--x", test::scratch("new"));
  EXPECT_FALSE(std::filesystem::exists(test::scratch("new")));
  { OutputFile("--x", test::scratch("old")).append("abc"); }
  check_regular_file("--x", test::scratch("old"));
  EXPECT_EQ(test::read_file(test::scratch("old")), "abc");
}

TEST(CheckRegularFile, RefusesDevicesAndFolders) {
  EXPECT_THROW(check_regular_file("--x", "/dev/null"), ConfigError);
  EXPECT_THROW(check_regular_file("--x", "/tmp"), ConfigError);
  EXPECT_TRUE(std::filesystem::exists("/dev/null"));
}

}  // namespace
}  // namespace railyard
