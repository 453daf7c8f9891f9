#include "waveforms/trace_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/waveforms/fst_reader.h"
#include "tests/waveforms/process.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using test::bits;
using test::Change;
using test::Waves;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Probes {
  Probes() {
    registry.add(queue, {"sw0.port8.queue", ProbeKind::kUnsigned, 20, "bytes", "Bytes queued", {}});
    registry.add(paused, {"sw0.port8.paused", ProbeKind::kUnsigned, 1, "", "", {}});
    registry.add(state, {"sw0.state", ProbeKind::kEnum, 2, "", "", {"IDLE", "BUSY", "FULL"}});
    registry.add(rate, {"nic.rate", ProbeKind::kReal, 64, "Gb/s", "", {}});
    registry.add(wide, {"nic.psn", ProbeKind::kUnsigned, 64, "", "", {}});
    registry.add(flag, {"top", ProbeKind::kEnum, 1, "", "", {"OFF", "ON"}});
    registry.seal();
  }
  Probe queue, paused, state, rate, wide, flag;
  ProbeRegistry registry;
};

const char* const kPath = "t.fst";

Waves fst2vcd(const std::string& path) { return test::parse_vcd(test::run({"fst2vcd", path})); }

TEST(TraceFile, HoldsEveryKindOfProbeWithItsEdges) {
  Probes p;
  TraceFile file(test::scratch(kPath));
  file.connect(p.registry);
  p.queue.set(0x12345, 1000);
  p.paused.set(1, 1000);
  p.rate.set_real(99.5, 1001);
  p.wide.set(0xfedcba9876543210, 1001);
  p.state.set(2, 2000);
  p.flag.set(1, 2000);
  p.queue.set(0, 3'000'000'000'000);
  file.close(3'000'000'000'007);

  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_EQ(waves.time_exponent, -12);
  EXPECT_EQ(waves.end_time, 3'000'000'000'007U);
  EXPECT_THAT(waves.changes.at("sw0.port8.queue"),
              ElementsAre(Change{0, bits(0, 20)}, Change{1000, bits(0x12345, 20)},
                          Change{3'000'000'000'000, bits(0, 20)}));
  EXPECT_THAT(waves.changes.at("sw0.port8.paused"), ElementsAre(Change{0, "0"}, Change{1000, "1"}));
  EXPECT_THAT(waves.changes.at("nic.rate"), ElementsAre(Change{0, "0"}, Change{1001, "99.5"}));
  EXPECT_THAT(waves.changes.at("nic.psn"),
              ElementsAre(Change{0, bits(0, 64)}, Change{1001, bits(0xfedcba9876543210, 64)}));
  EXPECT_THAT(waves.changes.at("sw0.state"), ElementsAre(Change{0, "00"}, Change{2000, "10"}));
  EXPECT_EQ(waves.changes.size(), 6U);
}

TEST(TraceFile, NamesTheValuesOfEnums) {
  Probes p;
  TraceFile file(test::scratch(kPath));
  file.connect(p.registry);
  file.close(1);
  const Waves waves = test::read_fst(test::scratch(kPath));
  using Table = std::map<std::string, std::string>;
  EXPECT_EQ(waves.enums.at("sw0.state"), (Table{{"00", "IDLE"}, {"01", "BUSY"}, {"10", "FULL"}}));
  EXPECT_EQ(waves.enums.at("top"), (Table{{"0", "OFF"}, {"1", "ON"}}));
  EXPECT_EQ(waves.enums.size(), 2U);
}

TEST(TraceFile, TellsUnitAndDocumentation) {
  Probes p;
  TraceFile file(test::scratch(kPath));
  file.connect(p.registry);
  file.close(1);
  EXPECT_THAT(test::read_fst(test::scratch(kPath)).comments,
              ElementsAre("nic.rate [Gb/s]", "sw0.port8.queue [bytes]: Bytes queued"));
}

