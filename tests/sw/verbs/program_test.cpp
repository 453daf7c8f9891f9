// Verbs programs as modules: each its own globals, exit() its own end.
#include "sw/verbs/program.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/support/stacks.h"
#include "tests/sw/verbs/programs_bench.h"
#include "tlm/base/error.h"

namespace railyard::verbs {
namespace {

using support::path_of;
using support::ProgramsBench;
using support::VerbsBench;
using testing::HasSubstr;

TEST(VerbsProgram, TwoOfOneFileHaveGlobalsAndOptionsOfTheirOwn) {
  ProgramsBench bench;
  bench.add("globals", {"-n", "10", "-s", "3"});
  bench.add("globals", {"-s", "2", "-n", "20"});
  bench.run();
  EXPECT_EQ(bench.statuses, (std::vector<int>{130, 140}));
}

TEST(VerbsProgram, RunsAgainFromTheStart) {
  std::vector<int> statuses;
  VerbsBench([&](VerbsBench& /*bench*/) {
    Program program(path_of("globals"), {"-n", "1", "-s", "5"});
    statuses = {program.run(), program.run()};
  });
  EXPECT_EQ(statuses, (std::vector<int>{105, 105}));
}

TEST(VerbsProgram, ExitEndsTheProgramAloneAndClosesWhatItHasOpen) {
  VerbsBench([&](VerbsBench& bench) {
    EXPECT_EQ(Program(path_of("leaves"), {"7"}).run(), 7);
    EXPECT_EQ(bench.space.mapped_pages(), 0U);
    EXPECT_EQ(bench.device->log.back(), "dealloc_uar");
    EXPECT_STREQ(std::getenv("RAILYARD_TEST_ATEXIT"), "called");
    EXPECT_STREQ(std::getenv("RAILYARD_TEST_STATIC"), "destroyed");
    EXPECT_EQ(std::getenv("RAILYARD_TEST_AUTOMATIC"), nullptr);
    EXPECT_EQ(Program(path_of("leaves"), {"259"}).run(), 3);  // a byte of it
  });
}

TEST(VerbsProgram, ARunThatEndsUnwindsIt) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  ProgramsBench bench;
  bench.add("spins", {});
  EXPECT_EQ(bench.run(kMillisecond), RunEnd::kUntil);
  EXPECT_EQ(bench.statuses[0], -1);
}

TEST(VerbsProgram, OneThatIsNotThereIsAMistakeOfTheConfiguration) {
  VerbsBench([&](VerbsBench& /*bench*/) {
    try {
      Program("/nowhere/program.so", {}).run();
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("/nowhere/program.so"));
    }
    EXPECT_THROW(Program("/etc/passwd", {}).run(), ConfigError);
  });
}

TEST(VerbsProgram, ThePingPongRefusesWhatItIsNotTold) {
  VerbsBench([&](VerbsBench& /*bench*/) {
    EXPECT_EQ(Program(path_of("pingpong"), {"client"}).run(), 1);
    EXPECT_EQ(Program(path_of("pingpong"), {"client", "-g", "12", "-q", "64"}).run(), 1);
  });
}

}  // namespace
}  // namespace railyard::verbs