// What a probe was set to at random, and what a reader must therefore see.
TEST(TraceFile, HoldsTheLastValueOfEachTimeOfARandomRun) {
  Probes p;
  TraceFile file(test::scratch(kPath));
  file.connect(p.registry);
  std::mt19937 random(1);
  std::map<std::uint64_t, std::uint64_t> queue = {{0, 0}};  // last value of each time
  Time now = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += random() % 3;
    const std::uint64_t value = random() & 0xfffff;
    p.queue.set(value, now);
    p.state.set(random() % 3, now);
    queue[static_cast<std::uint64_t>(now)] = value;
    if (i % 5000 == 0) file.flush();
  }
  file.close(now);
  std::vector<Change> expected;
  for (const auto& [time, value] : queue) {
    if (expected.empty() || expected.back().value != bits(value, 20)) {
      expected.push_back({time, bits(value, 20)});
    }
  }
  EXPECT_EQ(test::read_fst(test::scratch(kPath)).changes.at("sw0.port8.queue"), expected);
  EXPECT_EQ(fst2vcd(test::scratch(kPath)).changes.at("sw0.port8.queue"), expected);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TraceFile, IsTheSameWheneverItIsFlushed) {
  std::vector<std::string> files;
  for (const int period : {1'000'000, 1, 777}) {
    Probes p;
    TraceFile file(test::scratch(kPath));
    file.connect(p.registry);
    for (int i = 0; i < 200'000; ++i) {
      const Time now = i * 10'000;  // 10 ns: several blocks, by changes and by time
      p.queue.set(static_cast<std::uint64_t>(i) & 0xfffff, now);
      p.state.set(static_cast<std::uint64_t>(i) % 3, now);
      if (i % period == 0 && i % 20 == 0) file.flush();
    }
    file.close(2 * kMillisecond);
    files.push_back(bytes_of(test::scratch(kPath)));
  }
  EXPECT_GT(files[0].size(), 1000U);
  EXPECT_TRUE(files[0] == files[1]);
  EXPECT_TRUE(files[0] == files[2]);
}

void write_run(const std::string& path, bool other_order) {
  Probes p;
  TraceFile file(path);
  file.connect(p.registry);
  for (Time now = 0; now < 1000; now += 7) {
    const auto value = static_cast<std::uint64_t>(now);
    if (other_order) p.wide.set(value, now);
    p.queue.set(value, now);
    p.rate.set_real(static_cast<double>(now) / 3, now);
    if (!other_order) p.wide.set(value, now);
  }
  file.close(1000);
}

TEST(TraceFile, IsByteIdenticalWhateverTheOrderOfCallsAtOneTime) {
  write_run(test::scratch("a.fst"), false);
  write_run(test::scratch("b.fst"), false);
  write_run(test::scratch("c.fst"), true);
  EXPECT_EQ(test::read_file(test::scratch("a.fst")), test::read_file(test::scratch("b.fst")));
  EXPECT_EQ(test::read_file(test::scratch("a.fst")), test::read_file(test::scratch("c.fst")));
}

TEST(TraceFile, AVcdHasTheChangesOfTheFst) {
  write_run(test::scratch("a.fst"), false);
  write_run(test::scratch("a.vcd"), false);
  const Waves vcd = test::parse_vcd(test::read_file(test::scratch("a.vcd")));
  EXPECT_EQ(vcd.changes, fst2vcd(test::scratch("a.fst")).changes);
  EXPECT_EQ(vcd.changes, test::read_fst(test::scratch("a.fst")).changes);
  EXPECT_EQ(vcd.changes.at("nic.psn").size(), 143U);
  EXPECT_FALSE(std::filesystem::exists(test::scratch("a.vcd.fst")));
}

TEST(TraceFile, TakesWhatTheFilterTakes) {
  Probes p;
  TraceFile file(test::scratch(kPath));
  file.connect(p.registry, "sw0.port*,top");
  p.queue.set(1, 10);
  p.wide.set(1, 10);
  file.close(20);
  const Waves waves = test::read_fst(test::scratch(kPath));
  std::vector<std::string> names;
  for (const auto& entry : waves.changes) names.push_back(entry.first);
  EXPECT_THAT(names, ElementsAre("sw0.port8.paused", "sw0.port8.queue", "top"));
}

TEST(TraceFile, RefusesAFilterThatTakesNothingAndNamesSome) {
  Probes p;
  TraceFile file(test::scratch(kPath));
  try {
    file.connect(p.registry, "sw1.*");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "--trace-filter");
    EXPECT_THAT(error.remedy(), HasSubstr("nic.psn, nic.rate, sw0.port8.paused"));
  }
}

TEST(TraceFile, HoldsItsWindowAndTheValuesAtItsBegin) {
  Probes p;
  TraceFile file(test::scratch(kPath), {100, 200});
  file.connect(p.registry, "sw0.port8.queue,nic.psn");
  p.wide.set(5, 50);
  p.queue.set(1, 99);
  p.queue.set(2, 150);
  p.queue.set(3, 200);
  p.queue.set(4, 201);
  p.wide.set(6, 300);
  file.close(1000);
  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_THAT(
      waves.changes.at("sw0.port8.queue"),
      ElementsAre(Change{100, bits(1, 20)}, Change{150, bits(2, 20)}, Change{200, bits(3, 20)}));
  EXPECT_THAT(waves.changes.at("nic.psn"), ElementsAre(Change{100, bits(5, 64)}));
  EXPECT_EQ(waves.end_time, 200U);
}

TEST(TraceFile, AChangeExactlyAtTheBeginOfTheWindowIsTheFirstValue) {
  Probes p;
  TraceFile file(test::scratch(kPath), {100, 200});
  file.connect(p.registry, "sw0.port8.queue");
  p.queue.set(1, 50);
  p.queue.set(2, 100);
  file.close(150);
  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_THAT(waves.changes.at("sw0.port8.queue"), ElementsAre(Change{100, bits(2, 20)}));
  EXPECT_EQ(waves.end_time, 150U);
}

TEST(TraceFile, ARunThatEndsBeforeTheWindowLeavesTheDeclarations) {
  Probes p;
  TraceFile file(test::scratch(kPath), {100, 200});
  file.connect(p.registry);
  p.queue.set(1, 50);
  file.close(60);
  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_EQ(waves.changes.size(), 6U);
  for (const auto& [name, changes] : waves.changes) {
    for (const Change& change : changes) {
      EXPECT_THAT(change.value, testing::AnyOf(HasSubstr("x"), HasSubstr("nan"))) << name;
    }
  }
}

TEST(TraceFile, ClosesItselfOnce) {
  {
    Probes p;
    TraceFile file(test::scratch(kPath));
    file.connect(p.registry);
    p.queue.set(1, 50);
    file.close(60);
    file.close(70);
    p.queue.set(2, 80);
    EXPECT_NO_THROW(file.flush());
  }
  EXPECT_EQ(test::read_fst(test::scratch(kPath)).end_time, 60U);
  {
    Probes p;
    TraceFile file(test::scratch(kPath));
    file.connect(p.registry);
    p.queue.set(1, 50);
  }
  EXPECT_EQ(test::read_fst(test::scratch(kPath)).at("sw0.port8.queue", 50), bits(1, 20));
  EXPECT_FALSE(std::filesystem::exists(test::scratch("t.fst.hier")));
}

TEST(TraceFile, RefusesBadPathsAndWindowsBeforeTheRun) {
  EXPECT_THROW(TraceFile(test::scratch("t.txt")), ConfigError);
  EXPECT_THROW(TraceFile(test::scratch("missing/t.fst")), ConfigError);
  EXPECT_THROW(TraceFile(test::scratch("t.fst"), {2, 1}), ConfigError);
  std::filesystem::create_symlink("/dev/full", test::scratch("device.fst"));
  EXPECT_THROW(TraceFile(test::scratch("device.fst")), ConfigError);
  try {
    TraceFile(test::scratch("missing/t.vcd"));
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "--trace");
    EXPECT_FALSE(error.remedy().empty());
  }
}

}  // namespace
}  // namespace railyard
